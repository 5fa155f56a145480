@_spi(Server) import Treeline

/// The selected point of a map. The point may be part of a cluster, and may be out of view.
struct PointSelection {
  /// Index of the point in tree order; nil if no point is selected.
  private(set) var treeIndex: Int?
  /// Row of the point; nil if no point is selected.
  private(set) var row: Int?
  /// Tree to which `treeIndex` and `row` refer; nil if no point is selected.
  private var tree: ClusterTree?

  /// Selects a point of a tree, given the index of the point in tree order.
  mutating func select(_ treeIndex: Int, of tree: ClusterTree) {
    (self.treeIndex, row, self.tree) = (treeIndex, tree.row(atTreeIndex: treeIndex), tree)
  }

  /// Selects no point.
  mutating func end() { (treeIndex, row, tree) = (nil, nil, nil) }

  /// Finds the selected point in the next tree. The next tree may be the same tree under another filter, or an edit of
  /// the tree. If there is no next tree, or if it is an unrelated tree, the selection ends. The selection also ends if
  /// the edit has removed the point, or if the point fails the filter of the next tree.
  ///
  /// - Returns: Whether the selection has ended.
  mutating func follow(_ next: ClusterTree?) -> Bool {
    guard let treeIndex, let tree else { return false }
    let found = next.flatMap { next in
      next.isSame(as: tree) ? treeIndex : next.treeIndex(ofTreeIndex: treeIndex, in: tree)
    }
    guard let next, let found, next.passes(found) else {
      end()
      return true
    }
    if !next.isSame(as: tree) { select(found, of: next) }
    return false
  }
}

extension Cluster {
  /// Returns the point that is selected when the user selects a cluster. In a cluster of several points, this is the
  /// point nearest to the center, so that the selection stays in the middle when the cluster splits.
  func pointToSelect(in tree: ClusterTree) -> Int? { treeIndex ?? (try? tree.nearestMember(of: id)) }
}
