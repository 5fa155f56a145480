extension Clusters {
  /// What is told of the values of each cluster's points, under a filter of those that pass: for each cluster one for
  /// each aggregate, in their order.
  ///
  /// Sums, means, variances, extremes and counts of few different values are prepared when they are first asked for of
  /// a column, in O(pointCount), and then take O(1) or O(log pointCount) for a cluster. Medians, percentiles, distinct
  /// counts and counts of many different values are read point by point.
  ///
  /// - Throws: `AggregateError` where a column is missing or has no such aggregate, or more than
  ///   `Aggregate.maximumRowsRead` points would have to be read one by one.
  public func values(of aggregates: [Aggregate]) throws(AggregateError) -> [[AggregateValue]] {
    let rows = CountedRows(of: tree)
    var evaluators: [any AggregateEvaluator] = []
    for aggregate in aggregates {
      let evaluator = try aggregate.evaluator(for: tree, rows)
      if evaluator.readsRows {
        let found = nodes.reduce(0) { $0 + tree.passingCount(of: $1) }
        guard found <= Aggregate.maximumRowsRead else {
          throw .tooManyRows(aggregate: "\(aggregate)", found: found, maximum: Aggregate.maximumRowsRead)
        }
      }
      evaluators.append(evaluator)
    }
    return withExtendedLifetime(tree) {
      // One aggregate after the other, and then they change hands.
      withUnsafeTemporaryAllocation(of: AggregateValue.self, capacity: nodes.count * evaluators.count) { values in
        var next = values.baseAddress!
        for evaluator in evaluators { evaluator.write(valuesOf: nodes, to: &next) }
        let start = values.baseAddress!
        return nodes.indices.map { index in evaluators.indices.map { (start + $0 * nodes.count + index).move() } }
      }
    }
  }
}

extension ClusterTree {
  /// The same for one cluster.
  ///
  /// - Precondition: the cluster is one of this tree.
  public func values(of aggregates: [Aggregate], for cluster: Cluster) throws -> [AggregateValue] {
    try noClusters.with([node(cluster.id)]).values(of: aggregates)[0]
  }
}

/// Tells what an aggregate is over some rows. A kind of aggregate is a type of these.
protocol AggregateEvaluator {
  /// Whether it reads the rows one by one, whose number is bounded.
  var readsRows: Bool { get }

  /// - Parameter range: Of rows in tree order, of which those that count are meant.
  func value(of range: Range<Int>) -> AggregateValue
}

extension AggregateEvaluator {
  var readsRows: Bool { false }

  fileprivate func write(valuesOf nodes: [Node], to next: inout UnsafeMutablePointer<AggregateValue>) {
    for node in nodes {
      next.initialize(to: value(of: node.range))
      next += 1
    }
  }
}

extension AggregateValue {
  static let none = AggregateValue.value(.null)
  static func integer(_ number: some BinaryInteger) -> AggregateValue { decimal(Int128(number), digits: 0) }
  static func decimal(_ number: Int128, digits: Int) -> AggregateValue {
    .number(AggregateNumber(DecimalNumber(significand: number, exponent: -digits)))
  }
  static func number(_ number: Double) -> AggregateValue {
    number.isFinite ? .number(AggregateNumber(number)) : .none
  }
}

extension Aggregate {
  /// How many points an answer reads one by one at most, for each aggregate that does.
  public static let maximumRowsRead = 1 << 24

  fileprivate func evaluator(for tree: ClusterTree, _ rows: CountedRows) throws(AggregateError)
    -> any AggregateEvaluator
  {
    guard let name = self.column else { return PointCount(tree: tree) }
    let column = try found(name, in: tree)
    func unsuited(_ expected: String, _ column: Column) -> AggregateError {
      .unsuited(aggregate: "\(self)", column: column.name, kind: column.kind, expected: expected)
    }
    let isNumber = column.kind == .number || column.kind == .boolean
    switch function {
    case .sum, .mean, .variance:
      guard isNumber else { throw unsuited("a column of numbers", column) }
      if let weight {
        let weights = try found(weight, in: tree)
        guard case .integers(let values) = column.values else { throw unsuited("a column of decimals", column) }
        guard case .integers(let weightValues) = weights.values, weights.kind == .number else {
          throw unsuited("a column of decimals as weights", weights)
        }
        // The sum of 2^31 products fits, and so does a mean's denominator.
        guard values.largest * weightValues.largest < 1 << 95, weightValues.largest < 1 << 34 else {
          throw .tooLarge(aggregate: "\(self)")
        }
        return WeightedMean(tree: tree, rows: rows, column: column, values: values, weights: weights, weightValues)
      }
      switch column.values {
      case .integers(let values):
        return IntegerMoments(function: function, tree: tree, rows: rows, column: column, values: values)
      case .reals(let values):
        return RealMoments(function: function, tree: tree, rows: rows, column: column, values: values)
      case .entries: throw unsuited("a column of numbers", column)
      }
    case .min, .max:
      return ExtremeValue(isGreatest: function == .max, tree: tree, rows: rows, column: column)
    case .any, .all:
      guard column.kind == .boolean, case .integers(let values) = column.values else {
        throw unsuited("a column of booleans", column)
      }
      return IntegerMoments(function: function, tree: tree, rows: rows, column: column, values: values)
    case .count, .counts, .top, .mode, .distinct:
      return DistinctValues(function: function, tree: tree, rows: rows, column: column)
    case .median, .percentile:
      return OrderStatistic(function: function, rows: rows, column: column)
    }
  }

  private func found(_ name: String, in tree: ClusterTree) throws(AggregateError) -> Column {
    guard let column = tree.column(name) else {
      throw .unknownColumn(name: name, known: tree.columns.map(\.name))
    }
    return column
  }
}

extension IntegerValues {
  /// No value is farther from 0.
  fileprivate var largest: UInt128 { max(UInt128(base.magnitude), (Int128(base) + Int128(missingCode - 1)).magnitude) }
}

extension ClusterTree {
  /// What is prepared of some columns for the points that count.
  fileprivate func prepared<Prepared: Sendable>(_ columns: [String], make: () -> Prepared) -> Prepared {
    if let selection { return selection.prepared.value(of: columns, make: make) }
    return withStorage { $0.prepared.value(of: columns, make: make) }
  }
}

// MARK: - Counts of points

private struct PointCount: AggregateEvaluator {
  let tree: ClusterTree

  func value(of range: Range<Int>) -> AggregateValue {
    .integer(tree.selection?.points.count(in: range) ?? range.count)
  }
}

// MARK: - Sums

private struct IntegerMoments: AggregateEvaluator {
  let function: Aggregate.Function
  let rows: CountedRows
  let values: IntegerValues
  let sums: IntegerSums
  let squares: IntegerSquares?

  init(function: Aggregate.Function, tree: ClusterTree, rows: CountedRows, column: Column, values: IntegerValues) {
    (self.function, self.rows, self.values) = (function, rows, values)
    sums = tree.prepared([column.name]) { IntegerSums(of: values, rows) }
    squares = function == .variance ? tree.prepared([column.name]) { IntegerSquares(of: values, rows) } : nil
  }

  func value(of range: Range<Int>) -> AggregateValue {
    let found = sums.sums(of: range, of: values, rows)
    if found.count == 0 { return function == .sum ? .integer(0) : .none }
    let (count, codes) = (Int128(found.count), Int128(found.codes))
    let sum = codes + count * Int128(values.base)
    switch function {
    case .sum: return .decimal(sum, digits: values.digits)
    case .any: return .value(.bool(sum > 0))
    case .all: return .value(.bool(sum == count))
    case .variance:
      // Differences do not depend on the base. The count times the sum of squares, less the square of the sum, fits.
      let total = squares!.sums(of: range, of: values, rows).total * UInt128(count)
      let square = UInt256(UInt128(codes).multipliedFullWidth(by: UInt128(codes)))
      let unit = Double(powerOfTen(values.digits))
      return .number((total - square).double / Double(count) / Double(count) / unit / unit)
    default: return .number(nearestQuotient(sum, count * Int128(powerOfTen(values.digits))))
    }
  }
}

private struct RealMoments: AggregateEvaluator {
  let function: Aggregate.Function
  let rows: CountedRows
  let values: RealValues
  let sums: RealSums

  init(function: Aggregate.Function, tree: ClusterTree, rows: CountedRows, column: Column, values: RealValues) {
    (self.function, self.rows, self.values) = (function, rows, values)
    sums = tree.prepared([column.name]) { RealSums(of: values, rows) }
  }

  var readsRows: Bool { function == .variance }

  func value(of range: Range<Int>) -> AggregateValue {
    let (count, sum) = sums.sum(of: range, of: values, rows)
    if count == 0 { return function == .sum ? .integer(0) : .none }
    if function == .sum { return .number(sum.rounded()) }
    let mean = sum.rounded(dividedBy: UInt32(count))
    if function == .mean { return .number(mean) }
    // Each difference is rounded by itself and their squares are added exactly, so that no order matters.
    var squares = ExactSum()
    rows.forEach(in: range) { row in
      let value = values[row]
      let square = (value - mean) * (value - mean)
      if square.isFinite { squares.add(square) }
    }
    return .number(squares.rounded(dividedBy: UInt32(count)))
  }
}

private struct WeightedMean: AggregateEvaluator {
  let rows: CountedRows
  let values: IntegerValues
  let weights: IntegerValues
  let sums: ProductSums

  init(
    tree: ClusterTree, rows: CountedRows, column: Column, values: IntegerValues, weights: Column,
    _ weightValues: IntegerValues
  ) {
    (self.rows, self.values, self.weights) = (rows, values, weightValues)
    sums = tree.prepared([column.name, weights.name]) { ProductSums(of: values, weightValues, rows) }
  }

  func value(of range: Range<Int>) -> AggregateValue {
    let found = sums.sums(of: range, of: values, weights, rows)
    // A sum of weights that is not above 0 weighs nothing.
    guard found.weights > 0 else { return .none }
    return .number(nearestQuotient(found.products, found.weights * Int128(powerOfTen(values.digits))))
  }
}

/// Sums of weights, and of their products with values, over the rows that count and have both.
private final class ProductSums: Sendable {
  struct Sums {
    var products: Int128 = 0
    var weights: Int128 = 0
  }

  private let before: PreparedArray<Sums>

  init(of values: IntegerValues, _ weights: IntegerValues, _ rows: CountedRows) {
    before = PreparedArray(repeating: Sums(), count: rows.wordCount + 1)
    var total = Sums()
    for word in 0..<rows.wordCount {
      before[word] = total
      CountedRows.forEach(rows.bits(ofWord: word), from: word &* 64) { Self.add(values, weights, $0, to: &total) }
    }
    before[rows.wordCount] = total
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

// MARK: - Order

extension Column {
  /// The value that a key stands for.
  fileprivate func value(ofKey key: UInt64) -> AttributeValue {
    switch values {
    case .integers(let integers):
      value(ofInteger: integers.base &+ Int64(truncatingIfNeeded: key), of: integers)
    case .reals: .number(AttributeColumn.text(of: OrderedKeys.real(of: key)))
    case .entries(let entries): entries.dictionary.value(ofEntry: Int(key)) ?? .null
    }
  }
}

private struct ExtremeValue: AggregateEvaluator {
  let isGreatest: Bool
  let rows: CountedRows
  let column: Column
  let keys: OrderedKeys
  let extremes: Extremes

  init(isGreatest: Bool, tree: ClusterTree, rows: CountedRows, column: Column) {
    (self.isGreatest, self.rows, self.column) = (isGreatest, rows, column)
    let keys = OrderedKeys(of: column)
    self.keys = keys
    extremes = tree.prepared([column.name]) { Extremes(of: keys, rows) }
  }

  func value(of range: Range<Int>) -> AggregateValue {
    let pair = extremes.pair(of: range, of: keys, rows)
    if pair.least > pair.greatest { return .none }
    return .value(column.value(ofKey: isGreatest ? pair.greatest : pair.least))
  }
}

private struct OrderStatistic: AggregateEvaluator {
  let function: Aggregate.Function
  let rows: CountedRows
  let column: Column
  let keys: OrderedKeys

  init(function: Aggregate.Function, rows: CountedRows, column: Column) {
    (self.function, self.rows, self.column, keys) = (function, rows, column, OrderedKeys(of: column))
  }

  var readsRows: Bool { true }

  func value(of range: Range<Int>) -> AggregateValue {
    var found: [UInt64] = []
    found.reserveCapacity(range.count)
    rows.forEach(in: range) { row in
      let key = keys[row]
      if key != OrderedKeys.missing { found.append(key) }
    }
    if found.isEmpty { return .none }
    guard case .percentile(let percent) = function else { return median(of: &found) }
    let rank = Int((percent / 100 * Double(found.count)).rounded(.up))
    return .value(column.value(ofKey: found.selected(max(rank, 1) - 1)))
  }

  private func median(of found: inout [UInt64]) -> AggregateValue {
    let lower = found.selected((found.count - 1) / 2)
    guard column.kind == .number, found.count % 2 == 0 else { return .value(column.value(ofKey: lower)) }
    let upper = found[(found.count / 2)...].min()!
    switch column.values {
    case .integers(let integers):
      let sum = Int128(lower) + Int128(upper) + 2 * Int128(integers.base)
      // Half of it has one decimal more.
      return .decimal(5 * sum, digits: integers.digits + 1)
    default:
      let (a, b) = (OrderedKeys.real(of: lower), OrderedKeys.real(of: upper))
      return .number(a / 2 + b / 2)
    }
  }
}

extension [UInt64] {
  /// The element that would be at an index if they were sorted; it is there afterwards, what is less before it and what
  /// is greater behind it (C. A. R. Hoare, 1961).
  fileprivate mutating func selected(_ index: Int) -> UInt64 {
    var (low, high) = (0, count - 1)
    while low < high {
      // Of three, so that sorted ones are no bad case; a bad case is slow but right.
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

// MARK: - Different values

private struct DistinctValues: AggregateEvaluator {
  let function: Aggregate.Function
  let rows: CountedRows
  let column: Column
  let keys: OrderedKeys
  /// Of few different codes, prepared counts; nil where rows are read.
  let counts: (codes: PackedIntegers, prepared: ValueCounts)?
  /// Which entries of a dictionary are values.
  let isPresent: [Bool]?
  /// The values of entries, where their counts are told.
  let entryValues: EntryTexts?
  let sums: IntegerSums?

  init(function: Aggregate.Function, tree: ClusterTree, rows: CountedRows, column: Column) {
    (self.function, self.rows, self.column, keys) = (function, rows, column, OrderedKeys(of: column))
    var found: (PackedIntegers, Int)?
    var sums: IntegerSums?
    switch column.values {
    case .entries(let entries):
      found = (entries.codes, entries.dictionary.entryCount)
    case .integers(let integers) where integers.codes.width == 1: found = (integers.codes, 255)
    case .integers(let integers) where function == .count:
      sums = tree.prepared([column.name]) { IntegerSums(of: integers, rows) }
    default: break
    }
    self.sums = sums
    isPresent =
      if case .entries(let entries) = column.values, column.kind != .category { entries.isPresent } else { nil }
    entryValues =
      if case .entries(let entries) = column.values, function != .distinct, function != .count,
        entries.dictionary.entryCount <= ValueCounts.maximumCodeCount
      { tree.withStorage { $0.prepared.value(of: [column.name]) { EntryTexts(of: entries.dictionary) } } } else { nil }
    if let (codes, count) = found, count <= ValueCounts.maximumCodeCount {
      counts = (codes, tree.prepared([column.name]) { ValueCounts(of: codes, codeCount: count, rows) })
    } else {
      counts = nil
    }
  }

  var readsRows: Bool { counts == nil && sums == nil }

  func value(of range: Range<Int>) -> AggregateValue {
    if let sums, case .integers(let integers) = column.values {
      return .integer(sums.sums(of: range, of: integers, rows).count)
    }
    guard let (codes, prepared) = counts else {
      var found = counted(range)
      return found.withUnsafeMutableBufferPointer { value(ofCounted: $0) }
    }
    return withUnsafeTemporaryAllocation(of: UInt32.self, capacity: prepared.codeCount + 1) { counts in
      prepared.count(range, of: codes, rows, into: counts)
      return withUnsafeTemporaryAllocation(of: KeyCount.self, capacity: prepared.codeCount) { found in
        var length = 0
        for code in 0..<prepared.codeCount where counts[code] > 0 && isPresent?[code] ?? true {
          found.initializeElement(at: length, to: KeyCount(key: UInt64(code), count: Int(counts[code])))
          length += 1
        }
        return value(ofCounted: UnsafeMutableBufferPointer(rebasing: found[..<length]))
      }
    }
  }

  /// A key, and how many rows have it.
  private struct KeyCount {
    var key: UInt64
    var count: Int

    /// The most frequent first, of equals the least.
    @inline(__always) static func < (a: KeyCount, b: KeyCount) -> Bool {
      a.count > b.count || a.count == b.count && a.key < b.key
    }
  }

  /// - Parameter found: The keys that there are, in order. Their order changes.
  private func value(ofCounted found: UnsafeMutableBufferPointer<KeyCount>) -> AggregateValue {
    var found = found
    switch function {
    case .count: return .integer(found.reduce(0) { $0 + $1.count })
    case .distinct: return .integer(found.count)
    case .mode:
      // Of equals the least, which comes first.
      guard var most = found.first else { return .none }
      for other in found where other.count > most.count { most = other }
      return .value(value(ofKey: most.key))
    default:
      let most = if case .top(let count) = function { min(count, found.count) } else { found.count }
      if most <= 16 { Self.bringForward(most, of: found) } else { found.sort(by: <) }
      return .counts((0..<most).map { .init(value: value(ofKey: found[$0].key), count: found[$0].count) })
    }
  }

  /// Brings the first few to the front, in order, each by going through those before it.
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

  /// The keys that there are, in order, and how many rows have each, row by row.
  private func counted(_ range: Range<Int>) -> [KeyCount] {
    var found: [UInt64] = []
    rows.forEach(in: range) { row in
      let key = keys[row]
      if key != OrderedKeys.missing { found.append(key) }
    }
    found.sort()
    var counted: [KeyCount] = []
    for key in found {
      if counted.last?.key == key {
        counted[counted.count - 1].count += 1
      } else {
        counted.append(KeyCount(key: key, count: 1))
      }
    }
    return counted
  }
}

/// The values of a dictionary's entries.
private final class EntryTexts: Sendable {
  let values: [AttributeValue]

  init(of dictionary: ColumnDictionary) {
    values = (0..<dictionary.entryCount).map { dictionary.value(ofEntry: $0) ?? .null }
  }
}
