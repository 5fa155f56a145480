/// How a tree is shaped.
public struct TreeShape: Hashable, Sendable {
  /// Distinct positions: the leaves of the tree.
  public var positionCount = 0
  /// The greatest level of any leaf.
  public var depth = 0
  /// Nodes whose parts are not stored.
  public var bucketCount = 0
}

extension ClusterTree {
  /// Walks the whole tree.
  ///
  /// - Throws: `IndexError` where a file is damaged.
  /// - Complexity: O(pointCount)
  public func shape() throws(IndexError) -> TreeShape {
    defer { withExtendedLifetime(storage) {} }
    var shape = TreeShape()
    var stack = [storage.root].compactMap { $0 }
    while let node = stack.popLast() {
      let record = storage.nodes[Int(node.record)]
      if node.count == record.count && record.childOffset == 0 { shape.bucketCount += 1 }
      if let (left, right) = try storage.children(of: node) {
        stack.append(right)
        stack.append(left)
      } else {
        shape.positionCount += 1
        shape.depth = max(shape.depth, Int(node.level))
      }
    }
    return shape
  }
}
