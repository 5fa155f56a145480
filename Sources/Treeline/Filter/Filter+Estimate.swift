extension ClusterTree {
  /// Returns an upper bound for the cost of `filtered(by:)`. A condition that the tree refuses adds nothing to the
  /// cost.
  ///
  /// - Complexity: O(conditions). In addition, each area takes up to about 100,000 steps. A step compares an edge of
  ///   the area with a node of the tree.
  @_spi(Server) public func estimate(ofSelecting filter: Filter) -> WorkEstimate {
    var estimate = WorkEstimate()
    // Adds the steps for writing the result (one bit for each point) and for the prefix sums. Means are computed from
    // the prefix sums, and nearly all answers need means.
    estimate.add(2, for: pointCount)
    add(filter.expression, to: &estimate)
    return estimate
  }

  /// Number of rows that one test handles in a step.
  private static let testsPerStep = 2

  private func add(_ expression: Filter.Expression, to estimate: inout WorkEstimate) {
    switch expression {
    case .all(let parts), .any(let parts): for part in parts { add(part, to: &estimate) }
    case .not(let part): add(part, to: &estimate)
    case .comparison(let name, _, let value): add(name, values: [value], to: &estimate)
    case .between(let name, let least, let greatest): add(name, values: [least, greatest], to: &estimate)
    case .isIn(let name, let values): add(name, values: values, isSet: true, to: &estimate)
    case .isMissing(let name), .temporal(let name, _, _): add(name, values: [], to: &estimate)
    case .like(let name, let pattern):
      guard let dictionary = column(name)?.dictionary else { return }
      let words = pattern.utf8.count / UInt64.bitWidth + 1
      estimate.add(ColumnDictionary.stepsPerEntry, for: dictionary.entryCount)
      estimate.add(2 * words, for: dictionary.textByteCount)
      addTests(1, to: &estimate)
    case .intersects(let area): estimate.add(1, for: steps(ofLocating: area))
    }
  }

  /// - Parameter isSet: Whether all values are looked up at once. If true, each entry of a dictionary is read only
  ///   once. If false, each entry is read once for each value.
  private func add(_ name: String, values: [FilterValue], isSet: Bool = false, to estimate: inout WorkEstimate) {
    guard let column = column(name) else { return }
    guard let dictionary = column.dictionary else {
      estimate.add(1000, for: values.count)
      // A row is compared with many values by one binary search.
      return addTests(min(max(values.count, 1), 2 * ColumnTest.fewRanges), to: &estimate)
    }
    estimate.add(ColumnDictionary.stepsPerEntry * (isSet ? 1 : max(values.count, 1)), for: dictionary.entryCount)
    estimate.add(1, for: dictionary.textByteCount)
    estimate.add(100, for: values.count)
    addTests(1, to: &estimate)
  }

  private func addTests(_ count: Int, to estimate: inout WorkEstimate) {
    estimate.add(count, for: pointCount / Self.testsPerStep + 1)
  }
}

extension ColumnDictionary {
  /// Number of steps to read and compare a dictionary entry, not counting the steps for its bytes.
  static let stepsPerEntry = 60
}

extension Column {
  /// The dictionary of a column of texts or categories; nil for any other column.
  var dictionary: ColumnDictionary? { if case .entries(let entries) = values { entries.dictionary } else { nil } }
}
