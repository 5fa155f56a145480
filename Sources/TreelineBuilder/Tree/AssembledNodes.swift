import Treeline

/// The nodes of a tree in the order in which one thread would have made them, in memory that the tree is to own.
struct AssembledNodes {
  let records: UnsafeMutablePointer<NodeRecord>
  let sums: UnsafeMutablePointer<NodeSums>
  let spreads: UnsafeMutablePointer<NodeSpread>
  let recordCount: Int
  /// Where the next children go.
  private var next = 1

  var blocks: [MemoryBlock] {
    let pairCount = Self.pairCount(recordCount)
    return [
      MemoryBlock(records, count: recordCount), MemoryBlock(sums, count: pairCount),
      MemoryBlock(spreads, count: pairCount),
    ]
  }

  private static func pairCount(_ recordCount: Int) -> Int { max(recordCount - 1, 0) / 2 }

  /// Puts the pieces together, letting each go once it is copied: they are many and large. Of no use once the build is
  /// cancelled.
  init(_ top: TopNode?, threads: Int, _ monitor: BuildMonitor) {
    recordCount = top?.recordCount ?? 0
    let pairCount = Self.pairCount(recordCount)
    records = .allocate(capacity: recordCount)
    sums = .allocate(capacity: pairCount)
    spreads = .allocate(capacity: pairCount)
    var stack = top.map { [(node: $0, record: 0)] } ?? []
    var subtrees: [Subtree] = []
    while let (node, record) = stack.popLast() {
      switch node.content {
      case .unbuilt: preconditionFailure("A piece of work was left undone")
      case .subtree(let nodes):
        subtrees.append(Subtree(node: node, record: record, next: next))
        next += nodes.records.count - 1
      case .split(let spread, let left, let right):
        let leftRecord = addChildren(of: node.segment, at: record, spread: spread)
        stack.append((right, leftRecord + 1))
        stack.append((left, leftRecord))
      }
    }
    copy(subtrees, threads: threads, monitor)
  }

  /// A piece, the record that awaits its root, and where the others go.
  private struct Subtree {
    let node: TopNode
    let record: Int
    let next: Int
  }

  private func copy(_ subtrees: [Subtree], threads: Int, _ monitor: BuildMonitor) {
    let work = WorkQueue(subtrees)
    nonisolated(unsafe) let nodes = self
    work.run(threads: min(threads, subtrees.count)) { subtree in
      if !monitor.isCancelled { nodes.copy(subtree) }
      return []
    }
  }

  private mutating func addChildren(
    of segment: Segment<UInt128>, at record: Int, spread: NodeSpread
  ) -> Int {
    let left = next
    (records + record).initialize(
      to: NodeRecord(
        box: segment.box, count: UInt32(segment.moments.count), childOffset: UInt32(left - record)))
    (sums + (left - 1) / 2).initialize(to: NodeSums(x: segment.moments.x, y: segment.moments.y))
    (spreads + (left - 1) / 2).initialize(to: spread)
    next += 2
    return left
  }

  private func copy(_ subtree: Subtree) {
    guard case .subtree(let nodes) = subtree.node.content else {
      preconditionFailure("A piece that is none")
    }
    let next = subtree.next
    var root = nodes.records[0]
    if root.childOffset != 0 { root.childOffset = UInt32(next - subtree.record) }
    (records + subtree.record).initialize(to: root)
    nodes.records.withUnsafeBufferPointer {
      (records + next).initialize(from: $0.baseAddress! + 1, count: $0.count - 1)
    }
    let pair = (next - 1) / 2
    nodes.sums.withUnsafeBufferPointer { from in
      from.baseAddress.map { (sums + pair).initialize(from: $0, count: from.count) }
    }
    nodes.spreads.withUnsafeBufferPointer { from in
      from.baseAddress.map { (spreads + pair).initialize(from: $0, count: from.count) }
    }
    subtree.node.content = .unbuilt
  }
}
