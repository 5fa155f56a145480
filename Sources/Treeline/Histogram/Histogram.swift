/// How many points have values in each of some bins of a column.
///
/// Bins lie side by side and begin at round values: multiples of 1, 2 or 5 times a power of ten, or, of times, whole
/// minutes, hours, days, weeks from Monday, months and years in UTC.
public struct Histogram: Hashable, Sendable {
  /// The name of the column.
  public let column: String

  /// Where bins begin, and last where the last one ends: numbers, or times as texts. None if no point has a value.
  ///
  /// A bin holds its beginning and not its end.
  public let edges: [AttributeValue]

  /// How many points have a value in each bin: one fewer than there are edges.
  public let counts: [Int]

  /// How many points have no value.
  public let missingCount: Int

  /// The edges as filters compare with them.
  let values: [FilterValue]

  init(column: String, values: [FilterValue], counts: [Int], missingCount: Int) {
    (self.column, self.values, self.counts, self.missingCount) = (column, values, counts, missingCount)
    edges = values.map(\.attributeValue)
  }

  /// What the points pass that are in some bins, such as those that somebody has brushed over. No tree is filtered by
  /// bins that are not there, or by none: `selecting(_:)` throws.
  public func filter(ofBins bins: Range<Int>) -> Filter {
    guard bins.lowerBound >= 0, bins.upperBound <= counts.count, !bins.isEmpty else {
      return .where(column, .equals, .unusable("the bins \(bins) of \(counts.count)"))
    }
    return .where(column, .isAtLeast, values[bins.lowerBound]) && .where(column, .isLess, values[bins.upperBound])
  }
}

extension ClusterTree {
  /// How many of the points in view have values in each of some bins of a column, under a filter of those that pass.
  ///
  /// The bins hold all values of the column, in view or not, whether they pass or not: they stay as they are while the
  /// map is moved and filters change. Their step is the least round one with so many bins or fewer.
  ///
  /// ```swift
  /// let histogram = try tree.histogram(of: "opened", bins: 60, in: view)
  /// let brushed = try tree.selecting(histogram.filter(ofBins: 12..<24))
  /// ```
  ///
  /// - Parameters:
  ///   - name: Of a column of numbers or times.
  ///   - bins: The most bins, from 2 to 1,000; `AggregateError.outOfRange` is thrown for another number.
  ///   - viewport: What is looked at.
  /// - Throws: `AggregateError` where the tree has no such column, it is of another kind, or more than
  ///   `Aggregate.maximumRowsRead` points are in view; `QueryError` as queries do; `IndexError` where a file is
  ///   damaged.
  /// - Complexity: O(points in view that count), 1 to 2 ns each, and, the first time, O(pointCount) for the extent of
  ///   the column.
  public func histogram(of name: String, bins: Int = 50, in viewport: Viewport = .everything) throws -> Histogram {
    guard 2...1000 ~= bins else {
      throw AggregateError.outOfRange(aggregate: "histogram(\(name))", expected: "2 to 1,000 bins", found: "\(bins)")
    }
    let window = try viewport.located(on: plane)?.window
    return try histogram(of: name, bins: bins, in: window)
  }

  /// The same for a part of the plane; nil is none of it.
  package func histogram(of name: String, bins: Int, in window: PlaneWindow?) throws -> Histogram {
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
        return Histogram(of: column, integers, extent, bins: bins, over: ranges, rows)
      case (.reals(let reals), _):
        let extent = storage.prepared.value(of: [name]) { RealExtent(of: reals, count: pointCount) }
        try Cancellation.check()
        return Histogram(of: column, reals, extent, bins: bins, over: ranges, rows)
      default:
        throw AggregateError.unsuited(
          aggregate: "histogram(\(name))", column: name, kind: column.kind, expected: "a column of numbers or times")
      }
    }
  }
}

extension ClusterTree {
  /// How many points are in view, under a filter of those that pass: strictly, without those of clusters in view that
  /// lie outside.
  ///
  /// - Throws: `QueryError` as queries do; `IndexError` where a file is damaged.
  /// - Complexity: O(nodes that lie across the edges of the view)
  public func pointCount(in viewport: Viewport) throws -> Int {
    guard let window = try viewport.located(on: plane)?.window else { return 0 }
    return try pointCount(in: window)
  }

  /// The same for a part of the plane.
  package func pointCount(in window: PlaneWindow) throws -> Int {
    try withStorage { storage in
      try storage.treeIndices(in: window).reduce(0) { $0 + (selection?.points.count(in: $1) ?? $1.count) }
    }
  }
}

extension TreeStorage {
  /// The tree indices of the points in a window, as ranges in order.
  ///
  /// - Complexity: O(nodes that lie across its edges)
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
  /// As a column has it.
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
