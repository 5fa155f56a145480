import Synchronization

/// What was prepared of columns when it was first asked for: for all rows of a tree, or for those that pass a filter.
///
/// A list that only grows: to look through it takes no lock, and there are no more entries than columns have
/// aggregates.
final class PreparedColumns: Sendable {
  private struct Key: Hashable {
    let columns: [String]
    let type: ObjectIdentifier
  }

  private final class Entry: Sendable {
    let key: Key
    let values: any PreparedValues
    let next = AtomicLazyReference<Entry>()

    init(_ key: Key, _ values: any PreparedValues) { (self.key, self.values) = (key, values) }
  }

  private let first = AtomicLazyReference<Entry>()

  /// How many bytes all of it takes.
  var byteCount: Int {
    var (bytes, entry) = (0, first.load())
    while let found = entry {
      bytes += found.values.byteCount
      entry = found.next.load()
    }
    return bytes
  }

  /// Whether it is there already.
  func has<Prepared: PreparedValues>(_ type: Prepared.Type, of columns: [String]) -> Bool {
    let key = Key(columns: columns, type: ObjectIdentifier(type))
    var entry = first.load()
    while let found = entry {
      if found.key == key { return true }
      entry = found.next.load()
    }
    return false
  }

  /// What is prepared of some columns; made if it is not there. Of two threads that ask for it first, both may do so.
  func value<Prepared: PreparedValues, Failure: Error>(of columns: [String], make: () throws(Failure) -> Prepared)
    throws(Failure) -> Prepared
  {
    let key = Key(columns: columns, type: ObjectIdentifier(Prepared.self))
    var last: Entry?
    while let entry = last == nil ? first.load() : last!.next.load() {
      if entry.key == key { return entry.values as! Prepared }
      last = entry
    }
    let made = Entry(key, try make())
    while true {
      let entry = last == nil ? first.storeIfNil(made) : last!.next.storeIfNil(made)
      if entry.key == key { return entry.values as! Prepared }
      // Another was faster, with something else.
      last = entry
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
