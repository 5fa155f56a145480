extension AggregateEvaluator {
  /// Makes the evaluator of an aggregate that is computed from sums of a column of integers.
  static func integerMoments(
    _ function: Aggregate.Function, _ tree: ClusterTree, _ rows: CountedRows, _ column: Column, _ values: IntegerValues
  ) throws(CancellationError) -> AggregateEvaluator {
    let sums = try tree.prepared([column.name]) { () throws(CancellationError) in try IntegerSums(of: values, rows) }
    let squares =
      function == .variance
      ? try tree.prepared([column.name]) { () throws(CancellationError) in try IntegerSquares(of: values, rows) } : nil
    return AggregateEvaluator { range in
      let found = sums.sums(of: range, of: values, rows)
      if function == .count { return .integer(found.count) }
      if found.count == 0 { return function == .sum ? .integer(0) : .none }
      let (count, codes) = (Int128(found.count), Int128(found.codes))
      let sum = codes + count * Int128(values.base)
      switch function {
      case .sum: return .decimal(sum, digits: values.digits)
      case .any: return .value(.bool(sum > 0))
      case .all: return .value(.bool(sum == count))
      case .variance:
        // Adding the same number to all values does not change their variance. So the variance is computed from codes,
        // which are values minus a base. The numerator of the variance is the count times the sum of squares, minus the
        // square of the sum. This numerator fits into 256 bits.
        let total = squares!.sums(of: range, of: values, rows).total * UInt128(count)
        let square = UInt256(UInt128(codes).multipliedFullWidth(by: UInt128(codes)))
        let unit = UInt128(count) * UInt128(powerOfTen(values.digits))
        return .number(nearestQuotient(total - square, UInt256(unit.multipliedFullWidth(by: unit))))
      default: return .number(nearestQuotient(sum, count * Int128(powerOfTen(values.digits))))
      }
    }
  }

  /// Makes the evaluator of an aggregate that is computed from sums of a column of doubles.
  static func realMoments(
    _ function: Aggregate.Function, _ tree: ClusterTree, _ rows: CountedRows, _ column: Column, _ values: RealValues
  ) throws(CancellationError) -> AggregateEvaluator {
    let sums = try tree.prepared([column.name]) { () throws(CancellationError) in try RealSums(of: values, rows) }
    return AggregateEvaluator(readsRows: function == .variance) { range in
      let (count, sum) = sums.sum(of: range, of: values, rows)
      if function == .count { return .integer(count) }
      if count == 0 { return function == .sum ? .integer(0) : .none }
      if function == .sum { return .number(sum.rounded()) }
      let mean = sum.rounded(dividedBy: UInt32(count))
      if function == .mean { return .number(mean) }
      // Computes the variance from the differences between the values and `mean`. Each difference is rounded. The
      // differences and their squares are added exactly, so that the order of rows does not matter. `mean` is rounded,
      // too. So the mean of the differences is the rounding error of `mean`. The square of this error is subtracted at
      // the end.
      var (differences, squares, overflows) = (ExactSum(), ExactSum(), false)
      rows.forEach(in: range) { row in
        let value = values[row]
        if !value.isFinite { return }
        let difference = value - mean
        let square = difference * difference
        guard square.isFinite else { return overflows = true }
        differences.add(difference)
        squares.add(square)
      }
      if overflows { return .number(.infinity) }
      let rounding = differences.rounded(dividedBy: UInt32(count))
      return .number(max(squares.rounded(dividedBy: UInt32(count)) - rounding * rounding, 0))
    }
  }

  /// Makes an evaluator of the weighted mean of a column of decimals. The weights are in another column of decimals.
  static func weightedMean(
    _ rows: CountedRows, _ values: IntegerValues, _ weights: IntegerValues, _ sums: ProductSums
  ) -> AggregateEvaluator {
    AggregateEvaluator { range in
      let found = sums.sums(of: range, of: values, weights, rows)
      // The mean is null if the sum of weights is 0 or negative.
      guard found.weights > 0 else { return .none }
      return .number(nearestQuotient(found.products, found.weights * Int128(powerOfTen(values.digits))))
    }
  }
}

/// Sums of weights, and sums of products of a weight and a value, over the counted rows that have both a weight and a
/// value.
final class ProductSums: PreparedValues {
  struct Sums {
    var products: Int128 = 0
    var weights: Int128 = 0
  }

  private let before: PreparedArray<Sums>

  /// Sum of the magnitudes of all products, and sum of the magnitudes of all weights. No sum over a range is greater
  /// than the corresponding sum of magnitudes. A sum beyond 128 bits is replaced by the greatest number of 128 bits.
  let magnitudes: (products: UInt128, weights: UInt128)

  var byteCount: Int { before.byteCount }

  /// Whether the numerator and the denominator of every mean fit into 128 bits each, for values with some decimals.
  func areExact(digits: Int) -> Bool {
    let (denominator, overflows) = magnitudes.weights.multipliedReportingOverflow(by: UInt128(powerOfTen(digits)))
    return !overflows && denominator <= 1 << 126 && magnitudes.products <= 1 << 126
  }

  init(of values: IntegerValues, _ weights: IntegerValues, _ rows: CountedRows) throws(CancellationError) {
    before = PreparedArray(repeating: Sums(), count: rows.wordCount + 1)
    var total = Sums()
    var (products, weightSum) = (UInt128(0), UInt128(0))
    for word in 0..<rows.wordCount {
      try Cancellation.check(atWord: word)
      before[word] = total
      CountedRows.forEach(rows.bits(ofWord: word), from: word &* 64) { row in
        Self.add(values, weights, row, to: &total)
        guard let value = values.integer(at: row), let weight = weights.integer(at: row) else { return }
        let (sum, overflows) = products.addingReportingOverflow((Int128(value) * Int128(weight)).magnitude)
        products = overflows ? .max : sum
        weightSum += UInt128(weight.magnitude)
      }
    }
    before[rows.wordCount] = total
    magnitudes = (products, weightSum)
  }

  @inline(__always) private static func add(
    _ values: IntegerValues, _ weights: IntegerValues, _ row: Int, to sums: inout Sums
  ) {
    guard let value = values.integer(at: row), let weight = weights.integer(at: row) else { return }
    sums.products &+= Int128(value) &* Int128(weight)
    sums.weights &+= Int128(weight)
  }

  func sums(of range: Range<Int>, of values: IntegerValues, _ weights: IntegerValues, _ rows: CountedRows) -> Sums {
    let (first, last) = ((range.lowerBound + 63) >> 6, range.upperBound >> 6)
    var sums = Sums()
    guard first <= last else {
      rows.forEach(in: range) { Self.add(values, weights, $0, to: &sums) }
      return sums
    }
    rows.forEach(in: range.lowerBound..<first << 6) { Self.add(values, weights, $0, to: &sums) }
    rows.forEach(in: last << 6..<range.upperBound) { Self.add(values, weights, $0, to: &sums) }
    sums.products &+= before[last].products &- before[first].products
    sums.weights &+= before[last].weights &- before[first].weights
    return sums
  }
}
