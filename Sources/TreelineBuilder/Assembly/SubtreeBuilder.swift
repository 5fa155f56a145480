import Treeline

/// Builds the nodes below one node, depth first: the whole left subtree, then the right subtree.
///
/// The pending nodes are in an array. They are not on the thread's stack, which could overflow if the tree is deep.
struct SubtreeBuilder<Algorithm: SplitAlgorithm> {
  private let splitter: NodeSplitter<Algorithm>
  private var nodes: NodeArrays
  private var narrowStack: ContiguousArray<NarrowNode> = []

  init(_ splitter: NodeSplitter<Algorithm>, pointCount: Int) {
    self.splitter = splitter
    nodes = NodeArrays(pointCount: pointCount)
  }

  /// Returns the nodes of the subtree. If the build is cancelled, the nodes are unusable.
  mutating func build(_ root: Segment) -> NodeArrays {
    let monitor = splitter.monitor
    var stack: ContiguousArray = [root]
    while let segment = stack.popLast(), !monitor.isCancelled {
      if segment.isNarrow {
        buildNarrow(segment)
      } else if var children = splitter.split(segment) {
        nodes.records[segment.record].box = segment.box
        children.left.record = nodes.addChildren(of: segment.record, segment.points.moments, children.spread)
        children.right.record = children.left.record + 1
        stack.append(children.right)
        stack.append(children.left)
      } else if !monitor.isCancelled {
        nodes.records[segment.record] = splitter.arrays.makeBucket(segment.points, by: splitter.algorithm, monitor)
        monitor.advance(.splitting, by: segment.count)
      }
    }
    return nodes
  }

  /// A node whose sums fit into 64 bits. The sums of all nodes below it fit, too. Most nodes of any tree are narrow.
  ///
  /// All sums are measured from the corner of the topmost narrow node. Boxes are not computed on the way down, because
  /// this would cost a pass over the points at each level. Once the subtree is complete, boxes are united from the
  /// buckets upwards.
  private struct NarrowNode {
    var points: NodePoints<UInt64>
    var record: Int
    var level: Int
  }

  private mutating func buildNarrow(_ root: Segment) {
    let firstNew = nodes.records.count
    let points = NodePoints(
      first: root.points.first, moments: Moments<UInt64>(converting: root.points.moments), corner: root.points.corner)
    narrowStack.append(NarrowNode(points: points, record: root.record, level: root.level))
    while let node = narrowStack.popLast(), !splitter.monitor.isCancelled { expand(node) }
    if splitter.monitor.isCancelled { return }
    nodes.finish(root.record, firstBelow: firstNew, summedFrom: points.corner)
    splitter.monitor.advance(.splitting, by: root.count)
  }

  @inline(__always) private mutating func expand(_ node: NarrowNode) {
    let corner = node.points.corner
    guard
      let (left, right, spread) = splitter.split(
        node.points, level: node.level, summedBy: { splitter.arrays.moments($0, from: corner) })
    else {
      nodes.records[node.record] = splitter.arrays.makeBucket(node.points, by: splitter.algorithm, splitter.monitor)
      return
    }
    let record = nodes.addChildren(of: node.record, node.points.moments, spread)
    narrowStack.append(NarrowNode(points: right, record: record + 1, level: node.level + 1))
    narrowStack.append(NarrowNode(points: left, record: record, level: node.level + 1))
  }
}
