/// The nodes of a cut while it is made, in tree order.
///
/// A level is expanded by reading the nodes one after the other and writing what takes their place, to be read at the
/// next level. Both lie in one piece of memory, the only one that a query asks for besides its answer unless its limit
/// is above a thousand.
struct Frontier: ~Copyable {
  /// A node and how much of it is seen, in two numbers: it is copied at every level, and its parts are made of it in a
  /// few additions.
  struct Slot {
    /// The node's first point in the lower half, its count in the upper.
    private let span: UInt64
    /// The record in the lower half; in the upper one the levels and, in its upper bits, the visibility.
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

    /// Writes the node, whose parts lie in memory as they do here, in two pieces.
    @inline(__always) func writeNode(to node: UnsafeMutablePointer<Node>) {
      let node = UnsafeMutableRawPointer(node)
      node.storeBytes(of: span, as: UInt64.self)
      node.storeBytes(of: link & Self.withoutVisibility, toByteOffset: 8, as: UInt64.self)
    }

    @inline(__always) var count: UInt32 { UInt32(truncatingIfNeeded: span &>> 32) }

    @inline(__always) var record: Int { Int(UInt32(truncatingIfNeeded: link)) }

    @inline(__always) private var state: UInt32 { UInt32(truncatingIfNeeded: link &>> 32) }

    @inline(__always) var visibility: Visibility { Visibility(bits: state & Visibility.allBits) }

    /// Whether it stays as it is.
    @inline(__always) var isFinished: Bool { state >= Visibility.finished.bits }

    /// Whether nothing but two nodes could take its place.
    @inline(__always) var isAllSeen: Bool { state >= Visibility.whole.bits }

    /// The same node, to stay as it is.
    @inline(__always) var finished: Slot { Slot(span: span, link: link | UInt64(Visibility.finished.bits) << 32) }

    private static let withoutVisibility = ~(UInt64(Visibility.allBits) << 32)

    /// Both children of a stored node of which all is seen, as then it is of them.
    @inline(__always) func childrenAllSeen(leftCount: UInt32, _ childOffset: UInt32) -> (left: Slot, right: Slot) {
      // One level down, in the upper half.
      let below = link &+ (1 << 32 | UInt64(childOffset))
      return parts(leftCount, (below, below &+ 1))
    }

    /// Both children of a stored node that is seen in part.
    @inline(__always) func children(
      leftCount: UInt32, _ childOffset: UInt32, seen visibilities: (left: Visibility, right: Visibility)
    ) -> (left: Slot, right: Slot) {
      let below = link & Self.withoutVisibility &+ (1 << 32 | UInt64(childOffset))
      return parts(leftCount, (below | visibilities.left.inPlace, (below &+ 1) | visibilities.right.inPlace))
    }

    /// Both parts of a bucket, or of a part of one. A point is finished.
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
      // Neither half overflows into the other.
      let right = span &+ leftCount &- leftCount &<< 32
      return (Slot(span: left, link: links.left), Slot(span: right, link: links.right))
    }
  }

  typealias Cursor = UnsafeMutablePointer<Slot>

  /// For so many nodes there is room from the beginning, and finished ones are copied at every level without looking
  /// for better. Higher limits are often said to be huge and seldom are reached.
  private static let fewNodes = 1024
  private static let capacityBeyond = 512

  /// What nodes of a frontier can lead to: a level at most doubles them, and as many may change in the end.
  private static func capacity(for count: Int) -> Int { 3 * count + 1 }

  /// Of what is read and of what is written.
  private var capacity: Int
  private var readStart: Cursor
  private var writtenStart: Cursor

  /// The nodes of this level that are yet to be read.
  var next: Cursor
  var end: Cursor
  /// Where the nodes end that have been written.
  var cursor: Cursor

  /// Finished nodes that are copied no more: some runs of them, each in tree order.
  private var retired: [[Node]] = []
  private var retiredCount = 0

  /// - Parameter limit: how many nodes the frontier may come to have.
  init(of node: Node, _ visibility: Visibility, limit: Int) {
    let most = max(min(limit, Int(node.count)), 1)
    capacity = most <= Self.fewNodes ? Self.capacity(for: most) : Self.capacityBeyond
    readStart = .allocate(capacity: 2 * capacity)
    writtenStart = readStart + capacity
    readStart.initialize(to: Slot(node, node.count == 1 ? .finished : visibility))
    (next, end, cursor) = (readStart, readStart + 1, writtenStart)
  }

  /// The same of several nodes.
  ///
  /// - Parameters:
  ///   - starts: One or more, in tree order.
  ///   - limit: how many nodes the frontier may come to have.
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

  /// How far what is yet to be read lies behind what is written, in bytes. It grows with every node that is added.
  @inline(__always) static func distance(from next: Cursor, to cursor: Cursor) -> Int {
    UnsafeRawPointer(cursor) - UnsafeRawPointer(next)
  }

  /// That distance where the frontier has so many nodes: those written, those yet to be read and those retired.
  @inline(__always) func distance(ofCount count: Int) -> Int {
    // There are never more nodes than points.
    let count = min(count, 1 << 32) &- retiredCount
    return Self.distance(from: end, to: writtenStart) &+ count &* MemoryLayout<Slot>.stride
  }

  @inline(__always) var hasWritten: Bool { cursor > writtenStart }

  /// Goes on to what has been written.
  @inline(__always) mutating func nextLevel() {
    swap(&readStart, &writtenStart)
    (next, end, cursor) = (readStart, cursor, writtenStart)
    let count = end - next
    if Self.capacity(for: count) > capacity { grow() }
    if count > Self.fewNodes { retire() }
  }

  /// Makes room for all that a level can lead to.
  @inline(never) private mutating func grow() {
    let count = end - next
    capacity *= 4
    let slots = Cursor.allocate(capacity: 2 * capacity)
    slots.update(from: readStart, count: count)
    min(readStart, writtenStart).deallocate()
    (readStart, writtenStart) = (slots, slots + capacity)
    (next, end, cursor) = (readStart, readStart + count, writtenStart)
  }

  /// Sets finished nodes aside if most are. So copying takes no longer than what is expanded, however deep the tree
  /// is.
  @inline(never) private mutating func retire() {
    let slots = UnsafeMutableBufferPointer(start: next, count: end - next)
    let finished = slots.filter(\.isFinished).map(\.node)
    if finished.count < slots.count / 8 * 7 { return }
    retired.append(finished)
    retiredCount += finished.count
    end = Self.compact(next, end) { !$0.isFinished }
  }

  /// Leaves out all nodes but some.
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

  /// What becomes of each node, in tree order; nil if one becomes nothing, and then the frontier is as it was.
  @inline(__always) func nodes(
    with transform: (Slot) throws(IndexError) -> Node?, checked check: (Node) throws(IndexError) -> Void
  ) throws(IndexError) -> [Node]? {
    // Behind what is written there is room for what is yet to be read, and behind that for what becomes of all.
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
    // The later, the shorter.
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
  /// Its bits where a slot keeps them.
  @inline(__always) fileprivate var inPlace: UInt64 { UInt64(bits) &<< 32 }
}
