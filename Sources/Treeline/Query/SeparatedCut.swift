extension TreeStorage {
  /// The nodes that are shown where any two must be a distance apart and that have a point in a window, in tree order:
  /// those whose separation is below the distance while their parent's is not. Within a limit, at the least greater distance
  /// at which there are no more.
  ///
  /// Separations never grow from parent to child, so the first such node on each way down from the root is the only one,
  /// and where a damaged file says otherwise each point in the window still has one node.
  ///
  /// - Parameters:
  ///   - required: Above 0.
  ///   - separations: The code of each node with two children, at the place of its right child's first point in tree
  ///     order: every such node parts two neighbouring points, and no two part the same ones.
  /// - Complexity: O(answer + depth) nodes looked at, besides those that lie across the window's edges, beyond the limit
  ///   O(limit · log limit + depth); the size of the data apart.
  func separatedCut(
    apartBy required: SeparationCode, _ separations: UnsafePointer<UInt16>, in window: PlaneWindow,
    limit: Int, leastMembers: Int = 2, expandsAll: Bool = false
  ) throws(IndexError) -> [Node] {
    precondition(required != .zero, "Expected a distance above 0")
    return try cut(
      in: window, limit: limit, leastMembers: leastMembers, scale: Double(required.rawValue) - 1,
      expandsAll: expandsAll
    ) { node, fork throws(IndexError) in
      Double(separations[Int(node.first &+ fork.leftCount)])
    }
  }
}
