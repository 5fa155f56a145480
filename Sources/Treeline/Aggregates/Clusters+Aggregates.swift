extension Clusters {
  /// Returns aggregates of the values of each cluster's points. The result has one list for each cluster. A list has
  /// one value for each aggregate, in the order of `aggregates`. Under a filter, points that fail the filter are left
  /// out.
  ///
  /// The time depends on the aggregate:
  /// - Some aggregates are prepared in O(pointCount) when they are first used: sums, means, variances of decimals,
  ///   extremes, and counts of values in a column with few different values. Each of these aggregates then takes O(1)
  ///   or O(log pointCount) for a cluster.
  /// - Without a filter, medians, percentiles and distinct counts take O(log pointCount) for a cluster if the index was
  ///   built with `+percentiles` or `+distinct` for the column.
  /// - All other aggregates read the points one by one. These are variances of doubles, counts of values in a column
  ///   with many different values, and medians, percentiles and distinct counts with a filter or without such an
  ///   index.
  ///
  /// - Throws: `AggregateError` if a column is missing, if an aggregate does not apply to the column's kind, or if more
  ///   than 16,777,216 points would have to be read one by one.
  public func values(of aggregates: [Aggregate]) throws -> [[AggregateValue]] {
    let rows = CountedRows(of: tree)
    var evaluators: [AggregateEvaluator] = []
    for aggregate in aggregates {
      if Cancellation.isCancelled { throw AggregateError.cancelled }
      let evaluator = try aggregate.evaluator(for: tree, rows)
      if evaluator.readsRows {
        let found = nodes.reduce(0) { $0 + tree.passingCount(of: $1) }
        guard found <= Aggregate.maximumRowsRead else {
          throw AggregateError.tooManyRows(aggregate: "\(aggregate)", found: found, maximum: Aggregate.maximumRowsRead)
        }
      }
      evaluators.append(evaluator)
    }
    let values: [[AggregateValue]]? = withExtendedLifetime(tree) {
      // Computes all results of the first aggregate, then all results of the next aggregate, and so on. Then puts each
      // result into the list of its cluster.
      withUnsafeTemporaryAllocation(of: AggregateValue.self, capacity: nodes.count * evaluators.count) { values in
        let start = values.baseAddress!
        var next = start
        do throws(CancellationError) {
          for evaluator in evaluators { try evaluator.write(valuesOf: nodes, to: &next) }
        } catch {
          start.deinitialize(count: next - start)
          return nil
        }
        return nodes.indices.map { index in evaluators.indices.map { (start + $0 * nodes.count + index).move() } }
      }
    }
    guard let values else { throw AggregateError.cancelled }
    return values
  }
}

extension ClusterTree {
  /// Returns aggregates of the values of one cluster's points.
  ///
  /// - Precondition: the cluster is from this tree.
  public func values(of aggregates: [Aggregate], for cluster: Cluster) throws -> [AggregateValue] {
    try noClusters.with([node(cluster.id)]).values(of: aggregates)[0]
  }
}

/// An evaluator of an aggregate over rows. For each kind of aggregate, there is a function that makes an evaluator.
struct AggregateEvaluator {
  /// Whether the evaluator reads rows one by one. Such an evaluator may read at most `Aggregate.maximumRowsRead` rows
  /// for all clusters of an answer together.
  var readsRows = false

  /// Returns the aggregate of the counted rows in a range of tree order. Rows that fail the filter are not counted.
  let value: (Range<Int>) throws(CancellationError) -> AggregateValue

  fileprivate func write(valuesOf nodes: [Node], to next: inout UnsafeMutablePointer<AggregateValue>)
    throws(CancellationError)
  {
    let mayStop = Cancellation.isPossible
    for node in nodes {
      if mayStop { try Cancellation.check() }
      next.initialize(to: try value(node.range))
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
  /// Greatest number of points that an aggregate reads one by one for an answer.
  package static let maximumRowsRead = 1 << 24

  fileprivate func evaluator(for tree: ClusterTree, _ rows: CountedRows) throws(AggregateError) -> AggregateEvaluator {
    do { return try cancellableEvaluator(for: tree, rows) } catch let error as AggregateError { throw error } catch {
      throw .cancelled
    }
  }

  /// - Throws: `AggregateError`, `CancellationError`
  private func cancellableEvaluator(for tree: ClusterTree, _ rows: CountedRows) throws -> AggregateEvaluator {
    guard let name = self.column else {
      return AggregateEvaluator { range in .integer(tree.selection?.points.count(in: range) ?? range.count) }
    }
    let column = try found(name, in: tree)
    func unsuited(_ expected: String, _ column: Column) -> AggregateError {
      .unsuited(aggregate: "\(self)", column: column.name, kind: column.kind, expected: expected)
    }
    let isNumber = column.kind == .number || column.kind == .boolean
    switch function {
    case .top(let count) where count < 1:
      throw AggregateError.outOfRange(aggregate: "\(self)", expected: "1 value or more", found: "\(count)")
    case .percentile(let percent) where !(0...100 ~= percent):
      throw AggregateError.outOfRange(
        aggregate: "\(self)", expected: "a percentage from 0 to 100", found: ParameterValue.text(percent))
    default: break
    }
    switch function {
    case .sum, .mean, .variance:
      guard isNumber else { throw unsuited("a column of numbers", column) }
      if let weight {
        let weights = try found(weight, in: tree)
        guard case .integers(let values) = column.values else {
          throw unsuited("a column whose numbers are stored as exact decimals, not as doubles", column)
        }
        guard case .integers(let weightValues) = weights.values, weights.kind == .number else {
          throw unsuited("a column of weights that are stored as exact decimals, not as doubles", weights)
        }
        let sums = try tree.prepared([column.name, weights.name]) { () throws(CancellationError) in
          try ProductSums(of: values, weightValues, rows)
        }
        guard sums.areExact(digits: values.digits) else { throw AggregateError.tooLarge(aggregate: "\(self)") }
        return .weightedMean(rows, values, weightValues, sums)
      }
      guard let moments = try moments(of: column, in: tree, rows) else { throw unsuited("a column of numbers", column) }
      return moments
    case .min, .max: return try .extremeValue(isGreatest: function == .max, tree, rows, column)
    case .first where weight == nil: return try .firstValue(tree, rows, column)
    case .first, .last:
      return try .valueAtExtreme(
        isGreatest: function == .first, tree, rows, column, order: found(weight!, in: tree))
    case .any, .all:
      guard column.kind == .boolean, let moments = try moments(of: column, in: tree, rows) else {
        throw unsuited("a column of booleans", column)
      }
      return moments
    case .count:
      if let moments = try moments(of: column, in: tree, rows) { return moments }
      return try .distinctValues(function, tree, rows, column)
    case .distinct:
      // The link of a row leads to the previous row with an equal value in the column. So each value is counted once,
      // at its first row in a range.
      if rows.areAll, let links = column.links {
        return AggregateEvaluator { range in .integer(links.distinctCount(in: range)) }
      }
      return try .distinctValues(function, tree, rows, column)
    case .counts, .top, .mode: return try .distinctValues(function, tree, rows, column)
    case .median, .percentile: return .orderStatistic(function, rows, column)
    }
  }

  /// Returns the evaluator of an aggregate that is computed from sums of a column of numbers or booleans; nil for any
  /// other column.
  private func moments(of column: Column, in tree: ClusterTree, _ rows: CountedRows) throws(CancellationError)
    -> AggregateEvaluator?
  {
    switch column.values {
    case .integers(let values): try .integerMoments(function, tree, rows, column, values)
    case .reals(let values): try .realMoments(function, tree, rows, column, values)
    case .entries: nil
    }
  }

  private func found(_ name: String, in tree: ClusterTree) throws(AggregateError) -> Column {
    guard let column = tree.column(name) else {
      throw .unknownColumn(name: name, known: tree.columns.map(\.name))
    }
    return column
  }
}

extension ClusterTree {
  /// Returns the values that are prepared from `columns` for the counted points. Points that fail the filter are not
  /// counted. Calls `make` if the values are not in the cache.
  func prepared<Prepared: PreparedValues>(_ columns: [String], make: () throws(CancellationError) -> Prepared)
    throws(CancellationError) -> Prepared
  {
    if let selection { return try selection.prepared.value(of: columns, make: make) }
    return try preparedOfAll(columns, make: make)
  }

  /// Returns the values that are prepared from `columns` for all points, including points that fail the filter. Calls
  /// `make` if the values are not in the cache.
  func preparedOfAll<Prepared: PreparedValues>(_ columns: [String], make: () throws(CancellationError) -> Prepared)
    throws(CancellationError) -> Prepared
  {
    try withStorage { storage throws(CancellationError) in try storage.prepared.value(of: columns, make: make) }
  }
}
