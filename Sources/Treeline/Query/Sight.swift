/// How much of a node, of which something may be seen, a window shows.
///
/// The numbers leave the bits free that the levels of a node take: both share 32 bits.
struct Sight: Equatable {
  let bits: UInt32

  static let none = Sight(bits: 0)

  /// As far as its box tells, some points and not all. Said of nodes with stored children only.
  static let partial = Sight(bits: 1 << 30)

  /// All of its points.
  static let whole = Sight(bits: 1 << 31)

  /// Something, however much: what is seen does not matter any more. The greatest number of all.
  static let finished = Sight(bits: 1 << 31 | 1 << 30)

  /// Where the bits begin that tell of the points of a bucket, one by one.
  private static let shift = Bucket.shiftOfVisibility

  static let allBits: UInt32 = ~(1 << shift - 1)

  @inline(__always)
  init(bits: UInt32) { self.bits = bits }

  /// 1 if anything is seen, else 0.
  @inline(__always)
  var asNumber: Int { bits == 0 ? 0 : 1 }

  /// By the box of a node.
  @inline(__always)
  init(_ sides: SidesOutside) {
    let seen = sides.areNone ? Self.whole.bits : Self.partial.bits
    bits = sides.areAll ? 0 : seen
  }

  /// Some points of a bucket or of a part of one: bit i is for the node's point i.
  @inline(__always)
  init(points: UInt32, ofCount count: UInt32) {
    bits = points == 1 &<< count &- 1 ? Self.whole.bits : points &<< Self.shift
  }

  /// How much is seen of both parts of a bucket, or of a part of one, given how much is of itself.
  @inline(__always)
  func ofParts(_ leftCount: UInt32, _ rightCount: UInt32) -> (left: Sight, right: Sight) {
    if self == .whole { return (.whole, .whole) }
    let points = bits &>> Self.shift
    return (
      Sight(points: points & (1 &<< leftCount &- 1), ofCount: leftCount),
      Sight(points: points &>> leftCount, ofCount: rightCount)
    )
  }
}

extension TreeStorage {
  /// How much of a stored node a window shows, by its box, and by its points where it is a bucket: `partial` if there
  /// may be any.
  func sight(byBoxOf node: Node, in edges: WindowEdges) throws(IndexError) -> Sight {
    let box = nodes[Int(node.record)].box
    if !edges.window.intersects(box) { return .none }
    return edges.window.contains(box)
      ? .whole : isStored(node) ? .partial : try sight(ofBucket: node, in: edges.window)
  }

  /// How much of both children of a node is seen, of which something is.
  ///
  /// Where nothing is seen of one child, something is of the other: only where both boxes reach into the window are
  /// points searched for, so that the way down to a small window costs a box or two a level.
  func sights(
    of fork: ChildPair, of node: Node, below sight: Sight, in edges: WindowEdges
  ) throws(IndexError) -> (left: Sight, right: Sight) {
    if fork.recordStep == 0 { return sight.ofParts(fork.leftCount, node.count &- fork.leftCount) }
    let sides = edges.sidesOutside(ofPair: nodes + Int(fork.leftRecord))
    return try searched(sights(byBoxes: sides, of: fork, of: node, in: edges), of: fork, of: node, in: edges)
  }

  /// How much of both stored children of a node may be seen, by which sides of their boxes are outside and by the points
  /// of buckets.
  @inline(__always)
  func sights(
    byBoxes sides: (left: SidesOutside, right: SidesOutside), of fork: ChildPair, of node: Node,
    in edges: WindowEdges
  ) throws(IndexError) -> (left: Sight, right: Sight) {
    let records = nodes + Int(fork.leftRecord)
    let (left, right) = (Sight(sides.left), Sight(sides.right))
    let ofBuckets =
      (records[0].childOffset == 0 ? left.bits : 0) | (records[1].childOffset == 0 ? right.bits : 0)
    return ofBuckets & Sight.partial.bits == 0
      ? (left, right) : try byPoints(left, right, of: fork, of: node, in: edges)
  }

  /// The same where the boxes tell it but for a bucket or two.
  @inline(never)
  private func byPoints(
    _ left: Sight, _ right: Sight, of fork: ChildPair, of node: Node, in edges: WindowEdges
  ) throws(IndexError) -> (left: Sight, right: Sight) {
    (
      try byPoints(left, of: fork.left(of: node), in: edges),
      try byPoints(right, of: fork.right(of: node), in: edges)
    )
  }

  @inline(__always)
  private func byPoints(_ sight: Sight, of node: Node, in edges: WindowEdges) throws(IndexError) -> Sight {
    sight == .partial && !isStored(node) ? try self.sight(ofBucket: node, in: edges.window) : sight
  }

  /// How much of both children of a node is seen, of which something is, given how much may be.
  @inline(never)
  func searched(
    _ sights: (left: Sight, right: Sight), of fork: ChildPair, of node: Node, in edges: WindowEdges
  ) throws(IndexError) -> (left: Sight, right: Sight) {
    let (left, right) = sights
    if left == .none || right == .none { return (left, right) }
    if left == .partial, try !hasPointInside(fork.left(of: node), edges) { return (.none, right) }
    if right == .partial, try !hasPointInside(fork.right(of: node), edges) { return (left, .none) }
    return (left, right)
  }

  /// Whether a stored node whose box reaches into the window has a point there.
  @inline(__always)
  func hasPointInside(_ node: Node, _ edges: WindowEdges) throws(IndexError) -> Bool {
    if edges.sidesOutside(of: nodes + Int(node.record)).leaveOneInside { return true }
    return try hasPoint(node, in: edges.window)
  }

  /// - Complexity: O(1), for 16 points at most.
  @inline(never)
  private func sight(ofBucket node: Node, in window: PlaneWindow) throws(IndexError) -> Sight {
    if nodes[Int(node.record)].box.isPoint { return .none }
    guard node.count <= NodeRecord.bucketCapacity else { throw bucketOverfull(node.record) }
    var seen: UInt32 = 0
    for index in 0..<Int(node.count) {
      if window.contains(points[Int(node.first) &+ index]) { seen |= 1 &<< UInt32(truncatingIfNeeded: index) }
    }
    return Sight(points: seen, ofCount: node.count)
  }
}
