import Treeline

/// Nodes of a tree, in memory that the tree will own. Nodes are in the order in which a single thread would make them.
struct AssembledNodes {
  let records: UnsafeMutablePointer<NodeRecord>
  let sums: UnsafeMutablePointer<NodeSums>
  let spreads: UnsafeMutablePointer<NodeSpread>
  let recordCount: Int

  var blocks: [MemoryBlock] {
    let pairCount = NodeSums.count(ofNodes: recordCount)
    return [
      MemoryBlock(records, count: recordCount), MemoryBlock(sums, count: pairCount),
      MemoryBlock(spreads, count: pairCount),
    ]
  }

  /// Allocates memory for a number of records. The caller must write all records.
  init(recordCount: Int, _ monitor: BuildMonitor) {
    self.recordCount = recordCount
    records = monitor.allocate(count: recordCount)
    sums = monitor.allocate(count: NodeSums.count(ofNodes: recordCount))
    spreads = monitor.allocate(count: NodeSums.count(ofNodes: recordCount))
  }

  func deallocate() { for block in blocks { block.deallocate() } }

  /// Copies subtrees into one array of nodes. All subtrees together take much memory, so each subtree is deallocated
  /// as soon as it is copied. If the build is cancelled, the result is unusable.
  init(_ top: TopNode?, threads: Int, _ monitor: BuildMonitor) {
    self.init(recordCount: top?.recordCount ?? 0, monitor)
    var (order, subtrees) = (RecordOrder(top), [Subtree]())
    while let (node, record) = order.popNext() {
      switch node.content {
      case .unbuilt: preconditionFailure("A subtree was not built")
      case .subtree(let nodes):
        subtrees.append(Subtree(node: node, record: record, next: order.placeSubtree(nodes.records.count)))
      case .split(let spread, let left, let right):
        write(node.segment, at: record, left: order.placeChildren(left, right), spread: spread)
      }
    }
    nonisolated(unsafe) let nodes = self
    WorkQueue(subtrees).run(threads: min(threads, subtrees.count)) { subtree in
      if !monitor.isCancelled { nodes.copy(subtree) }
      return []
    }
  }

  /// A subtree, the index of its root's record, and the index of the first record below the root.
  private struct Subtree {
    let node: TopNode
    let record: Int
    let next: Int
  }

  private func write(_ segment: Segment, at record: Int, left: Int, spread: NodeSpread) {
    (records + record).initialize(
      to: NodeRecord(box: segment.box, count: UInt32(segment.count), childOffset: UInt32(left - record)))
    let pair = NodeSums.index(ofLeftChild: left)
    (sums + pair).initialize(to: segment.sums)
    (spreads + pair).initialize(to: spread)
  }

  private func copy(_ subtree: Subtree) {
    guard case .subtree(let nodes) = subtree.node.content else { preconditionFailure("Expected a built subtree") }
    let next = subtree.next
    (records + subtree.record).initialize(to: nodes.records[0].moved(to: subtree.record, childrenAt: next))
    Self.copy(nodes.records.dropFirst(), to: records + next)
    let pair = NodeSums.index(ofLeftChild: next)
    Self.copy(nodes.sums[...], to: sums + pair)
    Self.copy(nodes.spreads[...], to: spreads + pair)
    subtree.node.content = .unbuilt
  }

  private static func copy<Element>(
    _ elements: ContiguousArray<Element>.SubSequence, to start: UnsafeMutablePointer<Element>
  ) {
    elements.withUnsafeBufferPointer { from in
      if let source = from.baseAddress { start.initialize(from: source, count: from.count) }
    }
  }
}
