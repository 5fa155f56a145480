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
  /// How many nodes each thread may have in memory.
  private let capacity: Int
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
  }

  var work: Work { state.withLock { $0 } }

  /// What a part takes a node: 70 bytes of `PieceNodes`, and its share of the grid, the queue and pages of the file.
  static let bytesPerNode = 160
  /// What is kept of a node that is shown, for all threads.
  static let bytesPerShownNode = MemoryLayout<ShownFront.Member>.stride + 8

  /// - Parameters:
  ///   - capacity: How many nodes each thread may have in memory: about as many, and more where margins need them.
  ///   - write: Takes a node's number and its code, which is not zero. All other codes are. From any thread.
  init(
    of tree: SeparatedTree, capacity: Int, _ monitor: BuildMonitor,
    _ write: @escaping @Sendable (_ number: UInt32, _ code: UInt16) throws(PieceError) -> Void
  ) {
    (self.tree, self.capacity, self.monitor, self.write) = (tree, max(capacity, 16), monitor, write)
  }

  /// - Parameter progress: Told how many points are done, by one thread at a time.
  func run(threads: Int, progress: @escaping @Sendable (_ done: Int) -> Void = { _ in }) throws(PieceError) {
    let done = Mutex(0)
    @Sendable func note(_ count: Int) {
      done.withLock { done in
        done += count
        progress(done)
      }
    }
    // Trees that lie one behind the other are not in each other's way: of small ones each thread takes one at a time.
    let roots = tree.storage.partRoots
    try forEach(roots.filter { $0.count <= capacity }, threads) { root throws(PieceError) in
      _ = try self.advance(ShownFront(root, of: self.tree.storage), selecting: self.capacity)
      note(Int(root.count))
    }
    for root in roots where root.count > capacity {
      guard let front = try advance(ShownFront(root, of: tree.storage), selecting: capacity) else {
        preconditionFailure("All is known, and yet something is unsure")
      }
      note(Int(root.count) - front.weight)
      try forEach(front.pieces(upTo: capacity / 2), threads) { piece throws(PieceError) in
        guard try self.separate(piece, of: front) else {
          preconditionFailure("Nothing is left out, and yet something is unsure")
        }
        note(piece.reduce(0) { $0 + front.nodes[Int($1)].weight })
      }
    }
  }

  /// Has threads take elements, one at a time each, until one fails.
  private func forEach<Element: Sendable>(
    _ elements: [Element], _ threads: Int, _ work: @escaping @Sendable (Element) throws(PieceError) -> Void
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
    let (weight, most) = (front.weight, max(capacity, 8 * front.nodes.count))
    let selection =
      weight <= most ? (floor: 1, count: weight) : tree.select(count, of: front)
    let part = PieceNodes(below: front, downTo: selection.floor, capacity: selection.count, &tree)
    state.withLock { $0.nodesRead += part.count }
    tree.forget()
    var unsure = UnsureBoxes(
      tree.projection, reach: SplitSequence.reach(front.squaredDistance), records: tree.storage.nodes)
    for member in front.nodes where !member.isSure { unsure.insert(member.box, within: front.squaredDistance) }
    if selection.floor > front.squaredDistance { preconditionFailure("A part of a sequence goes down") }
    var sequence = SplitSequence(
      part, selection.floor...front.squaredDistance, unsure: unsure, tree.projection, monitor)
    sequence.run()
    if monitor.isCancelled { throw .cancelled }
    let write = write
    try part.forEachOwnCode { number, code throws(PieceError) in try write(number, code) }
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

/// A tree in a file, pages of which are given back now and then.
struct SeparatedTree: Sendable {
  let storage: TreeStorage
  let projection: Plane.Projection
  /// Called to give all pages back; they are read again when they are needed.
  let giveBack: @Sendable () -> Void
  private var cost = 0

  init(_ storage: TreeStorage, _ projection: Plane.Projection, giveBack: @escaping @Sendable () -> Void = {}) {
    (self.storage, self.projection, self.giveBack) = (storage, projection, giveBack)
  }

  /// To be called for each node that is looked at.
  @inline(__always) mutating func visit(_ node: Node) {
    // A node that has many points lies far from its children and its sums.
    cost &+= node.count > 1 << 10 ? 64 : 1
    if cost > Self.mostCost { forget() }
  }

  /// Some 20 MB.
  private static let mostCost = 1 << 14

  mutating func forget() {
    giveBack()
    cost = 0
  }

  /// Chooses the distance down to which so many nodes below those shown may be split, those of the greatest distances.
  ///
  /// - Returns: The square of the distance, and how many they are: more only where their distances are the same.
  mutating func select(_ wanted: Int, of front: ShownFront) -> (floor: UInt64, count: Int) {
    var heap = Heap<Candidate>()
    func add(_ node: Node, limit: UInt64) {
      visit(node)
      guard let children = InternalNodeTable.children(of: node, storage) else { return }
      let own = InternalNode(node, children, at: PlanePoint(x: 0, y: 0), storage, projection).squaredOwnDistance
      if own > 0 { heap.insert(Candidate(squaredDistance: min(own, limit), node: node)) }
    }
    for member in front.nodes where member.isSure && member.weight > 0 {
      add(member.node, limit: front.squaredDistance)
    }
    // Up to where the distances before the last one went.
    var (count, before, last) = (0, 0, UInt64.max)
    while let candidate = heap.popFirst() {
      let distance = candidate.squaredDistance
      if distance < last {
        if count >= wanted { return (distance + 1, count) }
        before = count
      } else if count >= wanted, before > 0 {
        return (last + 1, before)
      }
      (count, last) = (count + 1, distance)
      let children = InternalNodeTable.children(of: candidate.node, storage)!
      add(children.left, limit: distance)
      add(children.right, limit: distance)
    }
    return (1, count)
  }

  private struct Candidate: Comparable {
    let squaredDistance: UInt64
    let node: Node

    static func < (a: Candidate, b: Candidate) -> Bool { a.squaredDistance > b.squaredDistance }
  }
}
