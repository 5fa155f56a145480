import Synchronization
import Treeline

/// Computes the separations of a split tree that lies in a file, a bounded number of its nodes at a time in memory.
///
/// A node's separation depends on what is shown around it while the distance r falls, and nothing farther away than r
/// is looked at. So the sequence of splits (see `SeparationBuild`) is run in parts:
///
/// 1. From the root down to the distance at which as many nodes as fit have been shown. Nodes that cannot be split
///    above it are left out: the least of its own squared distance and those of the nodes above bounds that of a node.
/// 2. What is shown then is divided by area. For each piece the sequence goes on with the nodes below it and with those
///    around it, up to a *margin* of a few r, which may be in the way. What lies at the edge of the margin is unsure
///    from the beginning: anything in its box may be shown. A node that nothing known blocks, but something unsure may,
///    becomes unsure itself. All that is not unsure is as it would be in the whole sequence, for there every look found
///    the same. As long as a node of the piece itself becomes unsure, the margin is widened by half.
/// 3. A piece that has too many nodes goes down only some way, as in 1, and is divided again.
///
/// So the result is exact whatever the data, and the codes of one piece do not depend on any other piece. How wide a
/// margin must be does depend on data: chains of nodes each of which blocks the next carry what is unsure farther.
package final class SeparationPieces: Sendable {
  private let tree: SeparatedTree
  /// About how many nodes a part has.
  private let capacity: Int
  private let room: NodeRoom
  private let threads: Int
  private let monitor: BuildMonitor
  private let write: @Sendable (_ number: UInt32, _ code: UInt16) throws(PieceError) -> Void
  private let state = Mutex(Work())

  /// What it took.
  package struct Work: Sendable {
    /// Nodes that were read for parts of the sequence, among them those of margins and of parts that were done again.
    package internal(set) var nodesRead = 0
    package internal(set) var pieces = 0
    /// How often a margin was widened, and the widest.
    package internal(set) var widenings = 0
    package internal(set) var margin = 0
    /// The most nodes of all parts that were in memory at once, and those of the largest part.
    package internal(set) var mostNodes = 0
    package internal(set) var largestPart = 0
  }

  var work: Work {
    var work = state.withLock { $0 }
    (work.mostNodes, work.largestPart) = room.most
    return work
  }

  /// What a part takes a node: 70 bytes of `PieceNodes`, and its share of the grid, the queue and unsure boxes.
  static let bytesPerNode = 160
  /// What is kept of a node that is shown, for all threads.
  static let bytesPerShownNode = MemoryLayout<ShownFront.Member>.stride + 8

  /// - Parameters:
  ///   - capacity: How many nodes a part may have in memory: about as many, and more where margins need them. Parts
  ///     that have more wait until there is room, and only one that has more than all threads may goes beyond it.
  ///   - write: Takes a node's number and its code, which is not zero. All other codes are. From any thread.
  init(
    of tree: SeparatedTree, capacity: Int, threads: Int, _ monitor: BuildMonitor,
    _ write: @escaping @Sendable (_ number: UInt32, _ code: UInt16) throws(PieceError) -> Void
  ) {
    (self.tree, self.capacity, self.threads, self.monitor) = (tree, max(capacity, 16), threads, monitor)
    room = NodeRoom(self.capacity * threads)
    self.write = write
  }

  /// - Parameter progress: Told how many points are done, by one thread at a time.
  func run(progress: @escaping @Sendable (_ done: Int) -> Void = { _ in }) throws(PieceError) {
    let done = Mutex(0)
    @Sendable func note(_ count: Int) {
      done.withLock { done in
        done += count
        progress(done)
      }
    }
    // Trees that lie one behind the other are not in each other's way: of small ones each thread takes one at a time.
    let roots = tree.storage.partRoots
    try forEach(roots.filter { $0.count <= capacity }) { root throws(PieceError) in
      _ = try self.advance(ShownFront(root, of: self.tree.storage), selecting: self.capacity)
      note(Int(root.count))
    }
    for root in roots where root.count > capacity {
      guard let front = try advance(ShownFront(root, of: tree.storage), selecting: capacity) else {
        preconditionFailure("All is known, and yet something is unsure")
      }
      note(Int(root.count) - front.weight)
      try forEach(front.pieces(upTo: capacity / 2)) { piece throws(PieceError) in
        guard try self.separate(piece, of: front) else {
          preconditionFailure("Nothing is left out, and yet something is unsure")
        }
        note(piece.reduce(0) { $0 + front.nodes[Int($1)].weight })
      }
    }
  }

  /// Has threads take elements, one at a time each, until one fails.
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

  /// Computes the separations below some nodes that are shown.
  ///
  /// - Returns: False if they depend on what the front itself does not know.
  private func separate(_ piece: [Int32], of front: ShownFront) throws(PieceError) -> Bool {
    var margin = Self.leastMargin
    state.withLock { $0.pieces += 1 }
    while let part = front.part(around: piece, margin: margin, tree.projection) {
      state.withLock { $0.margin = max($0.margin, margin) }
      if try separate(part) { return true }
      margin += margin / 2
      state.withLock { $0.widenings += 1 }
    }
    return try separate(front.asked(for: piece))
  }

  private static let leastMargin = 4

  private func separate(_ front: ShownFront) throws(PieceError) -> Bool {
    guard let next = try advance(front, selecting: max(capacity, 4 * front.nodes.count) / 4) else { return false }
    for piece in next.pieces(upTo: capacity / 2) where try !separate(piece, of: next) { return false }
    return true
  }

  /// Goes on with the sequence: to its end if there are few enough nodes, and otherwise until as many as asked for were
  /// selected.
  ///
  /// - Returns: What is shown then; empty at the end, and nil once any of its own nodes is unsure.
  private func advance(_ front: ShownFront, selecting count: Int) throws(PieceError) -> ShownFront? {
    var tree = tree
    let (weight, shown) = (front.weight, front.nodes.count)
    // A part of which little is its own is worth more room, if there is any.
    let most = max(capacity, min(8 * shown, max(room.capacity - shown, 2 * shown)))
    let selection =
      weight <= most ? (floor: 1, count: weight) : tree.select(count, of: front)
    room.take(shown + selection.count)
    defer { room.giveBack(shown + selection.count) }
    let part = PieceNodes(below: front, downTo: selection.floor, capacity: selection.count, &tree)
    state.withLock { $0.nodesRead += part.count }
    tree.forget()
    var unsure = UnsureBoxes(tree.projection, reach: SplitSequence.reach(front.squaredDistance))
    for member in front.nodes where !member.isSure { unsure.insert(member.box, within: front.squaredDistance) }
    if selection.floor > front.squaredDistance { preconditionFailure("A part of a sequence goes down") }
    var sequence = SplitSequence(
      part, selection.floor...front.squaredDistance, unsure: unsure, tree.projection, monitor)
    sequence.run()
    if monitor.isCancelled { throw .cancelled }
    try part.forEachOwnCode { number, code throws(PieceError) in
      try write(number, code)
      tree.touch(codeOf: number)
    }
    if sequence.hasUnsureOwn { return nil }
    if selection.floor == 1 { return ShownFront(squaredDistance: 0) }
    defer { tree.forget() }
    return part.front(after: front, at: selection.floor - 1, &tree)
  }
}

extension TreeStorage {
  /// The roots of trees that lie one behind the other, or of the one tree.
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
