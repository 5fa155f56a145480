/// Values of a column as integers in the same order. The greatest integer stands for a missing value.
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
        // All entries of a category are values.
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

  /// Returns the bits of a double, changed to sort like doubles: inverts all bits of negative numbers, and the sign bit
  /// of the others.
  private static func key(of value: Double) -> UInt64 {
    let bits = (value == 0 ? 0.0 : value).bitPattern
    return bits >> 63 == 1 ? ~bits : bits | 1 << 63
  }

  static func real(of key: UInt64) -> Double { Double(bitPattern: key >> 63 == 1 ? key & ~(1 << 63) : ~key) }
}

/// The least and the greatest values of a column over the rows that count: for each word of 64 rows, then for eight
/// words each, and so on.
final class Extremes: PreparedValues {
  typealias Pair = (least: UInt64, greatest: UInt64)

  /// The pair without values: any other value is less than its least and greater than its greatest.
  static let none: Pair = (.max, .min)

  private struct Entry {
    var least = Extremes.none.least
    var greatest = Extremes.none.greatest
  }

  private let entries: PreparedArray<Entry>

  var byteCount: Int { entries.byteCount }
  private let levelStarts: [Int]

  /// - Complexity: O(rows)
  init(of keys: OrderedKeys, _ rows: CountedRows) throws(CancellationError) {
    var (starts, length) = ([0], rows.wordCount)
    while length > 1 {
      starts.append(starts.last! + length)
      length = (length + 7) >> 3
    }
    levelStarts = starts
    entries = PreparedArray(repeating: Entry(), count: starts.last! + 1)
    for word in 0..<rows.wordCount {
      try Cancellation.check(atWord: word)
      var pair = Self.none
      CountedRows.forEach(rows.bits(ofWord: word), from: word &* 64) { Self.add(keys[$0], to: &pair) }
      entries[word] = Entry(least: pair.least, greatest: pair.greatest)
    }
    for level in starts.indices.dropFirst() {
      for index in starts[level - 1]..<starts[level] {
        let above = starts[level] + (index - starts[level - 1]) >> 3
        entries[above].least = min(entries[above].least, entries[index].least)
        entries[above].greatest = max(entries[above].greatest, entries[index].greatest)
      }
    }
  }

  @inline(__always) private static func add(_ key: UInt64, to pair: inout Pair) {
    if key == OrderedKeys.missing { return }
    pair = (min(pair.least, key), max(pair.greatest, key))
  }

  /// - Complexity: O(log rows)
  func pair(of range: Range<Int>, of keys: OrderedKeys, _ rows: CountedRows) -> Pair {
    var pair = Self.none
    var (start, end) = ((range.lowerBound + 63) >> 6, range.upperBound >> 6)
    guard start <= end else {
      rows.forEach(in: range) { Self.add(keys[$0], to: &pair) }
      return pair
    }
    rows.forEach(in: range.lowerBound..<start << 6) { Self.add(keys[$0], to: &pair) }
    rows.forEach(in: end << 6..<range.upperBound) { Self.add(keys[$0], to: &pair) }
    func add(_ index: Int) {
      pair = (min(pair.least, entries[index].least), max(pair.greatest, entries[index].greatest))
    }
    var level = 0
    while start < end {
      while start & 7 != 0 && start < end {
        add(levelStarts[level] + start)
        start += 1
      }
      while end & 7 != 0 && start < end {
        end -= 1
        add(levelStarts[level] + end)
      }
      (start, end, level) = (start >> 3, end >> 3, level + 1)
    }
    return pair
  }
}
