import Treeline

/// Finds the answer to a query by definition, and checks the conditions for any answer. The answer and the conditions
/// are computed from the points, one by one.
public struct QueryOracle {
  private let outline: TreeOutline
  private let isInside: [Bool]
  /// Number of earlier points inside the window, for each tree index (place of a point in the tree).
  private let insideBefore: [Int]
  private let leafOf: [Int]

  /// - Parameters:
  ///   - outline: Outline of a tree without a filter.
  ///   - window: Window of the query; nil if the query shows nothing.
  ///   - passes: Returns whether the point with a tree index counts. All other points are treated as out of view.
  package init(_ outline: TreeOutline, _ window: PlaneWindow?, passes: (Int) -> Bool = { _ in true }) {
    self.outline = outline
    isInside = (0..<outline.tree.pointCount).map { index in
      guard let window, passes(index) else { return false }
      let point = outline.tree.position(atTreeIndex: index)
      let east = (Int64(point.x) - Int64(window.x) + 1 << 32) % (1 << 32)
      return east <= Int64(window.width) && window.minY <= point.y && point.y <= window.maxY
    }
    var before = [0]
    for inside in isInside { before.append(before.last! + (inside ? 1 : 0)) }
    insideBefore = before
    var leafOf = [Int](repeating: 0, count: isInside.count)
    for (number, leaf) in outline.leaves.enumerated() { for index in leaf.cluster.range { leafOf[index] = number } }
    self.leafOf = leafOf
  }

  public var insideCount: Int { insideBefore.last! }

  /// Number of distinct positions inside the window.
  public var visiblePositions: Int { Set(isInside.indices.filter { isInside[$0] }.map { leafOf[$0] }).count }

  public func insideCount(of range: Range<Int>) -> Int {
    insideBefore[range.upperBound] - insideBefore[range.lowerBound]
  }

  public func isVisible(_ range: Range<Int>) -> Bool { insideCount(of: range) > 0 }

  /// Splits clusters level by level. Within a level, splits them in tree order. Replaces a cluster by its visible
  /// children if the answer stays within the limit.
  public func breadthFirst(limit: Int) -> [Cluster] {
    guard let root = outline.entries.first, isVisible(root.cluster.range) else { return [] }
    var answer = [0]
    for level in 0...outline.depth {
      var next: [Int] = []
      for (index, entry) in answer.enumerated() {
        let children = outline.entries[entry].level == level ? visibleChildren(of: entry) : []
        let others = next.count + answer.count - index - 1
        next += !children.isEmpty && others + children.count <= limit ? children : [entry]
      }
      answer = next
    }
    return answer.map { outline.entries[$0].cluster }
  }

  private func visibleChildren(of entry: Int) -> [Int] {
    outline.entries[entry].children.filter { isVisible(outline.entries[$0].cluster.range) }
  }

  /// Returns the faults of an answer; empty if the answer keeps every promise of a query.
  public func violations(of answer: [Cluster], limit: Int) -> [String] {
    var violations: [String] = []
    if answer.count > limit { violations.append("\(answer.count) clusters exceed the limit of \(limit)") }
    if answer.count != min(limit, visiblePositions) {
      violations.append("\(answer.count) clusters for \(visiblePositions) visible positions, limit \(limit)")
    }
    for cluster in answer where !isVisible(cluster.range) {
      violations.append("cluster \(cluster.range) has no point inside")
    }
    for (cluster, next) in zip(answer, answer.dropFirst()) where cluster.range.upperBound > next.range.lowerBound {
      violations.append("clusters \(cluster.range) and \(next.range) overlap or are out of tree order")
    }
    let covered = answer.reduce(0) { $0 + insideBefore[$1.range.upperBound] - insideBefore[$1.range.lowerBound] }
    if covered != insideCount { violations.append("clusters have \(covered) of the \(insideCount) points inside") }
    let known = Dictionary(uniqueKeysWithValues: outline.entries.indices.map { (outline.entries[$0].cluster.id, $0) })
    for cluster in answer {
      guard let entry = known[cluster.id], outline.entries[entry].cluster == cluster else {
        violations.append("cluster \(cluster.range) does not belong to this tree")
        continue
      }
      let children = visibleChildren(of: entry)
      if !children.isEmpty, answer.count - 1 + children.count <= limit {
        violations.append("cluster \(cluster.range) could still be expanded")
      }
    }
    return violations
  }
}
