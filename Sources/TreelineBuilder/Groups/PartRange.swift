/// Consecutive trees that one node contains. In a build with groups, each group has its own tree, and additional nodes
/// above the trees join them (see `GroupedBuild`). Each child of an additional node has half of the node's trees. If
/// the number of trees is odd, the left child has one tree more than the right child.
struct PartRange: Sendable {
  let parts: Range<Int>
  /// Level of the node. If the range has only one tree, the node is the root of that tree.
  let level: Int

  /// Makes the range of all trees, for the root node. There must be at least one tree.
  init(partCount: Int) { self.init(parts: 0..<partCount, level: 0) }

  private init(parts: Range<Int>, level: Int) { (self.parts, self.level) = (parts, level) }

  /// The ranges of the left child and the right child; nil if the range has only one tree.
  var halves: (left: PartRange, right: PartRange)? {
    if parts.count == 1 { return nil }
    let middle = parts.lowerBound + (parts.count + 1) / 2
    return (
      PartRange(parts: parts.lowerBound..<middle, level: level + 1),
      PartRange(parts: middle..<parts.upperBound, level: level + 1)
    )
  }
}
