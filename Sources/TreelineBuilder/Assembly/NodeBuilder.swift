import Treeline

/// Builds the nodes over points on the plane. All threads together split a large node, because otherwise most threads
/// would be idle while one thread splits the node. A smaller node is split by one thread. Below a certain size, one
/// thread builds the whole subtree in one go.
struct NodeBuilder<Algorithm: SplitAlgorithm> {
  let splitter: NodeSplitter<Algorithm>
  let threads: Int

  /// Least number of subtrees per thread. With many small subtrees, all threads end at about the same time.
  private static var subtreesPerThread: Int { 16 }

  /// Sorts the points into tree order, writes the gaps between the points, and returns the nodes. If the build is
  /// cancelled, the nodes are unusable.
  ///
  /// - Parameter root: The place of the topmost new node: its level in the whole tree, and the corner from which the
  ///   moments of its points are measured.
  func build(pointCount: Int, _ root: SubtreeRoot) -> TopNode {
    let (arrays, monitor) = (splitter.arrays, splitter.monitor)
    let box = arrays.box(0..<pointCount, threads: threads, monitor)
    let corner = root.corner ?? PlanePoint(x: box.minX, y: box.minY)
    let moments = arrays.moments(0..<pointCount, from: corner, threads: threads, monitor)
    let top = TopNode(
      Segment(points: NodePoints(first: 0, moments: moments, corner: corner), box: box, level: root.level))
    let subtreeSize = threads == 1 ? pointCount : max(pointCount / (threads * Self.subtreesPerThread), 1024)
    WorkQueue(splitLargest(top, subtreeSize)).run(threads: threads) { node in
      if monitor.isCancelled { return [] }
      if node.segment.count > subtreeSize, let children = split(node) { return children }
      var builder = SubtreeBuilder(splitter, pointCount: node.segment.count)
      node.content = .subtree(builder.build(node.segment))
      return []
    }
    return top
  }

  /// Splits each node that has more points than one thread's share of all points. Only a few nodes have so many
  /// points, unless most splits leave most of the points on one side. All threads together split one node at a time.
  ///
  /// - Returns: The nodes that are small enough for one thread or cannot be split. Their subtrees must still be built.
  private func splitLargest(_ top: TopNode, _ subtreeSize: Int) -> [TopNode] {
    let most = max(top.segment.count / threads, subtreeSize)
    var (large, small) = ([top], [TopNode]())
    while let node = large.popLast() {
      if node.segment.count > most, let children = split(node, threads: threads) {
        large += children
      } else {
        small.append(node)
      }
    }
    return small
  }

  private func split(_ node: TopNode, threads: Int = 1) -> [TopNode]? {
    guard let (left, right, spread) = splitter.split(node.segment, threads: threads) else { return nil }
    let children = (TopNode(left), TopNode(right))
    node.content = .split(spread: spread, left: children.0, right: children.1)
    return [children.0, children.1]
  }
}

/// The place of a subtree in the whole tree: the level of the subtree's root, and the corner from which the moments of
/// the root's points are measured.
struct SubtreeRoot: Sendable {
  /// Level of the node; 0 for the root of the whole tree.
  var level = 0
  /// Corner of the topmost narrow node above this node; nil if no node above is narrow. A node is narrow if it has few
  /// points and all sums over its points fit into 64 bits (see `Segment.isNarrow`).
  var corner: PlanePoint?
}

/// A node above the subtrees that threads build separately, or the root of such a subtree. Only one thread at a time
/// uses a node.
final class TopNode: @unchecked Sendable {
  enum Content {
    case unbuilt
    case subtree(NodeArrays)
    case split(spread: NodeSpread, left: TopNode, right: TopNode)
  }

  let segment: Segment
  var content = Content.unbuilt

  init(_ segment: Segment) { self.segment = segment }

  /// Deallocates the contents of this node and of all nodes below.
  func removeAll() { forEach { $0.content = .unbuilt } }

  /// Number of node records for this node and all nodes below it.
  var recordCount: Int {
    var count = 0
    forEach { node in
      switch node.content {
      case .unbuilt: preconditionFailure("A subtree was not built")
      case .subtree(let nodes): count += nodes.records.count
      case .split: count += 1
      }
    }
    return count
  }

  /// Visits this node and all nodes below it. Does not recurse, because the tree may be deep.
  private func forEach(_ visit: (TopNode) -> Void) {
    var stack = [self]
    while let node = stack.popLast() {
      if case .split(_, let left, let right) = node.content { stack += [left, right] }
      visit(node)
    }
  }
}
