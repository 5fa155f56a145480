extension TreeStorage {
  /// Finds the nodes that are shown where any two must be a distance apart and that have a point in a window, in tree
  /// order: those whose separation is below the distance while their parent's is not.
  ///
  /// Separations never grow from parent to child, so the first such node on each way down from the root is the only one,
  /// and where a damaged file says otherwise each point in the window still has one node.
  ///
  /// - Parameters:
  ///   - separations: The code of each node with two children, at the place of its right child's first point in tree
  ///     order: every such node parts two neighbouring points, and no two part the same ones.
  ///   - required: Above 0.
  /// - Complexity: O(answer + depth) nodes looked at, besides those that lie across the window's edges; the size of the
  ///   data apart.
  func forEachNode(
    apartBy required: SeparationCode, _ separations: UnsafeBufferPointer<UInt16>, in window: PlaneWindow,
    _ body: (Node) throws(IndexError) -> Void
  ) throws(IndexError) {
    precondition(required > .zero, "Expected a distance above 0")
    precondition(
      separations.count == pointCount, "Expected \(pointCount) separations, found \(separations.count)")
    guard let root else { return }
    let visibility = try visibility(of: root, in: window)
    if visibility == .none { return }
    var stack = [(node: root, isWhole: visibility == .whole)]
    while let (node, isWhole) = stack.popLast() {
      guard let children = try children(of: node),
        SeparationCode(rawValue: separations[Int(children.right.first)]) >= required
      else {
        try body(node)
        continue
      }
      if isWhole {
        stack.append((children.right, true))
        stack.append((children.left, true))
        continue
      }
      let visible = try self.visibility(ofChildren: children, in: window)
      if visible.right != .none { stack.append((children.right, visible.right == .whole)) }
      if visible.left != .none { stack.append((children.left, visible.left == .whole)) }
    }
  }
}
