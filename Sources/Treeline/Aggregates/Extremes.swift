/// Values of a column, mapped to integers that sort like the values. The greatest integer stands for a missing value.
package struct OrderedKeys {
  private enum Source {
    case integers(PackedIntegers, missing: UInt64)
    case reals(RealValues)
    case entries(PackedIntegers, count: UInt64)
    case someEntries(PackedIntegers, ColumnDictionary)
  }

  private let source: Source

  package static let missing = UInt64.max

  package init(of column: Column) {
    source =
      switch column.values {
      case .integers(let integers): .integers(integers.codes, missing: integers.missingCode)
      case .reals(let reals): .reals(reals)
      case .entries(let entries):
        // The dictionary of a column of categories has no null entry.
        column.kind == .category
          ? .entries(entries.codes, count: UInt64(entries.dictionary.entryCount))
          : .someEntries(entries.codes, entries.dictionary)
      }
  }

  @inline(__always) package subscript(row: Int) -> UInt64 {
    switch source {
    case .integers(let codes, let missing):
      let code = codes[row]
      return code == missing ? Self.missing : code
    case .reals(let reals):
      let value = reals[row]
      return value.isFinite ? Self.key(of: value) : Self.missing
    case .entries(let codes, let count):
      let code = codes[row]
      return code < count ? code : Self.missing
    case .someEntries(let codes, let dictionary):
      let code = codes[row]
      return code < dictionary.entryCount && dictionary.isPresent(Int(code)) ? code : Self.missing
    }
  }

  /// Returns the bits of a double, changed so that they sort like doubles. If the double is negative, all bits are
  /// inverted. If not, only the sign bit is inverted.
  private static func key(of value: Double) -> UInt64 {
    let bits = (value == 0 ? 0.0 : value).bitPattern
    return bits >> 63 == 1 ? ~bits : bits | 1 << 63
  }

  static func real(of key: UInt64) -> Double { Double(bitPattern: key >> 63 == 1 ? key & ~(1 << 63) : ~key) }
}

/// A summary of a set of rows. The summaries of two sets can be combined into the summary of their union.
protocol RowSummary: BitwiseCopyable, Sendable {
  /// The keys of rows, from one column or from two columns; see `OrderedKeys`.
  associatedtype Keys

  /// The summary of an empty set of rows.
  static var none: Self { get }

  mutating func add(row: Int, _ keys: Keys)
  mutating func add(_ other: Self, _ keys: Keys)
}

/// The indices of entries on several levels. On the first level, there is an entry for each word of 64 points. On each
/// later level, there is an entry for every eight neighboring entries of the level before. The last level has one
/// entry. The levels follow one another in one array.
struct OctalLevels {
  private let starts: [Int]

  init(over wordCount: Int) {
    var (starts, length) = ([0], wordCount)
    while length > 1 {
      starts.append(starts.last! + length)
      length = (length + 7) >> 3
    }
    self.starts = starts
  }

  /// The number of entries on all levels.
  var entryCount: Int { starts.last! + 1 }

  /// Calls a closure for each entry except the last one, with the index of the entry of the next level that stands for
  /// this entry, too.
  @inline(__always) func forEachParent(_ body: (_ entry: Int, _ parent: Int) -> Void) {
    for level in starts.indices.dropFirst() {
      for entry in starts[level - 1]..<starts[level] {
        body(entry, starts[level] + (entry - starts[level - 1]) >> 3)
      }
    }
  }

  /// Calls a closure for entries that together stand for the words of a range, each word once.
  @inline(__always) func forEach(covering words: Range<Int>, _ body: (Int) -> Void) {
    var (first, end, level) = (words.lowerBound, words.upperBound, 0)
    while first < end {
      let start = starts[level]
      while first & 7 != 0 && first < end {
        body(start + first)
        first += 1
      }
      while end & 7 != 0 && first < end {
        end -= 1
        body(start + end)
      }
      (first, end, level) = (first >> 3, end >> 3, level + 1)
    }
  }
}

/// Summaries of the counted rows on several levels: one for each word of 64 rows, one for each 8 words, one for each
/// 64 words, and so on.
final class RowSummaries<Summary: RowSummary>: PreparedValues {
  private let entries: PreparedArray<Summary>

  var byteCount: Int { entries.byteCount }
  private let levels: OctalLevels

  /// - Complexity: O(rows)
  init(of keys: Summary.Keys, _ rows: CountedRows) throws(CancellationError) {
    levels = OctalLevels(over: rows.wordCount)
    entries = PreparedArray(repeating: .none, count: levels.entryCount)
    for word in 0..<rows.wordCount {
      try Cancellation.check(atWord: word)
      var summary = Summary.none
      CountedRows.forEach(rows.bits(ofWord: word), from: word &* 64) { summary.add(row: $0, keys) }
      entries[word] = summary
    }
    levels.forEachParent { index, above in entries[above].add(entries[index], keys) }
  }

  /// - Complexity: O(log rows)
  func summary(of range: Range<Int>, of keys: Summary.Keys, _ rows: CountedRows) -> Summary {
    var summary = Summary.none
    let (start, end) = ((range.lowerBound + 63) >> 6, range.upperBound >> 6)
    guard start <= end else {
      rows.forEach(in: range) { summary.add(row: $0, keys) }
      return summary
    }
    rows.forEach(in: range.lowerBound..<start << 6) { summary.add(row: $0, keys) }
    rows.forEach(in: end << 6..<range.upperBound) { summary.add(row: $0, keys) }
    levels.forEach(covering: start..<end) { summary.add(entries[$0], keys) }
    return summary
  }
}

/// The least and the greatest key of a column. If there are no values, the least key is greater than the greatest key.
struct ExtremeKeys: RowSummary {
  private(set) var least = UInt64.max
  private(set) var greatest = UInt64.min

  static let none = ExtremeKeys()

  @inline(__always) mutating func add(row: Int, _ keys: OrderedKeys) {
    let key = keys[row]
    if key == OrderedKeys.missing { return }
    (least, greatest) = (min(least, key), max(greatest, key))
  }

  @inline(__always) mutating func add(_ other: ExtremeKeys, _ keys: OrderedKeys) {
    (least, greatest) = (min(least, other.least), max(greatest, other.greatest))
  }
}

/// The first row that has a value.
struct FirstRow: RowSummary {
  /// The row; -1 if no row has a value.
  private(set) var row: Int32 = -1

  static let none = FirstRow()

  @inline(__always) mutating func add(row: Int, _ keys: OrderedKeys) {
    if keys[row] != OrderedKeys.missing { add(Int32(row)) }
  }

  @inline(__always) mutating func add(_ other: FirstRow, _ keys: OrderedKeys) { if other.row >= 0 { add(other.row) } }

  private mutating func add(_ row: Int32) { if self.row < 0 || row < self.row { self.row = row } }
}

/// Two rows of a set: the row with the greatest value in a column, and the row with the least value in the same
/// column. If several rows have the greatest value, or the least value, a second column decides: the row with the
/// least value in the second column is chosen. Rows that lack a value in one of the two columns are left out.
struct ExtremeRows: RowSummary {
  struct Keys {
    let values: OrderedKeys
    let order: OrderedKeys
  }

  /// The row with the greatest value, and the row with the least value; -1 if there is no such row.
  private(set) var greatest: Int32 = -1
  private(set) var least: Int32 = -1

  static let none = ExtremeRows()

  mutating func add(row: Int, _ keys: Keys) {
    if keys.order[row] == OrderedKeys.missing || keys.values[row] == OrderedKeys.missing { return }
    add(greatest: Int32(row), least: Int32(row), keys)
  }

  mutating func add(_ other: ExtremeRows, _ keys: Keys) { add(greatest: other.greatest, least: other.least, keys) }

  private mutating func add(greatest row: Int32, least otherRow: Int32, _ keys: Keys) {
    if row >= 0, greatest < 0 || Self.comes(row, before: greatest, >, keys) { greatest = row }
    if otherRow >= 0, least < 0 || Self.comes(otherRow, before: least, <, keys) { least = otherRow }
  }

  private static func comes(_ row: Int32, before other: Int32, _ areInOrder: (UInt64, UInt64) -> Bool, _ keys: Keys)
    -> Bool
  {
    let (key, otherKey) = (keys.order[Int(row)], keys.order[Int(other)])
    return key == otherKey ? keys.values[Int(row)] < keys.values[Int(other)] : areInOrder(key, otherKey)
  }
}
