/// A filter prepared for a tree. It consists of bit masks and of tests of columns, and contains no negations.
///
/// In SQL's logic, a condition is true, false or unknown. The test of a missing value gives unknown. A point passes
/// only if the whole filter is true. A bit shows only whether a condition is true, so an inverted bit would treat
/// unknown as true. Therefore negations are moved down to the tests by De Morgan's laws. A value passes a negated test
/// if the value is not missing and fails the original test.
indirect enum FilterPlan {
  case nothing
  case test(ColumnTest)
  /// One bit for each point, in tree order.
  case bits([UInt64])
  case all([FilterPlan])
  case any([FilterPlan])

  /// Writes the bits of all points. A bit is 1 if its point passes.
  ///
  /// - Complexity: O(pointCount) for each test.
  func fill(_ words: UnsafeMutableBufferPointer<UInt64>, rowCount: Int) throws(CancellationError) {
    let chunk = ColumnTest.wordsPerChunk
    let chunksPerLook = max(64 / max(testCount, 1), 1)
    let isDone = withUnsafeTemporaryAllocation(of: UInt64.self, capacity: chunk * (depth + 1)) { buffer in
      var (start, chunksToLook) = (0, 0)
      while start < words.count {
        if chunksToLook == 0 {
          if Cancellation.isCancelled { return false }
          chunksToLook = chunksPerLook
        }
        chunksToLook -= 1
        let end = min(start + chunk, words.count)
        run(start..<end, rowCount, into: buffer.baseAddress!)
        for index in start..<end { words[index] = buffer[index - start] }
        start = end
      }
      return true
    }
    if !isDone { throw CancellationError() }
  }

  /// Number of tests that are made for each row.
  private var testCount: Int {
    switch self {
    case .nothing, .test, .bits: 1
    case .all(let plans), .any(let plans): plans.reduce(0) { $0 + $1.testCount }
    }
  }

  /// Nesting depth of `all` and `any` in this plan; 0 for a single test. Running the plan takes one buffer for the
  /// result, and one more buffer for each level.
  var depth: Int {
    switch self {
    case .nothing, .test, .bits: 0
    case .all(let plans), .any(let plans): 1 + (plans.lazy.map(\.depth).max() ?? 0)
    }
  }

  /// Tests a list of rows. Writes 1 for each row that passes, and 0 for each row that fails.
  ///
  /// - Parameters:
  ///   - room: Maximum number of rows for which `result` has memory.
  ///   - result: Memory for `room` results, followed by `depth` buffers of `room` bytes each.
  func test(_ rows: UnsafeBufferPointer<UInt32>, room: Int, into result: UnsafeMutablePointer<UInt8>) {
    func combine(_ plans: [FilterPlan], _ first: UInt8, _ combined: (UInt8, UInt8) -> UInt8) {
      for index in rows.indices { result[index] = first }
      for plan in plans {
        plan.test(rows, room: room, into: result + room)
        for index in rows.indices { result[index] = combined(result[index], result[room + index]) }
      }
    }
    switch self {
    case .nothing: for index in rows.indices { result[index] = 0 }
    case .test(let test): test.run(rows, into: result)
    case .bits(let bits):
      for (index, row) in rows.enumerated() {
        result[index] = UInt8(truncatingIfNeeded: bits[Int(row >> 6)] &>> UInt64(row & 63) & 1)
      }
    case .all(let plans): combine(plans, 1, &)
    case .any(let plans): combine(plans, 0, |)
    }
  }

  /// - Parameter result: Memory for the words of a chunk, followed by `depth` buffers of the same size.
  private func run(_ words: Range<Int>, _ rowCount: Int, into result: UnsafeMutablePointer<UInt64>) {
    switch self {
    case .nothing: for index in 0..<words.count { result[index] = 0 }
    case .test(let test): test.run(words, rowCount: rowCount, into: result)
    case .bits(let bits): for index in 0..<words.count { result[index] = bits[words.lowerBound + index] }
    case .all(let plans): combine(plans, words, rowCount, into: result) { $0 & $1 }
    case .any(let plans): combine(plans, words, rowCount, into: result) { $0 | $1 }
    }
  }

  @inline(__always) private func combine(
    _ plans: [FilterPlan], _ words: Range<Int>, _ rowCount: Int, into result: UnsafeMutablePointer<UInt64>,
    _ combined: (UInt64, UInt64) -> UInt64
  ) {
    plans[0].run(words, rowCount, into: result)
    let other = result + ColumnTest.wordsPerChunk
    for plan in plans.dropFirst() {
      plan.run(words, rowCount, into: other)
      for index in 0..<words.count { result[index] = combined(result[index], other[index]) }
    }
  }
}

extension ClusterTree {
  /// Returns the tree under a filter: points that fail the filter are left out of all answers. If the tree already has
  /// a filter, points that fail either filter are left out.
  ///
  /// The filter is prepared once. Then any number of threads may query the returned tree like any other tree. Every
  /// guarantee about answers holds for the points that pass: each point in view is in exactly one cluster, no cluster
  /// is empty, and so on. Counts, means, boxes and ellipses describe the points that pass. Clusters keep the ids that
  /// they have without the filter, so turning a filter on or off is a `ClusterTransition` like any other.
  ///
  /// ```swift
  /// let hotels = try tree.filtered(by: .where("kind", .equals, "hotel"))
  /// let clusters = try hotels.clusters(.spacing(44), in: view)
  /// ```
  ///
  /// Filtering takes less time if the filter of `previous` is similar to the new filter, as with a moving window of
  /// time. Filters are similar if they differ only in their conditions on one column of numbers or times. A point
  /// *enters* if it passes only the new filter, and *leaves* if it passes only the previous filter. If at most a
  /// sixteenth of the points enter or leave, only these points are tested. The result is the same, to the last bit, as
  /// without `previous`. The points that enter or leave are found in the sorted order of the column. This order is
  /// made when it is first needed, and is then kept with the tree. Making the order takes 15 ns per point. The order
  /// takes 4 bytes of memory per point, and 20 bytes per point while it is made.
  ///
  /// ```swift
  /// var shown: ClusterTree?
  /// for month in months {
  ///   let window = try tree.filtered(by: .where("opened", in: month), reusing: shown)
  ///   ...
  ///   shown = window
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - filter: The condition that points must meet.
  ///   - previous: This tree with another filter, for reuse; nil to reuse nothing.
  /// - Throws: `FilterError` if the tree lacks a column that the filter names, if a condition does not suit the kind
  ///   of its column, or if the work is cancelled.
  /// - Precondition: `previous` was made from this tree.
  /// - Complexity: O(pointCount) for each condition, a few tenths of a nanosecond per point. O(points that enter or
  ///   leave + pointCount / 64) if the filter is similar to the previous filter. The filter takes 1.5 bits of memory
  ///   per point. The first request for means of clusters adds 2 bits per point. The first request for boxes or
  ///   ellipses adds 1 byte per point. Each of these two requests takes O(pointCount).
  public func filtered(by filter: Filter, reusing previous: ClusterTree? = nil) throws -> ClusterTree {
    try selecting(filter, reusing: previous)
  }

  private func selecting(_ filter: Filter, reusing previous: ClusterTree?) throws(FilterError) -> ClusterTree {
    precondition(
      previous.map(isSame) ?? true, "Expected a previous filter of this tree, found a filter of another tree")
    let previous = previous?.filterSelection
    let planner = FilterPlanner(tree: self)
    var added: [FilterTerm] = []
    for expression in filter.expression.conjuncts {
      if let known = previous?.terms?.first(where: { $0.expression.isSame(as: expression) }) {
        added.append(known)
      } else {
        added.append(FilterTerm(expression: expression, plan: try planner.plan(expression, isNegated: false)))
      }
    }
    let terms = filterSelection.map { selection in selection.terms.map { $0 + added } } ?? added
    do throws(CancellationError) {
      if let previous, let terms, let moved = try MovedSelection.selection(from: previous, to: terms, of: self) {
        return selecting(moved)
      }
      let plan = added.count == 1 ? added[0].plan : .all(added.map(\.plan))
      return selecting(
        try withStorage { storage throws(CancellationError) in
          try Selection(of: storage, terms: terms) { words throws(CancellationError) in
            try plan.fill(words, rowCount: storage.pointCount)
            if let selection { for index in words.indices { words[index] &= selection.words.bits[index] } }
          }
        })
    } catch {
      throw .cancelled
    }
  }

  /// Returns the tree in which only the points of marked rows remain. If the tree already has a filter, points that
  /// fail this filter are left out, too.
  ///
  /// - Complexity: O(pointCount).
  package func selecting(rows isMarked: (Int) -> Bool) -> ClusterTree {
    selecting(
      withStorage { storage in
        Selection(of: storage) { words in
          for index in 0..<storage.pointCount where passes(index) && isMarked(storage.rows[index]) {
            words[index / 64] |= 1 << UInt64(index % 64)
          }
        }
      })
  }

  /// Prepares sums over the points that pass the filter. Answers need these sums. This work can be cancelled. Without
  /// this call, the first answer prepares the sums and cannot be cancelled meanwhile. Does nothing if the tree has no
  /// filter.
  ///
  /// - Parameter summaries: Whether later queries will need boxes, ellipses, or cuts by the scatter of points.
  /// - Complexity: O(pointCount) at the first call.
  @_spi(Server) public func prepareClusters(summaries: Bool) throws(CancellationError) {
    try selection?.prepare(summaries: summaries)
  }

  /// The tree without its filter.
  var unfiltered: ClusterTree { selecting(nil as Selection?) }

  /// Approximate number of bytes of the filter; 0 if the tree has no filter.
  @_spi(Server) public var selectionByteCount: Int { filterSelection?.byteCount ?? 0 }

  /// Whether the tree has a filter.
  package var isFiltered: Bool { filterSelection != nil }
}
