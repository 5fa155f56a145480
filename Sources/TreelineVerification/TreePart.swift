import Treeline

/// Nodes of a tree that are checked by one thread. The findings in all parts, one after the other, are the same as of a
/// single walk from left to right.
struct TreePart: Sendable {
  let node: Node
  /// The siblings of the node and of its ancestors, the topmost first.
  let siblings: [Node]
  /// Whether the nodes below belong to the part, too.
  let isWhole: Bool

  /// The least number of points of a tree that is divided.
  private static let leastPoints = 1 << 16
  /// The greatest number of parts: enough for all threads to end at about the same time.
  private static let most = 256

  /// Divides a tree into parts.
  static func dividing(_ root: Node, of storage: TreeStorage, threads: Int) -> [TreePart] {
    let points = threads > 1 && root.count >= leastPoints ? root.count / 64 : .max
    var (parts, waiting) = ([TreePart](), [(node: root, siblings: [Node]())])
    while let (node, siblings) = waiting.popLast() {
      // A damaged node becomes a part, which reports the damage.
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
