import Synchronization

/// What was prepared of columns when it was first asked for: for all rows of a tree, or for those that pass a filter.
final class PreparedColumns: Sendable {
  private struct Key: Hashable {
    let columns: [String]
    let type: ObjectIdentifier
  }

  private let prepared = Mutex<[Key: any PreparedValues]>([:])

  /// How many bytes all of it takes.
  var byteCount: Int { prepared.withLock { $0.values.reduce(0) { $0 + $1.byteCount } } }

  /// What is prepared of some columns; made if it is not there. Of two threads that ask for it first, both may do so.
  func value<Prepared: PreparedValues>(of columns: [String], make: () -> Prepared) -> Prepared {
    let key = Key(columns: columns, type: ObjectIdentifier(Prepared.self))
    if let found = prepared.withLock({ $0[key] }) { return found as! Prepared }
    let made = make()
    return prepared.withLock { prepared in
      if let found = prepared[key] { return found as! Prepared }
      prepared[key] = made
      return made
    }
  }
}

/// What is prepared of a column or two.
protocol PreparedValues: Sendable {
  /// Of its arrays, as long as the tree; 0 where it has none.
  var byteCount: Int { get }
}

extension PreparedValues { var byteCount: Int { 0 } }

/// Numbers that are written once, while they are made.
final class PreparedArray<Element: Sendable>: @unchecked Sendable {
  let start: UnsafeMutablePointer<Element>
  let count: Int

  init(repeating element: Element, count: Int) {
    start = .allocate(capacity: max(count, 1))
    start.initialize(repeating: element, count: max(count, 1))
    self.count = count
  }

  var byteCount: Int { count * MemoryLayout<Element>.stride }

  deinit { start.deallocate() }

  @inline(__always) subscript(index: Int) -> Element {
    get { start[index] }
    set { start[index] = newValue }
  }
}
