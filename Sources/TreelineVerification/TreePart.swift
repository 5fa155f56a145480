import Treeline

/// Nodes of a tree that are checked by one thread: what is found in all parts, one behind the other, is what a walk
/// from left to right finds.
struct TreePart: Sendable {
  let node: Node
  /// The siblings of the node and of those above it, the topmost first.
  let siblings: [Node]
  /// Whether the nodes below belong to it, too.
  let isWhole: Bool

  /// Smaller trees are one part.
  private static let leastPoints = 1 << 16
  /// Enough for all threads to end at about the same time.
  private static let most = 256

  /// Divides a tree.
  static func dividing(_ root: Node, of storage: TreeStorage, threads: Int) -> [TreePart] {
    let points = threads > 1 && root.count >= leastPoints ? root.count / 64 : .max
    var (parts, waiting) = ([TreePart](), [(node: root, siblings: [Node]())])
    while let (node, siblings) = waiting.popLast() {
      // Of a damaged node its part tells.
      guard node.count > points, parts.count + waiting.count < most,
        let (left, right) = (try? storage.children(of: node)) ?? nil
      else {
        parts.append(TreePart(node: node, siblings: siblings, isWhole: true))
        continue
      }
      parts.append(TreePart(node: node, siblings: siblings, isWhole: false))
      waiting += [(right, siblings + [left]), (left, siblings + [right])]
    }
    return parts
  }
}
