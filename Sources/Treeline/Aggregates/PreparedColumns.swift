import Synchronization

/// What was prepared of columns when it was first asked for: for all rows of a tree, or for those that pass a filter.
final class PreparedColumns: Sendable {
  private struct Key: Hashable {
    let columns: [String]
    let type: ObjectIdentifier
  }

  private let prepared = Mutex<[Key: any Sendable]>([:])

  /// What is prepared of some columns; made if it is not there. Of two threads that ask for it first, both may do so.
  func value<Prepared: Sendable>(of columns: [String], make: () -> Prepared) -> Prepared {
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

/// Numbers that are written once, while they are made.
final class PreparedArray<Element: Sendable>: @unchecked Sendable {
  let start: UnsafeMutablePointer<Element>
  let count: Int

  init(repeating element: Element, count: Int) {
    start = .allocate(capacity: max(count, 1))
    start.initialize(repeating: element, count: max(count, 1))
    self.count = count
  }

  deinit { start.deallocate() }

  @inline(__always) subscript(index: Int) -> Element {
    get { start[index] }
    set { start[index] = newValue }
  }
}
