import Treeline

/// Distinct byte strings, numbered in the order in which they were added. Each byte string is a value of a column. The
/// string consists of a tag for the type of the value, and the text of the value in UTF-8.
///
/// Texts are compared by their bytes. So two texts may be different entries although Unicode treats them as equal.
struct EntrySet: Sendable {
  private(set) var bytes: [UInt8] = []
  /// Offset at which each entry ends.
  private(set) var ends: [UInt64] = []
  /// Hash table. A slot contains the number of an entry plus 1, or 0 if the slot is free. The size of the table is a
  /// power of two, or 0 until an entry is looked up.
  private var table: [UInt32] = []

  var count: Int { ends.count }

  /// Approximate memory of the entries, in bytes.
  var memory: Int { bytes.count + 8 * ends.count + 4 * table.count }

  subscript(number: Int) -> ArraySlice<UInt8> { bytes[range(of: number)] }

  private func range(of number: Int) -> Range<Int> { (number == 0 ? 0 : Int(ends[number - 1]))..<Int(ends[number]) }

  /// Returns the value of an entry; nil for an absent value.
  func value(of number: Int) -> AttributeValue? {
    let entry = self[number]
    guard let first = entry.first, let tag = AttributeValue.Tag(rawValue: first) else { return nil }
    return AttributeValue(tag, String(decoding: entry.dropFirst(), as: UTF8.self))
  }

  /// Whether the first 16 entries contain texts, and all these texts are numbers with decimal commas.
  var areCommaNumbers: Bool {
    let values = (0..<min(count, 16)).compactMap(value(of:))
    return CellNumber.haveDecimalCommas(values.filter { $0.tag == .string }.map(\.text))
  }

  func tag(of number: Int) -> AttributeValue.Tag? { self[number].first.flatMap { AttributeValue.Tag(rawValue: $0) } }

  /// Adds an entry, unless the set already contains an equal entry.
  ///
  /// - Returns: the number of the entry.
  @discardableResult mutating func insert(_ tag: AttributeValue.Tag, _ text: String) -> UInt32 {
    bytes.append(tag.rawValue)
    bytes.append(contentsOf: text.utf8)
    return insertPending()
  }

  /// Adds an entry that is given as bytes, unless the set already contains an equal entry.
  @discardableResult mutating func insert(_ entry: ArraySlice<UInt8>) -> UInt32 {
    bytes.append(contentsOf: entry)
    return insertPending()
  }

  /// Makes a new entry from the bytes after the last entry. If an equal entry exists already, removes these bytes
  /// instead.
  private mutating func insertPending() -> UInt32 {
    if 2 * (count + 1) > table.count { fillTable(size: max(16, 2 * table.count, (4 * count).roundedUpToPowerOfTwo)) }
    let start = Int(ends.last ?? 0)
    let slot = bytes.withUnsafeBytes { self.slot(of: UnsafeRawBufferPointer(rebasing: $0[start...])) }
    if table[slot] != 0 {
      bytes.removeSubrange(start...)
      return table[slot] - 1
    }
    ends.append(UInt64(bytes.count))
    table[slot] = UInt32(count)
    return UInt32(count - 1)
  }

  /// Returns the number of an entry; nil if the set does not contain the entry.
  ///
  /// - Precondition: Entries were added one by one, or `prepare` was called.
  func number(of entry: ArraySlice<UInt8>) -> UInt32? {
    if count == 0 { return nil }
    precondition(!table.isEmpty, "The entries were not prepared for look-ups")
    let slot = entry.withUnsafeBytes { self.slot(of: $0) }
    return table[slot] == 0 ? nil : table[slot] - 1
  }

  /// Prepares entries that were read from a file, so that they can be looked up.
  mutating func prepare() { if table.isEmpty { fillTable(size: max(16, (2 * count).roundedUpToPowerOfTwo)) } }

  /// Frees the memory that is needed only for look-ups.
  mutating func freeTable() { table = [] }

  private mutating func fillTable(size: Int) {
    table = [UInt32](repeating: 0, count: size)
    bytes.withUnsafeBytes { bytes in
      var start = 0
      for number in ends.indices {
        let end = Int(ends[number])
        table[slot(of: UnsafeRawBufferPointer(rebasing: bytes[start..<end]))] = UInt32(number + 1)
        start = end
      }
    }
  }

  /// Returns the slot of an entry in the table, or the free slot where the entry would be added.
  private func slot(of entry: UnsafeRawBufferPointer) -> Int {
    // Each process has its own seed for hashes, so an attacker cannot choose data that make look-ups slow. The seed
    // does not affect how the entries are numbered.
    var hasher = Hasher()
    hasher.combine(bytes: entry)
    var slot = hasher.finalize() & (table.count - 1)
    return bytes.withUnsafeBytes { bytes in
      while table[slot] != 0 {
        let found = range(of: Int(table[slot]) - 1)
        if found.count == entry.count, bytes[found].elementsEqual(entry) { break }
        slot = (slot + 1) & (table.count - 1)
      }
      return slot
    }
  }

  /// Returns these entries, numbered in the order of their bytes. So the numbers do not depend on the order of the
  /// points.
  ///
  /// - Parameters:
  ///   - monitor: Monitor of the work. If the work is cancelled, entries may be numbered in any order.
  ///   - isKept: Returns whether to keep the entry with the given number.
  func sorted(_ monitor: BuildMonitor, where isKept: (Int) -> Bool = { _ in true }) -> EntrySet {
    var order = ends.indices.filter(isKept)
    // A comparison of slices would count references, which takes longer than the comparison itself.
    bytes.withUnsafeBytes { bytes in
      func entry(_ number: Int) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[range(of: number)]) }
      order.sort(monitor) { entry($0).lexicographicallyPrecedes(entry($1)) }
    }
    if monitor.isCancelled { return self }
    var sorted = EntrySet()
    sorted.bytes.reserveCapacity(bytes.count)
    sorted.ends.reserveCapacity(order.count)
    for number in order {
      sorted.bytes += self[number]
      sorted.ends.append(UInt64(sorted.bytes.count))
    }
    sorted.prepare()
    return sorted
  }
}

extension EntrySet: BinaryCodable {
  func write(to bytes: inout PlainBytes) {
    bytes.append(ends)
    bytes.append(self.bytes)
  }

  init(from bytes: inout PlainBytes) throws(PieceError) {
    ends = try bytes.readArray()
    self.bytes = try bytes.readArray()
    var last: UInt64 = 0
    for end in ends {
      guard end > last, end <= UInt64(self.bytes.count) else { throw Self.unsound }
      last = end
    }
    guard last == UInt64(self.bytes.count), ends.count < UInt32.max,
      ends.indices.allSatisfy({ tag(of: $0) != nil && String(validating: self[$0].dropFirst(), as: UTF8.self) != nil })
    else { throw Self.unsound }
  }

  private static let unsound = PieceError.damaged(
    what: "the values of a column", expected: "entries that consist of a tag and a text", found: "other bytes")
}

extension Int {
  fileprivate var roundedUpToPowerOfTwo: Int { self <= 1 ? 1 : 1 << (Int.bitWidth - (self - 1).leadingZeroBitCount) }
}
