import Synchronization

/// A cache of data that aggregates compute from columns on first use, such as prefix sums. A cache is either for all
/// rows of a tree or for the rows that pass one filter.
///
/// The cache is a linked list that only grows, so a look-up does not need a lock. The list stays short: it has one
/// entry for each combination of a type of data and the columns from which the data was computed.
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

  /// Number of bytes of all prepared values.
  var byteCount: Int {
    var (bytes, entry) = (0, first.load())
    while let found = entry {
      bytes += found.values.byteCount
      entry = found.next.load()
    }
    return bytes
  }

  /// Returns whether values of a type have already been prepared from `columns`.
  func has<Prepared: PreparedValues>(_ type: Prepared.Type, of columns: [String]) -> Bool {
    let key = Key(columns: columns, type: ObjectIdentifier(type))
    var entry = first.load()
    while let found = entry {
      if found.key == key { return true }
      entry = found.next.load()
    }
    return false
  }

  /// Returns the values prepared from `columns`. Calls `make` if the values are not in the cache. If two threads ask
  /// for the same values before these values are in the cache, both threads may call `make`. The values that are
  /// stored first are kept.
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
      // Another thread has just appended an entry for other values. The next attempt appends after that entry.
      last = entry
    }
  }
}

/// Values that are prepared from one or two columns.
protocol PreparedValues: Sendable {
  /// Number of bytes of the arrays that grow with the tree; 0 if there are no such arrays.
  var byteCount: Int { get }
}

extension PreparedValues { var byteCount: Int { 0 } }

/// An array that is filled while values are prepared. After that it never changes, so threads can share it.
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
