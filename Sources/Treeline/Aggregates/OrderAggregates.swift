extension Column {
  /// Returns the column value that a key stands for; see `OrderedKeys`.
  func value(ofKey key: UInt64) -> AttributeValue {
    switch values {
    case .integers(let integers):
      value(ofInteger: integers.base &+ Int64(truncatingIfNeeded: key), of: integers)
    case .reals: .number(AttributeColumn.text(of: OrderedKeys.real(of: key)))
    case .entries(let entries): entries.dictionary.value(ofEntry: Int(key)) ?? .null
    }
  }
}

extension AggregateEvaluator {
  /// Makes an evaluator of the least or the greatest value.
  static func extremeValue(isGreatest: Bool, _ tree: ClusterTree, _ rows: CountedRows, _ column: Column)
    throws(CancellationError) -> AggregateEvaluator
  {
    let keys = OrderedKeys(of: column)
    let summaries: RowSummaries<ExtremeKeys> = try tree.prepared([column.name]) { () throws(CancellationError) in
      try RowSummaries(of: keys, rows)
    }
    return AggregateEvaluator { range in
      let extremes = summaries.summary(of: range, of: keys, rows)
      if extremes.least > extremes.greatest { return .none }
      return .value(column.value(ofKey: isGreatest ? extremes.greatest : extremes.least))
    }
  }

  /// Makes an evaluator that finds the row with the greatest or the least value in the column `order`. The result is
  /// the value of the other column at this row.
  static func valueAtExtreme(
    isGreatest: Bool, _ tree: ClusterTree, _ rows: CountedRows, _ column: Column, order: Column
  ) throws(CancellationError) -> AggregateEvaluator {
    let keys = ExtremeRows.Keys(values: OrderedKeys(of: column), order: OrderedKeys(of: order))
    let summaries: RowSummaries<ExtremeRows> = try tree.prepared([column.name, order.name]) {
      () throws(CancellationError) in try RowSummaries(of: keys, rows)
    }
    return AggregateEvaluator { range in
      let extremes = summaries.summary(of: range, of: keys, rows)
      let row = isGreatest ? extremes.greatest : extremes.least
      return row < 0 ? .none : .value(column.value(ofKey: keys.values[Int(row)]))
    }
  }

  /// Makes an evaluator of the value at the first row that has a value.
  static func firstValue(_ tree: ClusterTree, _ rows: CountedRows, _ column: Column) throws(CancellationError)
    -> AggregateEvaluator
  {
    let keys = OrderedKeys(of: column)
    let firsts: RowSummaries<FirstRow> = try tree.prepared([column.name]) { () throws(CancellationError) in
      try RowSummaries(of: keys, rows)
    }
    return AggregateEvaluator { range in
      let row = firsts.summary(of: range, of: keys, rows).row
      return row < 0 ? .none : .value(column.value(ofKey: keys[Int(row)]))
    }
  }

  /// Makes an evaluator of a median or a percentile.
  static func orderStatistic(_ function: Aggregate.Function, _ rows: CountedRows, _ column: Column)
    -> AggregateEvaluator
  {
    let statistic = OrderStatistic(function: function, rows: rows, column: column)
    return AggregateEvaluator(readsRows: statistic.ranks == nil, value: statistic.value(of:))
  }
}

extension Aggregate {
  /// Returns the rank of a percentile among sorted values. Ranks are counted from 1. The result is the least rank r
  /// such that the first r values make up the given percentage of all values, or more.
  ///
  /// The double `percent` is read as the shortest decimal that is rounded to this double. So the rank is exact. For
  /// example, 7 % of 100 values are 7 values, although the double nearest to 0.07 is slightly greater than 0.07.
  ///
  /// - Parameters:
  ///   - percent: From 0 to 100.
  ///   - count: Number of values, 1 or more and below 2^40.
  static func rank(ofPercent percent: Double, among count: Int) -> Int {
    guard let decimal = DecimalNumber(percent), decimal.significand > 0 else { return 1 }
    // The significand has at most 17 digits, so the product fits 128 bits.
    let product = decimal.significand * Int128(count)
    let decimals = 2 - decimal.exponent
    // The rank is `product` divided by 10^`decimals`, rounded up. `product` is below 10^30. So if `decimals` is above
    // 30, the quotient is below 1, and the rank is 1. `decimals` is 0 for 100 per cent, and greater for any other
    // percentage.
    if decimals > 30 { return 1 }
    let unit = (0..<Swift.max(decimals, 0)).reduce(Int128(1)) { unit, _ in unit * 10 }
    let (rank, rest) = product.quotientAndRemainder(dividingBy: unit)
    return Swift.min(Int(rank) + (rest > 0 ? 1 : 0), count)
  }
}

/// A median or a percentile.
private struct OrderStatistic {
  let function: Aggregate.Function
  let rows: CountedRows
  let column: Column
  let keys: OrderedKeys
  /// The stored ranks of the column's values; nil if no ranks are stored, or under a filter. Without ranks, rows must
  /// be read.
  let ranks: ColumnMatrix?

  init(function: Aggregate.Function, rows: CountedRows, column: Column) {
    (self.function, self.rows, self.column, keys) = (function, rows, column, OrderedKeys(of: column))
    ranks = rows.areAll ? column.ranks : nil
  }

  func value(of range: Range<Int>) throws(CancellationError) -> AggregateValue {
    if let ranks {
      return try value(count: ranks.presentCount(in: range)) { place throws(CancellationError) in
        ranks.firstIndex(ofRank: ranks.matrix.integer(at: place, ofSorted: range)).map { keys[$0] }
      }
    }
    var found = try keys.present(in: range, rows)
    var last = 0
    return try value(count: found.count) { place throws(CancellationError) in
      defer { last = place }
      return try found.selected(place, from: last)
    }
  }

  /// - Parameters:
  ///   - count: Number of values.
  ///   - key: Returns the key of the value at an index in sorted order. The function is called with rising indices.
  private func value(count: Int, _ key: (Int) throws(CancellationError) -> UInt64?) throws(CancellationError)
    -> AggregateValue
  {
    func found(_ place: Int) throws(CancellationError) -> UInt64? {
      // If the section of ranks is damaged, the key may be the key of a missing value.
      let key = try key(place)
      return key == OrderedKeys.missing ? nil : key
    }
    if count == 0 { return .none }
    if case .percentile(let percent) = function {
      return try found(Aggregate.rank(ofPercent: percent, among: count) - 1).map { .value(column.value(ofKey: $0)) }
        ?? .none
    }
    guard let lower = try found((count - 1) / 2) else { return .none }
    guard column.kind == .number, count % 2 == 0 else { return .value(column.value(ofKey: lower)) }
    guard let upper = try found(count / 2) else { return .none }
    switch column.values {
    case .integers(let integers):
      let sum = Int128(lower) + Int128(upper) + 2 * Int128(integers.base)
      // The median is half of `sum`. Halving can add one decimal, so the median has one decimal more than `sum`.
      return .decimal(5 * sum, digits: integers.digits + 1)
    default:
      return .number(Self.mean(OrderedKeys.real(of: lower), OrderedKeys.real(of: upper)))
    }
  }
}

extension OrderStatistic {
  /// Returns the mean of two finite numbers, rounded once.
  private static func mean(_ a: Double, _ b: Double) -> Double {
    let sum = a + b
    // If the sum is finite, the addition and the halving cannot both round: halving rounds only very small sums, and
    // very small sums are exact. If the sum is infinite, both numbers are so large that their halves are exact.
    return sum.isFinite ? sum / 2 : a / 2 + b / 2
  }
}

extension OrderedKeys {
  /// Returns the keys of the counted rows in a range, in row order. Rows without a value are left out.
  func present(in range: Range<Int>, _ rows: CountedRows) throws(CancellationError) -> [UInt64] {
    var found: [UInt64] = []
    found.reserveCapacity(range.count)
    for start in stride(from: range.lowerBound, to: range.upperBound, by: Cancellation.rowsPerLook) {
      try Cancellation.check()
      rows.forEach(in: start..<min(start + Cancellation.rowsPerLook, range.upperBound)) { row in
        let key = self[row]
        if key != OrderedKeys.missing { found.append(key) }
      }
    }
    return found
  }
}

extension [UInt64] {
  /// Returns the element that would be at an index if the elements were sorted, and moves it to that index. Smaller
  /// elements end up before the index, and greater elements after it (C. A. R. Hoare, 1961).
  ///
  /// - Parameter first: Index at which the search begins. No element before this index may be greater than an element
  ///   at this index or after it.
  fileprivate mutating func selected(_ index: Int, from first: Int) throws(CancellationError) -> UInt64 {
    var (low, high) = (first, count - 1)
    while low < high {
      if high - low > Cancellation.rowsPerLook { try Cancellation.check() }
      // The pivot is the median of three elements, so that sorted elements are not a slow case. Other orders may be
      // slow, but the result is always correct.
      let candidates = [self[low], self[(low + high) / 2], self[high]].sorted()
      let pivot = candidates[1]
      var (left, right) = (low, high)
      while left <= right {
        while self[left] < pivot { left += 1 }
        while self[right] > pivot { right -= 1 }
        if left <= right {
          swapAt(left, right)
          left += 1
          right -= 1
        }
      }
      if index <= right { high = right } else if index >= left { low = left } else { break }
    }
    return self[index]
  }
}
