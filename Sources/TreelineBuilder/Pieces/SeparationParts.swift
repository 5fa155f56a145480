import Synchronization
import Treeline

/// Computes the separations of a tree that was grown by splitting and is stored in a file. Only a bounded number of
/// its nodes are in memory at a time.
///
/// Separations are found by a sequence of splits while a distance r falls (see `SeparationBuild`). The separation of a
/// node depends only on shown nodes near it: nodes that are farther away than r do not affect it. So the sequence is
/// run in parts:
///
/// 1. The first part begins at the root. The part ends when r has fallen so far that the nodes of the part fill the
/// memory. Nodes that cannot be split before the part ends are left out. These nodes are known in advance, because the
/// squared distance at which a node is split has an upper bound. Each node has an *own distance* (see
/// `SplitSequence`). The bound is the least squared own distance of the node itself and of all nodes above it.
/// 2. The nodes that are shown at the end of this part are divided into batches of neighboring nodes. Each batch is
/// run as a part of its own. This part continues the sequence with the nodes of the batch and all nodes below them.
/// The part also includes the nodes in a *margin* around the batch, because these nodes may block nodes of the batch
/// (see `SplitSequence`). As long as a blocking node is shown, the blocked node cannot be split. The width of the
/// margin is a few times r. Nodes at the edge of the margin are *undecided* from the beginning: the part cannot know
/// whether they are split, so a node may be shown anywhere in the box of an undecided node. Another node becomes
/// undecided if an undecided node may block it, and no node that is certainly shown blocks it. Every other node is
/// split as in the whole sequence, because every search for nodes around such a node finds the same nodes as in the
/// whole sequence. If a node of the batch itself becomes undecided, the margin is widened by half, and the batch is
/// run again. This is repeated until no node of the batch becomes undecided.
/// 3. If a batch has too many nodes for the memory, its part ends before r reaches 0, as in step 1. The nodes that are
/// shown at the end of the part are divided into batches again.
///
/// So the result is exact for any data, and the codes of one batch do not depend on any other batch. The distribution
/// of the points affects only how wide the margins must be. If there are long chains in which each node blocks the
/// next node, more nodes become undecided, and margins must be wider.
package final class SeparationParts: Sendable {
  private let tree: SeparatedTree
  /// Approximate number of nodes in a part.
  private let capacity: Int
  private let room: NodeRoom
  private let threads: Int
  private let monitor: BuildMonitor
  private let write: @Sendable (_ number: UInt32, _ code: UInt16) throws(PieceError) -> Void
  private let state = Mutex(Work())

  /// Amount of work done so far.
  package struct Work: Sendable {
    /// Number of nodes that were read for all parts of the sequence of splits. The nodes in the margin of a part are
    /// counted, too. If a part was run again, its nodes are counted again.
    package internal(set) var nodesRead = 0
    package internal(set) var batches = 0
    /// Number of times that a margin was widened.
    package internal(set) var widenings = 0
    /// Width of the widest margin around a part. The unit is the distance at which the splits of this part begin.
    package internal(set) var margin = 0
    /// Greatest number of nodes that were in memory at once. If several parts were in memory, the nodes of all these
    /// parts count.
    package internal(set) var mostNodes = 0
    /// Number of nodes of the largest part.
    package internal(set) var largestPart = 0
  }

  var work: Work {
    var work = state.withLock { $0 }
    (work.mostNodes, work.largestPart) = room.most
    return work
  }

  /// Memory that a part takes for each node, in bytes. 70 of these bytes are in `PartNodes`. The other bytes are for
  /// the grid, the queue, and the boxes of undecided nodes (nodes that may or may not be shown).
  static let bytesPerNode = 160
  /// Memory for each shown node, in bytes. All threads share this memory.
  static let bytesPerShownNode = MemoryLayout<ShownNodes.Member>.stride + 8

  /// - Parameters:
  ///   - capacity: Approximate number of nodes that a part may have in memory. A part has more nodes if its margin
  ///     needs them. Such a part waits until enough nodes of other parts have left the memory. All parts together may
  ///     have `capacity` nodes per thread in memory. This limit is exceeded only if a single part has more nodes than
  ///     the limit. No other part is in memory then.
  ///   - write: Called for each node whose code is not zero, with the number of the node and its code. The calls come
  ///     from any thread. All other codes are zero.
  init(
    of tree: SeparatedTree, capacity: Int, threads: Int, _ monitor: BuildMonitor,
    _ write: @escaping @Sendable (_ number: UInt32, _ code: UInt16) throws(PieceError) -> Void
  ) {
    (self.tree, self.capacity, self.threads, self.monitor) = (tree, max(capacity, 16), threads, monitor)
    room = NodeRoom(self.capacity * threads)
    self.write = write
  }

  /// Computes all separations.
  ///
  /// - Parameter progress: Called with the number of points done, by one thread at a time.
  func run(progress: @escaping @Sendable (_ done: Int) -> Void = { _ in }) throws(PieceError) {
    let done = Mutex(0)
    @Sendable func note(_ count: Int) {
      done.withLock { done in
        done += count
        progress(done)
      }
    }
    // Nodes of different groups do not block each other. So the trees of small groups are processed in parallel, each
    // by one thread.
    let roots = tree.storage.partRoots
    try forEach(roots.filter { $0.count <= capacity }) { root throws(PieceError) in
      _ = try self.advance(ShownNodes(root, of: self.tree.storage), selecting: self.capacity)
      note(Int(root.count))
    }
    for root in roots where root.count > capacity {
      guard let start = try advance(ShownNodes(root, of: tree.storage), selecting: capacity) else {
        preconditionFailure("Expected all separations of a tree, found a separation that needs other nodes")
      }
      note(Int(root.count) - start.weight)
      try forEach(start.batches(upTo: capacity / 2)) { batch throws(PieceError) in
        guard try self.separate(batch, of: start) else {
          preconditionFailure("Expected all separations of a batch, found an unknown separation")
        }
        note(batch.reduce(0) { $0 + start.nodes[Int($1)].weight })
      }
    }
  }

  /// Calls `work` once for each element, on several threads. Each thread works on one element at a time. If a call
  /// fails, no further calls begin.
  private func forEach<Element: Sendable>(
    _ elements: [Element], _ work: @escaping @Sendable (Element) throws(PieceError) -> Void
  ) throws(PieceError) {
    let next = Mutex((index: 0, failure: PieceError?.none))
    concurrently(max(1, min(threads, elements.count))) { _ in
      while true {
        let index = next.withLock { next -> Int? in
          guard next.index < elements.count, next.failure == nil else { return nil }
          next.index += 1
          return next.index - 1
        }
        guard let index else { return }
        do throws(PieceError) { try work(elements[index]) } catch {
          next.withLock { $0.failure = $0.failure ?? error }
        }
      }
    }
    if let failure = next.withLock({ $0.failure }) { throw failure }
  }

  /// Computes the separations of the nodes of a batch, and of all nodes below them. A batch consists of some of the
  /// nodes that are shown in `start`.
  ///
  /// - Returns: false if the separations cannot be computed exactly, even with a margin that contains all shown
  ///   nodes. This happens if the separations depend on nodes that may or may not be shown.
  private func separate(_ batch: [Int32], of start: ShownNodes) throws(PieceError) -> Bool {
    var margin = Self.leastMargin
    state.withLock { $0.batches += 1 }
    while let part = start.part(around: batch, margin: margin, tree.projection) {
      state.withLock { $0.margin = max($0.margin, margin) }
      if try separate(part) { return true }
      margin += margin / 2
      state.withLock { $0.widenings += 1 }
    }
    return try separate(start.asked(for: batch))
  }

  private static let leastMargin = 4

  private func separate(_ start: ShownNodes) throws(PieceError) -> Bool {
    guard let next = try advance(start, selecting: max(capacity, 4 * start.nodes.count) / 4) else { return false }
    for batch in next.batches(upTo: capacity / 2) where try !separate(batch, of: next) { return false }
    return true
  }

  /// Continues the sequence of splits from given shown nodes. These are the nodes that are shown at some distance. If
  /// all nodes below these nodes fit into the memory of a part, continues to the end of the sequence. If they do not
  /// fit, stops at a distance above 0. This distance is chosen such that only about `count` nodes can be split before
  /// this distance is reached.
  ///
  /// - Returns: the nodes that are shown at the reached distance, or no nodes at the end of the sequence.
  ///   Nil if the separation of an own node (see `ShownNodes.Member.isOwn`) cannot be computed, because nodes that the
  ///   part does not know may block the own node.
  private func advance(_ start: ShownNodes, selecting count: Int) throws(PieceError) -> ShownNodes? {
    var tree = tree
    let (weight, shown) = (start.weight, start.nodes.count)
    // A part may have more than `capacity` nodes if many nodes are shown when the part begins, and if enough memory is
    // free.
    let most = max(capacity, min(8 * shown, max(room.capacity - shown, 2 * shown)))
    let selection =
      weight <= most ? (floor: 1, count: weight) : tree.select(count, of: start)
    room.take(shown + selection.count)
    defer { room.giveBack(shown + selection.count) }
    let part = PartNodes(below: start, downTo: selection.floor, capacity: selection.count, &tree)
    state.withLock { $0.nodesRead += part.count }
    tree.forget()
    var unknown = UnknownBoxes(tree.projection, reach: SplitSequence.reach(start.squaredDistance))
    for member in start.nodes where !member.isKnown { unknown.insert(member.box, within: start.squaredDistance) }
    if selection.floor > start.squaredDistance {
      preconditionFailure("Expected a part whose distances decrease, found a greater distance at its end")
    }
    var sequence = SplitSequence(
      part, selection.floor...start.squaredDistance, unknown: unknown, tree.projection, monitor)
    sequence.run()
    if monitor.isCancelled { throw .cancelled }
    try part.forEachOwnCode { number, code throws(PieceError) in
      try write(number, code)
      tree.touch(codeOf: number)
    }
    if sequence.hasUndecidedOwn { return nil }
    if selection.floor == 1 { return ShownNodes(squaredDistance: 0) }
    defer { tree.forget() }
    return part.shownNodes(after: start, at: selection.floor - 1, &tree)
  }
}

extension TreeStorage {
  /// Roots of the separate parts of the tree (see `TreeGroups.parts`), in tree order. In a tree without groups, only
  /// the root of the tree.
  fileprivate var partRoots: [Node] {
    guard let root else { return [] }
    guard let parts = groups?.parts else { return [root] }
    var (roots, waiting) = ([Node](), [root])
    while let node = waiting.popLast() {
      if node.count == parts[roots.count].count {
        roots.append(node)
      } else if let children = InternalNodeTable.children(of: node, self) {
        waiting += [children.right, children.left]
      }
    }
    return roots
  }
}
