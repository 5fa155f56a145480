import PointSets
import TestSupport
import Testing
import Treeline
import TreelineBuilder

/// Checks the tree indices of input rows against a search through all points.
@Suite struct TreeIndexOfRowTests {
  @Test(arguments: PointSet.nasty, SplitRule.few) func everyRowIsFound(_ set: PointSet, _ rule: SplitRule) throws {
    try check(set, rule)
  }

  @Test(arguments: Trials.seeds(60, from: 1500).map { PointSet.random(seed: $0) }) func everyRowOfRandomPointsIsFound(
    _ set: PointSet
  ) throws { try check(set, .mean) }

  /// Checks trees that were grown by merging. Their clusters, and the boxes of these clusters, may lie across the seam.
  @Test(arguments: PointSet.nasty, MergeMetric.allCases) func everyRowOfMergedTreesIsFound(
    _ set: PointSet, _ metric: MergeMetric
  ) throws {
    let options = BuildOptions(growth: .merging(by: metric))
    try check(set, ClusterTree(set.coordinates, as: set.projection, options: options))
  }

  private func check(_ set: PointSet, _ rule: SplitRule) throws { try check(set, set.tree(rule)) }

  private func check(_ set: PointSet, _ tree: ClusterTree) throws {
    let treeIndexOfRow = Dictionary(uniqueKeysWithValues: (0..<tree.pointCount).map { (tree.row(atTreeIndex: $0), $0) })
    for (row, coordinate) in set.coordinates.enumerated() {
      #expect(try tree.treeIndex(ofRow: row, at: coordinate) == treeIndexOfRow[row])
      // A row is found at the coordinate of another row only if both rows have the same position.
      let other = (row + 1) % set.coordinates.count
      let isShared =
        tree.position(atTreeIndex: treeIndexOfRow[row]!) == tree.position(atTreeIndex: treeIndexOfRow[other]!)
      #expect(try tree.treeIndex(ofRow: other, at: coordinate) == (isShared ? treeIndexOfRow[other] : nil))
    }
    for row in [0, tree.pointCount / 2, tree.pointCount - 1] {
      #expect(tree.treeIndex(ofRow: row) == treeIndexOfRow[row])
    }
    for row in [-1, tree.pointCount, .max, .min] {
      #expect(tree.treeIndex(ofRow: row) == nil)
      #expect(try tree.treeIndex(ofRow: row, at: set.coordinates.first ?? Coordinate(x: 0, y: 0)) == nil)
    }
  }
}
