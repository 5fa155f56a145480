/// A filter made ready for a tree: tests of columns and maps of bits, with no negation left.
///
/// SQL's logic knows true, false and unknown, which is what a test of a missing value is. Only what is true passes, so
/// a negation is moved down to the tests (De Morgan), where it is the values that fail, missing ones left out.
indirect enum FilterPlan {
  case nothing
  case test(ColumnTest)
  /// A bit for each point in tree order.
  case bits([UInt64])
  case all([FilterPlan])
  case any([FilterPlan])

  /// Sets the bits of all words.
  ///
  /// - Complexity: O(pointCount) for each test.
  func fill(_ words: UnsafeMutableBufferPointer<Selection.Word>, rowCount: Int) {
    let chunk = ColumnTest.wordsPerChunk
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: chunk * (depth + 1)) { buffer in
      var start = 0
      while start < words.count {
        let end = min(start + chunk, words.count)
        run(start..<end, rowCount, into: buffer.baseAddress!)
        for index in start..<end { words[index].bits = buffer[index - start] }
        start = end
      }
    }
  }

  /// How many buffers lie beneath the one for the result.
  private var depth: Int {
    switch self {
    case .nothing, .test, .bits: 0
    case .all(let plans), .any(let plans): 1 + plans.lazy.map(\.depth).max()!
    }
  }

  /// - Parameter result: For a chunk, with room for one of each level beneath behind it.
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
  /// The same tree, of which only those points count that pass a filter, and, if it has a filter already, that one too.
  ///
  /// It is prepared once and then asked like any tree, by any number of threads. All that is said of answers holds for
  /// the points that pass: each in view is in exactly one cluster, there is no cluster without one, and so on. Counts,
  /// means, boxes and ellipses are theirs, and ids stay those of the tree, so that turning a filter on and off is a
  /// `Transition` like any other.
  ///
  /// ```swift
  /// let hotels = try tree.selecting(.where("kind", .equals, "hotel"))
  /// let clusters = try hotels.clusters(.spacing(44), in: view)
  /// ```
  ///
  /// - Throws: `FilterError` where the tree has not the columns that it names, or they are of other kinds.
  /// - Complexity: O(pointCount) for each condition, a few tenths of a nanosecond a point; two bits of memory a point,
  ///   and a byte a point once means of clusters are asked for, which takes O(pointCount) the first time.
  public func selecting(_ filter: Filter) throws(FilterError) -> ClusterTree {
    let plan = try FilterPlanner(tree: self).plan(filter.expression, isNegated: false)
    let added = withStorage { storage in
      Selection(of: storage) { plan.fill($0, rowCount: storage.pointCount) }
    }
    return selecting(selection?.intersection(added) ?? added)
  }

  /// The same tree without a filter.
  public var unfiltered: ClusterTree { selecting(nil as Selection?) }

  /// About how many bytes its filter takes; 0 without one.
  @_spi(Server) public var selectionByteCount: Int { selection?.byteCount ?? 0 }

  /// Whether it has a filter.
  public var isFiltered: Bool { selection != nil }
}
