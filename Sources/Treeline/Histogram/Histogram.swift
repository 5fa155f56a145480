/// The number of points in each bin of a column's values.
///
/// Bins are adjacent and begin at round values. For numbers, these values are multiples of 1, 2 or 5 times a power of
/// ten. For times, they are round fractions of a second, whole seconds, minutes, hours, days, weeks from Monday,
/// months or years in UTC.
public struct Histogram: Hashable, Sendable {
  /// The widths of bins.
  public enum Scale: String, CaseIterable, Hashable, Sendable {
    /// All bins have the same width.
    case even
    /// Bins get wider with the distance from 0. They begin at a few multiples of each power of ten, or at 0. This
    /// scale suits columns whose values differ by powers of ten, such as populations. Columns of times always use the
    /// scale `even`.
    case logarithmic
  }

  /// The name of the column.
  package let column: String

  /// The beginning of each bin, and then the end of the last bin. The edges of a column of times are texts. All other
  /// edges are numbers. The array is empty if the column has no values.
  ///
  /// A bin includes its beginning but not its end.
  public let edges: [AttributeValue]

  /// Number of points in each bin. `edges` has one element more than `counts`.
  public let counts: [Int]

  /// Number of points without a value.
  public let missingCount: Int

  /// The edges, as values for filters.
  let values: [FilterValue]

  init(column: String, values: [FilterValue], counts: [Int], missingCount: Int) {
    (self.column, self.values, self.counts, self.missingCount) = (column, values, counts, missingCount)
    edges = values.map(\.attributeValue)
  }

  /// Returns a filter for the points in a range of bins, such as a range that a user has selected on a chart. If the
  /// range is empty or contains bins that do not exist, `filtered(by:)` throws.
  public func filter(ofBins bins: Range<Int>) -> Filter {
    guard bins.lowerBound >= 0, bins.upperBound <= counts.count, !bins.isEmpty else {
      return .where(column, .equals, .unusable("the bins \(bins) of a histogram with \(counts.count) bins"))
    }
    return .where(column, .isAtLeast, values[bins.lowerBound]) && .where(column, .isLess, values[bins.upperBound])
  }
}

extension ClusterTree {
  /// For each bin of a column's values, returns the number of points in view. Under a filter, only points that pass
  /// are counted.
  ///
  /// The bins cover all values of the column, even the values of points that are out of view or fail the filter. So
  /// the bins stay the same when the map moves or the filter changes. The width of the bins is the smallest round
  /// width with which at most `bins` bins are needed.
  ///
  /// ```swift
  /// let histogram = try tree.histogram(of: "opened", bins: 60, in: view)
  /// let brushed = try tree.filtered(by: histogram.filter(ofBins: 12..<24))
  /// ```
  ///
  /// - Parameters:
  ///   - name: Name of a column of numbers or times.
  ///   - bins: Greatest number of bins, from 2 to 1,000. Any other number throws `AggregateError`.
  ///   - scale: The widths of the bins. On the logarithmic scale, there are more bins than `bins` if the values span
  ///     too many powers of ten.
  ///   - viewport: The part of the map in view.
  /// - Throws: `AggregateError` if the tree has no column of this name, the column has neither numbers nor times, or
  ///   more than 16,777,216 points are in view; `QueryError` if the viewport is not valid; `IndexError` if a file is
  ///   damaged.
  /// - Complexity: O(counted points in view), 1 to 2 ns for each point. The first histogram of a column also takes
  ///   O(pointCount) to find the column's extent.
  public func histogram(
    of name: String, bins: Int = 50, scale: Histogram.Scale = .even, in viewport: Viewport = .everything
  ) throws -> Histogram {
    guard 2...1000 ~= bins else {
      throw AggregateError.outOfRange(aggregate: "histogram(\(name))", expected: "2 to 1,000 bins", found: "\(bins)")
    }
    let window = try viewport.located(on: plane)?.window
    return try histogram(of: name, bins: bins, scale: scale, in: window)
  }

  /// Returns a histogram of the points in a part of the plane. If `window` is nil, no points are counted.
  func histogram(
    of name: String, bins: Int, scale: Histogram.Scale = .even, in window: PlaneWindow?
  ) throws -> Histogram {
    guard let column = column(name) else {
      throw AggregateError.unknownColumn(name: name, known: columns.map(\.name))
    }
    return try withStorage { storage in
      let ranges = try window.map { window throws(IndexError) in try storage.treeIndices(in: window) } ?? []
      let found = ranges.reduce(0) { $0 + (selection?.points.count(in: $1) ?? $1.count) }
      guard found <= Aggregate.maximumRowsRead else {
        throw AggregateError.tooManyRows(
          aggregate: "histogram(\(name))", found: found, maximum: Aggregate.maximumRowsRead)
      }
      let rows = CountedRows(of: self)
      switch (column.values, column.kind) {
      case (.integers(let integers), .number), (.integers(let integers), .time):
        let extent = storage.prepared.value(of: [name]) { IntegerExtent(of: integers) }
        try Cancellation.check()
        return Histogram(of: column, integers, extent, bins: bins, scale: scale, over: ranges, rows)
      case (.reals(let reals), _):
        let extent = storage.prepared.value(of: [name]) { RealExtent(of: reals, count: pointCount) }
        try Cancellation.check()
        return Histogram(of: column, reals, extent, bins: bins, scale: scale, over: ranges, rows)
      default:
        throw AggregateError.unsuited(
          aggregate: "histogram(\(name))", column: name, kind: column.kind, expected: "a column of numbers or times")
      }
    }
  }
}

extension ClusterTree {
  /// Returns the number of points in view. Under a filter, only points that pass are counted. Points outside the view
  /// are not counted, even if their cluster is in view.
  ///
  /// - Throws: `QueryError` if the viewport is not valid; `IndexError` if a file is damaged.
  /// - Complexity: O(nodes whose boxes cross the edges of the view)
  public func pointCount(in viewport: Viewport) throws -> Int {
    guard let window = try viewport.located(on: plane)?.window else { return 0 }
    return try pointCount(in: window)
  }

  /// Returns the number of points that each cluster of an answer has in view. Under a filter, only points that pass are
  /// counted.
  ///
  /// `Cluster.pointCount` includes points out of view. For a cluster at the edge of the view, `Cluster.pointCount` may
  /// be many times the number of points in view.
  ///
  /// - Precondition: the answer is from this tree.
  /// - Throws: As `pointCount(in:)`.
  /// - Complexity: O(clusters + nodes whose boxes cross the edges of the view)
  public func pointCounts(of clusters: Clusters, in viewport: Viewport) throws -> [Int] {
    guard let window = try viewport.located(on: plane)?.window else { return clusters.map { _ in 0 } }
    return try pointCounts(of: clusters, in: window)
  }

  /// Returns the number of points that each cluster of an answer has in a part of the plane.
  package func pointCounts(of clusters: Clusters, in window: PlaneWindow) throws -> [Int] {
    try withStorage { storage in
      let ranges = try storage.treeIndices(in: window)
      var next = 0
      return clusters.nodes.map { node in
        let range = node.range
        var (index, count) = (next, 0)
        while index < ranges.count, ranges[index].upperBound <= range.lowerBound { index += 1 }
        next = index
        while index < ranges.count, ranges[index].lowerBound < range.upperBound {
          let shared = ranges[index].clamped(to: range)
          count += selection?.points.count(in: shared) ?? shared.count
          index += 1
        }
        return count
      }
    }
  }

  /// Returns the number of points in a part of the plane. Under a filter, only points that pass are counted.
  package func pointCount(in window: PlaneWindow) throws -> Int {
    try withStorage { storage in
      try storage.treeIndices(in: window).reduce(0) { $0 + (selection?.points.count(in: $1) ?? $1.count) }
    }
  }
}

extension TreeStorage {
  /// Returns the tree indices of the points in a window, as sorted ranges.
  ///
  /// - Complexity: O(nodes whose boxes cross the window's edges)
  func treeIndices(in window: PlaneWindow) throws(IndexError) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    func append(_ range: Range<Int>) {
      if let last = ranges.last, last.upperBound == range.lowerBound {
        ranges[ranges.count - 1] = last.lowerBound..<range.upperBound
      } else {
        ranges.append(range)
      }
    }
    var waiting = [root].compactMap { $0 }
    while let node = waiting.popLast() {
      let box = nodes[Int(node.record)].box
      if window.contains(box) {
        append(node.range)
      } else if window.intersects(box) {
        if let (left, right) = isStored(node) ? try children(of: node) : nil {
          waiting.append(right)
          waiting.append(left)
        } else {
          guard node.count <= NodeRecord.bucketCapacity else { throw bucketOverfull(node.record) }
          for treeIndex in node.range where window.contains(points[treeIndex]) { append(treeIndex..<treeIndex + 1) }
        }
      }
    }
    return ranges
  }
}

extension FilterValue {
  /// The value, converted to the type of a column's values.
  fileprivate var attributeValue: AttributeValue {
    switch content {
    case .text(let text): .string(text)
    case .number(let number): .number("\(number)")
    case .boolean(let flag): .bool(flag)
    case .instant(let instant): .string("\(instant)")
    case .date(let instant): .string(instant.dateText)
    case .unusable: .null
    }
  }
}
