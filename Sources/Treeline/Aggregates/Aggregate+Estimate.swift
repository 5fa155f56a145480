extension ClusterTree {
  /// Returns an upper bound for the cost of `Clusters.values(of:)` for an answer. An aggregate of a column that the
  /// tree lacks is estimated like `Aggregate.count`.
  ///
  /// - Parameters:
  ///   - aggregates: The aggregates to compute.
  ///   - clusterCount: Greatest number of clusters in the answer.
  ///   - pointCount: Greatest number of points in all clusters of the answer together; nil to assume all points that
  ///     pass the filter.
  /// - Complexity: O(aggregates)
  @_spi(Server) public func estimate(of aggregates: [Aggregate], clusterCount: Int, pointCount: Int? = nil)
    -> WorkEstimate
  {
    let points = max(min(pointCount ?? filteredPointCount, filteredPointCount), 0)
    let answer = AnswerSize(clusters: max(min(clusterCount, points), 0), points: points)
    return aggregates.reduce(WorkEstimate()) { $0 + estimate(of: $1, for: answer) }
  }

  /// Returns an upper bound for the cost of `histogram(of:bins:scale:in:)`.
  @_spi(Server) public func estimate(ofHistogramOf name: String) -> WorkEstimate {
    var estimate = WorkEstimate()
    estimate.add(2, for: filteredPointCount)
    guard let column = column(name) else { return estimate }
    let isPrepared = withStorage { storage in
      storage.prepared.has(IntegerExtent.self, of: [column.name])
        || storage.prepared.has(RealExtent.self, of: [column.name])
    }
    if !isPrepared { estimate.add(1, for: self.pointCount) }
    return estimate
  }

  private struct AnswerSize {
    let clusters: Int
    let points: Int
  }

  /// Number of steps that it takes to read the value of a point, and to sort this value among the values of the
  /// cluster.
  private static let stepsPerRowRead = 60
  /// Number of steps for converting a value to text.
  private static let stepsPerValue = 150
  /// Number of bytes of a value, without the bytes of its text.
  private static let bytesPerValue = 24

  private func estimate(of aggregate: Aggregate, for answer: AnswerSize) -> WorkEstimate {
    var estimate = WorkEstimate()
    estimate.add(200, for: answer.clusters)
    estimate.addValues(Self.bytesPerValue, for: answer.clusters)
    guard let name = aggregate.column, let column = column(name) else { return estimate }
    switch (aggregate.function.work, column.values) {
    case (.counts, _), (.sums, .entries):
      add(aggregate.function, of: column, for: answer, to: &estimate)
    case (.ranks, _):
      estimate.add(Self.stepsPerValue + 64 * 20, for: answer.clusters)
      if selection != nil || column.ranks == nil { estimate.add(Self.stepsPerRowRead, for: answer.points) }
    case (.extremes, _):
      estimate.add(1000, for: answer.clusters)
      if !isPrepared(RowSummaries<ExtremeKeys>.self, [name]) {
        estimate.add(column.dictionary == nil ? 3 : 10, for: filteredPointCount)
      }
    case (.rows, _) where aggregate.weight == nil:
      estimate.add(1000, for: answer.clusters)
      if !isPrepared(RowSummaries<FirstRow>.self, [name]) { estimate.add(10, for: filteredPointCount) }
    case (.rows, _):
      estimate.add(2000, for: answer.clusters)
      if !isPrepared(RowSummaries<ExtremeRows>.self, aggregate.columnNames) {
        estimate.add(20, for: filteredPointCount)
      }
    case (.sums, .reals):
      // Sums are prepared only for whole blocks of rows. So at each end of a cluster's range, up to one block of rows
      // is read, too.
      estimate.add(4000, for: answer.clusters)
      if !isPrepared(RealSums.self, [name]) { estimate.add(8, for: filteredPointCount) }
      if aggregate.function == .variance { estimate.add(10, for: answer.points) }
    case (.sums, .integers):
      estimate.add(200, for: answer.clusters)
      let names = aggregate.columnNames
      if !isPrepared(IntegerSums.self, names), !isPrepared(ProductSums.self, names) {
        estimate.add(6, for: filteredPointCount)
      }
    }
    if [.extremes, .rows].contains(aggregate.function.work) {
      addTexts(of: column, count: answer.clusters, to: &estimate)
    }
    return estimate
  }

  private func isPrepared(_ type: (some PreparedValues).Type, _ columns: [String]) -> Bool {
    if let selection { return selection.prepared.has(type, of: columns) }
    return withStorage { $0.prepared.has(type, of: columns) }
  }

  /// Adds the cost of counting different values.
  private func add(
    _ function: Aggregate.Function, of column: Column, for answer: AnswerSize, to estimate: inout WorkEstimate
  ) {
    if function == .distinct, selection == nil, column.links != nil {
      return estimate.add(64 * 20, for: answer.clusters)
    }
    /// Upper bound of the number of different values in the column.
    let distinct =
      switch column.values {
      case .entries(let entries): entries.dictionary.entryCount
      case .integers(let integers): integers.codes.width == 1 ? 255 : pointCount
      case .reals: pointCount
      }
    let isCounted =
      distinct <= ValueCounts.maximumCodeCount && (column.dictionary != nil || distinct == 255)
    let inAll = WorkEstimate.product(answer.clusters, distinct)
    /// Upper bound of the number of different values in each cluster, summed over all clusters. The sum is never
    /// greater than the number of points.
    let counted = min(inAll, answer.points)
    if isCounted {
      // For each cluster, the counts of all values are read. Rows at both ends of the cluster's range are read, too,
      // at most a block of rows at each end.
      estimate.add(10, for: min(inAll, 16 * answer.points))
      estimate.add(Self.stepsPerRowRead, for: counted)
      if !isPrepared(ValueCounts.self, [column.name]) { estimate.add(3, for: filteredPointCount) }
      if let dictionary = column.dictionary { estimate.add(Self.stepsPerValue, for: dictionary.entryCount) }
    } else {
      estimate.add(Self.stepsPerRowRead, for: answer.points)
    }
    let told =
      switch function {
      case .counts: counted
      case .top(let count): min(counted, WorkEstimate.product(answer.clusters, max(count, 0)))
      case .mode: answer.clusters
      default: 0
      }
    if !isCounted { estimate.add(Self.stepsPerValue, for: told) }
    addTexts(of: column, count: told, to: &estimate)
  }

  /// Adds the bytes of `count` values of a column. Assumes that each text has the mean length of the column's distinct
  /// texts. So the estimate is exact if each text occurs once.
  private func addTexts(of column: Column, count: Int, to estimate: inout WorkEstimate) {
    let meanLength = column.dictionary.map { $0.textByteCount / max($0.entryCount, 1) } ?? 0
    estimate.addValues(Self.bytesPerValue + meanLength, for: count)
  }
}
