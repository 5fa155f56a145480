extension AggregateEvaluator {
  /// Makes the evaluator of an aggregate that is computed from the number of rows with each value.
  static func distinctValues(
    _ function: Aggregate.Function, _ tree: ClusterTree, _ rows: CountedRows, _ column: Column
  ) throws(CancellationError) -> AggregateEvaluator {
    let values = try DistinctValues(function: function, tree: tree, rows: rows, column: column)
    return AggregateEvaluator(readsRows: values.counts == nil, value: values.value(of:))
  }
}

/// Data for aggregates that are computed from the number of rows with each value.
private struct DistinctValues {
  let function: Aggregate.Function
  let rows: CountedRows
  let column: Column
  let keys: OrderedKeys
  /// The codes of the column and their prepared counts, if the column has few different codes; nil if rows must be
  /// read. A code is the number that a column stores for a value.
  let counts: (codes: PackedIntegers, prepared: ValueCounts)?
  /// For each entry of the dictionary, whether the entry is a value. An entry that is not a value is null. Nil if no
  /// entry can be null, or if `counts` is nil.
  let present: PresentEntries?
  /// The values of the dictionary's entries. Nil if the column has no dictionary, if no result needs values, or if the
  /// dictionary has too many entries.
  let entryValues: EntryTexts?

  init(function: Aggregate.Function, tree: ClusterTree, rows: CountedRows, column: Column) throws(CancellationError) {
    (self.function, self.rows, self.column, keys) = (function, rows, column, OrderedKeys(of: column))
    var found: (PackedIntegers, Int)?
    switch column.values {
    case .entries(let entries):
      found = (entries.codes, entries.dictionary.entryCount)
    case .integers(let integers) where integers.codes.width == 1: found = (integers.codes, 255)
    default: break
    }
    present =
      if case .entries(let entries) = column.values, column.kind != .category,
        entries.dictionary.entryCount <= ValueCounts.maximumCodeCount
      {
        try tree.preparedOfAll([column.name]) { () throws(CancellationError) in PresentEntries(of: entries) }
      } else { nil }
    entryValues =
      if case .entries(let entries) = column.values, function != .distinct, function != .count,
        entries.dictionary.entryCount <= ValueCounts.maximumCodeCount
      {
        try tree.preparedOfAll([column.name]) { () throws(CancellationError) in EntryTexts(of: entries.dictionary) }
      } else { nil }
    if let (codes, count) = found, count <= ValueCounts.maximumCodeCount {
      counts = (
        codes,
        try tree.prepared([column.name]) { () throws(CancellationError) in
          try ValueCounts(of: codes, codeCount: count, rows)
        }
      )
    } else {
      counts = nil
    }
  }

  func value(of range: Range<Int>) throws(CancellationError) -> AggregateValue {
    // If the range has few rows, sorting their values is faster than a pass over the counts of all codes.
    guard let (codes, prepared) = counts, range.count >= prepared.codeCount / 16 else {
      var found = try counted(range)
      return found.withUnsafeMutableBufferPointer { value(ofCounted: $0) }
    }
    return withUnsafeTemporaryAllocation(of: UInt32.self, capacity: prepared.codeCount + 1) { counts in
      prepared.count(range, of: codes, rows, into: counts)
      return withUnsafeTemporaryAllocation(of: KeyCount.self, capacity: prepared.codeCount) { found in
        var length = 0
        for code in 0..<prepared.codeCount where counts[code] > 0 && present?.flags[code] ?? true {
          found.initializeElement(at: length, to: KeyCount(key: UInt64(code), count: Int(counts[code])))
          length += 1
        }
        return value(ofCounted: UnsafeMutableBufferPointer(rebasing: found[..<length]))
      }
    }
  }

  /// A key, and the number of rows that have this key.
  private struct KeyCount {
    var key: UInt64
    var count: Int

    /// Returns whether `a` comes before `b`. The more frequent key comes first. Of two equally frequent keys, the
    /// lesser key comes first.
    @inline(__always) static func < (a: KeyCount, b: KeyCount) -> Bool {
      a.count > b.count || a.count == b.count && a.key < b.key
    }
  }

  /// - Parameter found: The keys that occur, sorted. The function reorders them.
  private func value(ofCounted found: UnsafeMutableBufferPointer<KeyCount>) -> AggregateValue {
    var found = found
    switch function {
    case .count: return .integer(found.reduce(0) { $0 + $1.count })
    case .distinct: return .integer(found.count)
    case .mode:
      // `found` is sorted by key. So if several keys are equally frequent, the loop finds the least of them.
      guard var most = found.first else { return .none }
      for other in found where other.count > most.count { most = other }
      return .value(value(ofKey: most.key))
    default:
      let most = if case .top(let count) = function { min(count, found.count) } else { found.count }
      if most <= 16 { Self.bringForward(most, of: found) } else { found.sort(by: <) }
      return .counts((0..<most).map { .init(value: value(ofKey: found[$0].key), count: found[$0].count) })
    }
  }

  /// Moves the keys that come first in the sort order to the beginning of the buffer, and sorts them. `most` is the
  /// number of keys to move. Passes over the buffer once. Inserts each key at its place at the beginning of the
  /// buffer, unless `most` keys are already there and all of them come before the key. Afterwards, the rest of the
  /// buffer is undefined.
  private static func bringForward(_ most: Int, of found: UnsafeMutableBufferPointer<KeyCount>) {
    guard most > 0 else { return }
    for index in 1..<max(found.count, 1) {
      let next = found[index]
      var place = min(index, most)
      if place == most {
        guard next < found[most - 1] else { continue }
        place -= 1
      }
      while place > 0, next < found[place - 1] {
        found[place] = found[place - 1]
        place -= 1
      }
      found[place] = next
    }
  }

  private func value(ofKey key: UInt64) -> AttributeValue {
    entryValues?.values[Int(key)] ?? column.value(ofKey: key)
  }

  /// Reads rows one by one. Returns the keys that occur, in sorted order, with the number of rows that have each key.
  private func counted(_ range: Range<Int>) throws(CancellationError) -> [KeyCount] {
    var found = try keys.present(in: range, rows)
    try found.sortKeys()
    var counted: [KeyCount] = []
    for (number, key) in found.enumerated() {
      if number & (Cancellation.rowsPerLook - 1) == 0 { try Cancellation.check() }
      if counted.last?.key == key {
        counted[counted.count - 1].count += 1
      } else {
        counted.append(KeyCount(key: key, count: 1))
      }
    }
    return counted
  }
}

/// For each entry of a dictionary: true if the entry is a value, false if the entry is null.
final class PresentEntries: PreparedValues {
  let flags: [Bool]

  init(of entries: EntryValues) { flags = entries.isPresent }
}

/// The values of a dictionary's entries.
final class EntryTexts: PreparedValues {
  let values: [AttributeValue]

  init(of dictionary: ColumnDictionary) {
    // In a damaged dictionary, entries may overlap. All texts together would then be much longer than the file.
    var rest = dictionary.textByteCount
    values = (0..<dictionary.entryCount).map { entry in
      rest -= dictionary.bytes(ofEntry: entry)?.count ?? 0
      return rest < 0 ? .null : dictionary.value(ofEntry: entry) ?? .null
    }
  }
}
