import Treeline

/// A part of a tree: the nodes that one thread checks. The findings of all parts, joined in the order of the parts,
/// equal the findings of a single walk from left to right.
struct TreePart: Sendable {
  let node: Node
  /// The siblings of `node` and of its ancestors, from the top of the tree down.
  let siblings: [Node]
  /// Whether the nodes below `node` also belong to this part. If not, the part is only `node` itself.
  let isWhole: Bool

  /// A tree with fewer points than this number is not divided.
  private static let leastPoints = 1 << 16
  /// The greatest number of parts. With this number of parts, all threads end at about the same time.
  private static let most = 256

  /// Divides a tree into parts.
  static func dividing(_ root: Node, of storage: TreeStorage, threads: Int) -> [TreePart] {
    let points = threads > 1 && root.count >= leastPoints ? root.count / 64 : .max
    var (parts, waiting) = ([TreePart](), [(node: root, siblings: [Node]())])
    while let (node, siblings) = waiting.popLast() {
      // A damaged node becomes a separate part. The thread that checks this part reports the damage.
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
