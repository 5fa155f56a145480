/// The upper part of a tree with separations, or the whole tree, as a list of leaves in tree order. From this list, a
/// client without the tree finds what a spacing or badges show at any scale that the list covers.
///
/// A leaf is a single position or a node whose descendants are left out. Between two neighboring leaves lies the split
/// of exactly one node; its level and separation are stored with the second leaf. So a node consists of the leaves
/// around its split, in both directions up to the next split with a smaller level.
package struct TreeTop: Sendable {
  package struct Leaf: Sendable {
    package var count: UInt32
    package var box: PlaneRect
    /// The level and the separation of the node that is split before this leaf. They have no meaning for the first
    /// leaf.
    package var level: UInt16
    package var code: UInt16
    /// Whether the node that is split before this leaf has the position of its right child.
    package var isStandRight: Bool
    /// The leaf's own separation, which is the greatest of the separations that are left out below it; 0 for a single
    /// position.
    package var ownCode: UInt16
    /// The sums, measured from the top left corner of the box.
    package var sums: NodeSums
    package var spread: NodeSpread
    package var stand: PlanePoint
  }

  package let leaves: [Leaf]
}

extension ClusterTree {
  /// Returns the upper part of the tree: nodes are split in order of falling separation while there are at most `most`
  /// leaves.
  ///
  /// - Parameter most: 1 or more. Groups and points that are never clustered are always leaves of their own, however
  ///   many they are.
  /// - Throws: `QueryError.noSeparations` if the tree has no separations, `IndexError` if the file is damaged.
  /// - Complexity: O(pointCount)
  package func top(most: Int) throws -> TreeTop {
    precondition(most > 0, "Expected at least one leaf, found \(most)")
    return try withStorage { storage in
      guard let separations = storage.separations else { throw QueryError.noSeparations }
      let least = try storage.leastCode(separations, most: most)
      var leaves: [TreeTop.Leaf] = []
      try storage.descend(separations, least: least) { node, split, isSplit in
        if !isSplit { leaves.append(try storage.leaf(node, behind: split, separations)) }
      }
      return TreeTop(leaves: leaves)
    }
  }
}

extension TreeStorage {
  /// The split between a node and its left neighbor.
  fileprivate struct Split {
    var level: UInt16 = 0
    var code: UInt16 = 0
    var isStandRight = false
  }

  /// The code of a node that is in no answer. It is greater than all other codes.
  fileprivate static let apart = UInt16.max

  /// Returns the code from which on nodes are split, so that there are at most `most` leaves; 0 if all nodes are split.
  fileprivate func leastCode(_ separations: UnsafePointer<UInt16>, most: Int) throws -> UInt16 {
    var counts = [Int](repeating: 0, count: 1 << 16)
    try descend(separations, least: 0) { node, _, isSplit in
      if isSplit { counts[Int(try code(of: node, separations))] += 1 }
    }
    var leaves = 1
    for code in counts.indices.reversed() {
      leaves += counts[code]
      if leaves > most && code < Self.apart { return UInt16(code) + 1 }
    }
    return 0
  }

  /// Calls `visit` with each node from the root down, in tree order. `visit` is also given the split before the node,
  /// and whether the node is split.
  fileprivate func descend(
    _ separations: UnsafePointer<UInt16>, least: UInt16, _ visit: (Node, Split, Bool) throws -> Void
  ) throws {
    var waiting = root.map { [($0, Split())] } ?? []
    while let (node, split) = waiting.popLast() {
      guard node.count > 1, let (left, right) = try children(of: node) else {
        try visit(node, split, false)
        continue
      }
      let code = try code(of: node, separations)
      let isSplit = code >= least
      try visit(node, split, isSplit)
      guard isSplit else { continue }
      let isStandRight = stands.map { Self.bit(of: $0, at: Int(right.first)) } ?? false
      waiting.append((right, Split(level: node.level, code: code, isStandRight: isStandRight)))
      waiting.append((left, split))
    }
  }

  private func code(of node: Node, _ separations: UnsafePointer<UInt16>) throws(IndexError) -> UInt16 {
    if isAboveClusters(node) { return Self.apart }
    return try children(of: node).map { separations[Int($0.right.first)] } ?? 0
  }

  fileprivate func leaf(_ node: Node, behind split: Split, _ separations: UnsafePointer<UInt16>) throws -> TreeTop.Leaf
  {
    try checkSummary(of: node)
    let box = box(of: node)
    let (sums, spread) = summary(of: node, in: box)
    return TreeTop.Leaf(
      count: node.count, box: box, level: split.level, code: split.code, isStandRight: split.isStandRight,
      ownCode: try code(of: node, separations), sums: sums, spread: spread,
      stand: standIndex(of: node).map { points[$0] } ?? meanPosition(of: node))
  }
}
