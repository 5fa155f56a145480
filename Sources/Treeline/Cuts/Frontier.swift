/// The nodes of a cut while the cut is computed, in tree order.
///
/// When a level is expanded, its nodes are read in order from one buffer, and their replacements are written to a
/// second buffer. The next level reads the second buffer. Both buffers lie in one block of memory. For a limit of up
/// to `fewNodes`, this block and the answer are the only allocations of a query.
struct Frontier: ~Copyable {
  /// A slot packs a node and its visibility into two numbers. A slot is copied at every level. A few additions are
  /// enough to compute the slots of a node's children from the slot of the node.
  struct Slot {
    /// The lower half is the index of the node's first point. The upper half is the number of the node's points.
    private let span: UInt64
    /// The lower half is the index of the node's record. The upper half contains `Node.levels` in its lower bits, and
    /// the visibility in its upper bits.
    private let link: UInt64

    @inline(__always) private init(span: UInt64, link: UInt64) { (self.span, self.link) = (span, link) }

    @inline(__always) init(_ node: Node, _ visibility: Visibility) {
      span = UInt64(node.count) << 32 | UInt64(node.first)
      link = UInt64(node.levels | visibility.bits) << 32 | UInt64(node.record)
    }

    @inline(__always) var node: Node {
      let (first, record) = (UInt32(truncatingIfNeeded: span), UInt32(truncatingIfNeeded: link))
      return Node(first: first, count: count, record: record, levels: state & ~Visibility.allBits)
    }

    /// Writes the node with two store instructions. Two are enough, because a node has the same layout in memory as in
    /// a slot.
    @inline(__always) func writeNode(to node: UnsafeMutablePointer<Node>) {
      let node = UnsafeMutableRawPointer(node)
      node.storeBytes(of: span, as: UInt64.self)
      node.storeBytes(of: link & Self.withoutVisibility, toByteOffset: 8, as: UInt64.self)
    }

    @inline(__always) var count: UInt32 { UInt32(truncatingIfNeeded: span &>> 32) }

    @inline(__always) var record: Int { Int(UInt32(truncatingIfNeeded: link)) }

    @inline(__always) private var state: UInt32 { UInt32(truncatingIfNeeded: link &>> 32) }

    @inline(__always) var visibility: Visibility { Visibility(bits: state & Visibility.allBits) }

    /// Whether the node is finished, which means that it stays in the answer and is not replaced.
    @inline(__always) var isFinished: Bool { state >= Visibility.finished.bits }

    /// Whether the node is wholly visible or finished. Any other node may have a single visible child. In this case
    /// the child takes the place of the node.
    @inline(__always) var isAllSeen: Bool { state >= Visibility.whole.bits }

    /// This node, marked as finished.
    @inline(__always) var finished: Slot { Slot(span: span, link: link | UInt64(Visibility.finished.bits) << 32) }

    private static let withoutVisibility = ~(UInt64(Visibility.allBits) << 32)

    /// Returns both children of a node that is wholly visible and has stored children. The children are wholly visible,
    /// too.
    @inline(__always) func childrenAllSeen(leftCount: UInt32, _ childOffset: UInt32) -> (left: Slot, right: Slot) {
      // Adds 1 to the node's level in the upper half of `link`, and adds the child offset to the index of the node's
      // record in the lower half.
      let below = link &+ (1 << 32 | UInt64(childOffset))
      return parts(leftCount, (below, below &+ 1))
    }

    /// Returns both children of a node that is partly visible and has stored children.
    @inline(__always) func children(
      leftCount: UInt32, _ childOffset: UInt32, seen visibilities: (left: Visibility, right: Visibility)
    ) -> (left: Slot, right: Slot) {
      let below = link & Self.withoutVisibility &+ (1 << 32 | UInt64(childOffset))
      return parts(leftCount, (below | visibilities.left.inPlace, (below &+ 1) | visibilities.right.inPlace))
    }

    /// Returns both parts of a bucket, or of a part of a bucket. A bucket is a small node whose descendants are not
    /// stored. A part that has only one point is finished.
    @inline(__always) func partsOfBucket(leftCount: UInt32, seen visibilities: (left: Visibility, right: Visibility))
      -> (left: Slot, right: Slot)
    {
      let below = (link & Self.withoutVisibility) &+ UInt64(Bucket.oneDown) << 32
      let (left, right) = parts(leftCount, (below | visibilities.left.inPlace, below | visibilities.right.inPlace))
      return (left.count == 1 ? left.finished : left, right.count == 1 ? right.finished : right)
    }

    @inline(__always) private func parts(_ leftCount: UInt32, _ links: (left: UInt64, right: UInt64)) -> (
      left: Slot, right: Slot
    ) {
      let leftCount = UInt64(leftCount)
      let left = span & 0xFFFF_FFFF | leftCount &<< 32
      // Adds `leftCount` to the lower half of `span`, the index of the first point. Subtracts `leftCount` from the
      // upper half, the number of points. Neither half overflows into the other.
      let right = span &+ leftCount &- leftCount &<< 32
      return (Slot(span: left, link: links.left), Slot(span: right, link: links.right))
    }
  }

  typealias Cursor = UnsafeMutablePointer<Slot>

  /// The greatest limit for which a frontier allocates room for all nodes at once. Up to this number of nodes,
  /// finished nodes are simply copied at every level. A higher limit is often huge and seldom reached, so a frontier
  /// with a higher limit starts with a small capacity.
  private static let fewNodes = 1024
  private static let capacityBeyond = 512

  /// Returns the capacity for a level of `count` nodes. Each buffer has room for this level and, after it, for the
  /// next level, which has at most twice as many nodes.
  private static func capacity(for count: Int) -> Int { 3 * count + 1 }

  /// The capacity of each of the two buffers.
  private var capacity: Int
  private var readStart: Cursor
  private var writtenStart: Cursor

  /// The nodes of this level that have not been read yet: `next ..< end`.
  var next: Cursor
  var end: Cursor
  /// The end of the nodes that have been written.
  var cursor: Cursor

  /// Finished nodes that have been set aside and are no longer copied. Whenever nodes are set aside, they are added as
  /// a new list. Each list is in tree order.
  private var retired: [[Node]] = []
  private var retiredCount = 0

  /// - Parameter limit: The greatest number of nodes that the frontier may reach.
  init(of node: Node, _ visibility: Visibility, limit: Int) {
    let most = max(min(limit, Int(node.count)), 1)
    capacity = most <= Self.fewNodes ? Self.capacity(for: most) : Self.capacityBeyond
    readStart = .allocate(capacity: 2 * capacity)
    writtenStart = readStart + capacity
    readStart.initialize(to: Slot(node, node.count == 1 ? .finished : visibility))
    (next, end, cursor) = (readStart, readStart + 1, writtenStart)
  }

  /// Makes a frontier of several nodes.
  ///
  /// - Parameters:
  ///   - starts: The nodes, one or more, in tree order.
  ///   - limit: The greatest number of nodes that the frontier may reach.
  init(of starts: [(node: Node, visibility: Visibility)], limit: Int) {
    let pointCount = starts.reduce(0) { $0 + Int($1.node.count) }
    let most = max(min(limit, pointCount), starts.count)
    capacity = most <= Self.fewNodes ? Self.capacity(for: most) : Self.capacityBeyond
    capacity = max(capacity, Self.capacity(for: starts.count))
    readStart = .allocate(capacity: 2 * capacity)
    writtenStart = readStart + capacity
    for (index, start) in starts.enumerated() {
      (readStart + index).initialize(to: Slot(start.node, start.node.count == 1 ? .finished : start.visibility))
    }
    (next, end, cursor) = (readStart, readStart + starts.count, writtenStart)
  }

  deinit { min(readStart, writtenStart).deallocate() }

  /// Returns the distance in bytes between two addresses: `next`, where the next node is read, and `cursor`, where the
  /// written nodes end. The distance grows with every node that the frontier gains.
  @inline(__always) static func distance(from next: Cursor, to cursor: Cursor) -> Int {
    UnsafeRawPointer(cursor) - UnsafeRawPointer(next)
  }

  /// Returns the result of `distance(from:to:)` for a frontier with `count` nodes: written, unread and retired nodes
  /// together.
  @inline(__always) func distance(ofCount count: Int) -> Int {
    // A frontier never has more nodes than there are points, and a tree has fewer than 2^32 points. So a count above
    // 2^32 has the same effect as 2^32.
    let count = min(count, 1 << 32) &- retiredCount
    return Self.distance(from: end, to: writtenStart) &+ count &* MemoryLayout<Slot>.stride
  }

  @inline(__always) var hasWritten: Bool { cursor > writtenStart }

  /// Begins the next level, which consists of the nodes that have been written.
  @inline(__always) mutating func nextLevel() {
    swap(&readStart, &writtenStart)
    (next, end, cursor) = (readStart, cursor, writtenStart)
    let count = end - next
    if Self.capacity(for: count) > capacity { grow() }
    if count > Self.fewNodes { retire() }
  }

  /// Makes room for all nodes that expanding a level can produce.
  @inline(never) private mutating func grow() {
    let count = end - next
    capacity *= 4
    let slots = Cursor.allocate(capacity: 2 * capacity)
    slots.update(from: readStart, count: count)
    min(readStart, writtenStart).deallocate()
    (readStart, writtenStart) = (slots, slots + capacity)
    (next, end, cursor) = (readStart, readStart + count, writtenStart)
  }

  /// Sets finished nodes aside if most nodes are finished, so that later levels do not copy them again. So copying
  /// takes no longer than expanding, however deep the tree is.
  @inline(never) private mutating func retire() {
    let slots = UnsafeMutableBufferPointer(start: next, count: end - next)
    let finished = slots.filter(\.isFinished).map(\.node)
    if finished.count < slots.count / 8 * 7 { return }
    retired.append(finished)
    retiredCount += finished.count
    end = Self.compact(next, end) { !$0.isFinished }
  }

  /// Removes all nodes for which `isKept` returns false.
  @inline(never) mutating func keep(where isKept: (Slot) throws(IndexError) -> Bool) throws(IndexError) {
    cursor = try Self.compact(writtenStart, cursor, keeping: isKept)
    end = try Self.compact(next, end, keeping: isKept)
  }

  private static func compact<Failure: Error>(
    _ start: Cursor, _ end: Cursor, keeping isKept: (Slot) throws(Failure) -> Bool
  ) throws(Failure) -> Cursor {
    var cursor = start
    for next in start..<end where try isKept(next.pointee) {
      cursor.pointee = next.pointee
      cursor += 1
    }
    return cursor
  }

  /// Returns the nodes of the frontier in tree order. Each node that is neither wholly visible nor finished is first
  /// replaced by the node that `transform` returns. If `transform` returns nil for any node, returns nil and leaves
  /// the frontier unchanged. Calls `check` for each node of the result.
  @inline(__always) func nodes(
    with transform: (Slot) throws(IndexError) -> Node?, checked check: (Node) throws(IndexError) -> Void
  ) throws(IndexError) -> [Node]? {
    // The unread nodes are copied behind the written nodes, in the buffer of the written nodes. The results are stored
    // in the other buffer, from `end` on. Both buffers have enough room.
    cursor.update(from: next, count: end - next)
    let count = (cursor - writtenStart) &+ (end - next)
    let slots = writtenStart
    let nodes = try end.withMemoryRebound(to: Node.self, capacity: count) { results throws(IndexError) in
      for index in 0..<count {
        var slot = slots[index]
        if !slot.isAllSeen {
          guard let node = try transform(slot) else { return [Node]?.none }
          slot = Slot(node, .whole)
        }
        try check(slot.node)
        slot.writeNode(to: results + index)
      }
      return Array(UnsafeBufferPointer(start: results, count: count))
    }
    guard let nodes else { return nil }
    // Later lists are usually shorter, so the last lists are merged first.
    return retired.isEmpty ? nodes : retired.reversed().reduce(nodes, Self.merged)
  }

  private static func merged(_ a: [Node], _ b: [Node]) -> [Node] {
    var merged: [Node] = []
    merged.reserveCapacity(a.count + b.count)
    var index = 0
    for node in a {
      while index < b.count && b[index].first < node.first {
        merged.append(b[index])
        index += 1
      }
      merged.append(node)
    }
    return merged + b[index...]
  }
}

extension Visibility {
  /// The visibility's bits, shifted to their position in a slot.
  @inline(__always) fileprivate var inPlace: UInt64 { UInt64(bits) &<< 32 }
}
