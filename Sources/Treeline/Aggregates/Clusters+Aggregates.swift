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
    var evaluators: [any AggregateEvaluator] = []
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

/// An evaluator of an aggregate over rows. Each kind of aggregate has its own type of evaluator.
protocol AggregateEvaluator {
  /// Whether the evaluator reads rows one by one. Such an evaluator may read at most `Aggregate.maximumRowsRead` rows
  /// for all clusters of an answer together.
  var readsRows: Bool { get }

  /// Returns the aggregate of the counted rows in a range of tree order. Rows that fail the filter are not counted.
  func value(of range: Range<Int>) throws(CancellationError) -> AggregateValue
}

extension AggregateEvaluator {
  var readsRows: Bool { false }

  fileprivate func write(valuesOf nodes: [Node], to next: inout UnsafeMutablePointer<AggregateValue>)
    throws(CancellationError)
  {
    let mayStop = Cancellation.isPossible
    for node in nodes {
      if mayStop { try Cancellation.check() }
      next.initialize(to: try value(of: node.range))
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

  fileprivate func evaluator(for tree: ClusterTree, _ rows: CountedRows) throws(AggregateError)
    -> any AggregateEvaluator
  {
    do { return try cancellableEvaluator(for: tree, rows) } catch let error as AggregateError { throw error } catch {
      throw .cancelled
    }
  }

  /// - Throws: `AggregateError`, `CancellationError`
  private func cancellableEvaluator(for tree: ClusterTree, _ rows: CountedRows) throws -> any AggregateEvaluator {
    guard let name = self.column else { return PointCount(tree: tree) }
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
        let mean = try WeightedMean(
          tree: tree, rows: rows, column: column, values: values, weights: weights, weightValues)
        guard mean.isExact else { throw AggregateError.tooLarge(aggregate: "\(self)") }
        return mean
      }
      switch column.values {
      case .integers(let values):
        return try IntegerMoments(function: function, tree: tree, rows: rows, column: column, values: values)
      case .reals(let values):
        return try RealMoments(function: function, tree: tree, rows: rows, column: column, values: values)
      case .entries: throw unsuited("a column of numbers", column)
      }
    case .min, .max:
      return try ExtremeValue(isGreatest: function == .max, tree: tree, rows: rows, column: column)
    case .first where weight == nil: return try FirstValue(tree: tree, rows: rows, column: column)
    case .first, .last:
      return try ValueAtExtreme(
        isGreatest: function == .first, tree: tree, rows: rows, column: column, order: found(weight!, in: tree))
    case .any, .all:
      guard column.kind == .boolean, case .integers(let values) = column.values else {
        throw unsuited("a column of booleans", column)
      }
      return try IntegerMoments(function: function, tree: tree, rows: rows, column: column, values: values)
    case .count:
      switch column.values {
      case .integers(let values):
        return try IntegerMoments(function: function, tree: tree, rows: rows, column: column, values: values)
      case .reals(let values):
        return try RealMoments(function: function, tree: tree, rows: rows, column: column, values: values)
      case .entries: return try DistinctValues(function: function, tree: tree, rows: rows, column: column)
      }
    case .distinct:
      if rows.areAll, let links = column.links { return LinkedValues(links: links) }
      return try DistinctValues(function: function, tree: tree, rows: rows, column: column)
    case .counts, .top, .mode:
      return try DistinctValues(function: function, tree: tree, rows: rows, column: column)
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

// MARK: - Counts of points

private struct PointCount: AggregateEvaluator {
  let tree: ClusterTree

  func value(of range: Range<Int>) -> AggregateValue {
    .integer(tree.selection?.points.count(in: range) ?? range.count)
  }
}
