/// How much of a node, of which something may be seen, a window shows.
///
/// The numbers leave the bits free that the levels of a node take: both share 32 bits.
struct Visibility: Equatable {
  let bits: UInt32

  static let none = Visibility(bits: 0)

  /// As far as its box tells, some points and not all. Said of nodes with stored children only.
  static let partial = Visibility(bits: Bucket.partlyVisible)

  /// All of its points.
  static let whole = Visibility(bits: Bucket.whollyVisible)

  /// Something, however much: what is seen does not matter any more. The greatest number of all.
  static let finished = Visibility(bits: Bucket.whollyVisible | Bucket.partlyVisible)

  /// Where the bits begin that tell of the points of a bucket, one by one.
  private static let shift = Bucket.shiftOfVisibility

  static let allBits: UInt32 = ~(1 << shift - 1)

  @inline(__always) init(bits: UInt32) { self.bits = bits }

  /// 1 if anything is seen, else 0.
  @inline(__always) var asNumber: Int { bits == 0 ? 0 : 1 }

  /// By the box of a node.
  @inline(__always) init(_ sides: SidesOutside) {
    let seen = sides.areNone ? Self.whole.bits : Self.partial.bits
    bits = sides.areAll ? 0 : seen
  }

  /// Some points of a bucket or of a part of one: bit i is for the node's point i.
  @inline(__always) init(points: UInt32, ofCount count: UInt32) {
    bits = points == 1 &<< count &- 1 ? Self.whole.bits : points &<< Self.shift
  }

  /// How much is seen of both parts of a bucket, or of a part of one, given how much is of itself.
  @inline(__always) func ofParts(_ leftCount: UInt32, _ rightCount: UInt32) -> (left: Visibility, right: Visibility) {
    if self == .whole { return (.whole, .whole) }
    let points = bits &>> Self.shift
    return (
      Visibility(points: points & (1 &<< leftCount &- 1), ofCount: leftCount),
      Visibility(points: points &>> leftCount, ofCount: rightCount)
    )
  }
}

/// Cuts ask here, and nowhere else, which points are in view.
extension TreeStorage {
  /// A window made ready for the boxes of this tree.
  func edges(of window: PlaneWindow) -> WindowEdges {
    WindowEdges(of: window, boxesCrossSeam: mergeTraits.contains(.acrossSeam))
  }

  /// How much of a stored node a window shows, by its box, and by its points where it is a bucket: `partial` if there
  /// may be any.
  func visibility(byBoxOf node: Node, in edges: WindowEdges) throws(IndexError) -> Visibility {
    let box = nodes[Int(node.record)].box
    if !edges.window.intersects(box) { return .none }
    return edges.window.contains(box)
      ? .whole : isStored(node) ? .partial : try visibility(ofBucket: node, in: edges)
  }

  /// How much of both children of a node is seen, of which something is.
  ///
  /// Where nothing is seen of one child, something is of the other: only where both boxes reach into the window are
  /// points searched for, so that the way down to a small window costs a box or two a level.
  func visibilities(of pair: ChildPair, of node: Node, below visibility: Visibility, in edges: WindowEdges)
    throws(IndexError) -> (left: Visibility, right: Visibility)
  {
    if pair.recordStep == 0 { return visibility.ofParts(pair.leftCount, node.count &- pair.leftCount) }
    let sides = edges.sidesOutside(ofPair: nodes + Int(pair.leftRecord))
    return try searched(visibilities(byBoxes: sides, of: pair, of: node, in: edges), of: pair, of: node, in: edges)
  }

  /// How much of both stored children of a node may be seen, by which sides of their boxes are outside and by the
  /// points of buckets.
  @inline(__always) func visibilities(
    byBoxes sides: (left: SidesOutside, right: SidesOutside), of pair: ChildPair, of node: Node, in edges: WindowEdges
  ) throws(IndexError) -> (left: Visibility, right: Visibility) {
    let records = nodes + Int(pair.leftRecord)
    let (left, right) = (Visibility(sides.left), Visibility(sides.right))
    let ofBuckets = (records[0].childOffset == 0 ? left.bits : 0) | (records[1].childOffset == 0 ? right.bits : 0)
    return ofBuckets & Visibility.partial.bits == 0
      ? (left, right) : try byPoints(left, right, of: pair, of: node, in: edges)
  }

  /// The same where the boxes tell it but for a bucket or two.
  @inline(never) private func byPoints(
    _ left: Visibility, _ right: Visibility, of pair: ChildPair, of node: Node, in edges: WindowEdges
  ) throws(IndexError) -> (left: Visibility, right: Visibility) {
    (try byPoints(left, of: pair.left(of: node), in: edges), try byPoints(right, of: pair.right(of: node), in: edges))
  }

  @inline(__always) private func byPoints(_ visibility: Visibility, of node: Node, in edges: WindowEdges)
    throws(IndexError) -> Visibility
  { visibility == .partial && !isStored(node) ? try self.visibility(ofBucket: node, in: edges) : visibility }

  /// How much of both children of a node is seen, of which something is, given how much may be.
  @inline(never) func searched(
    _ visibilities: (left: Visibility, right: Visibility), of pair: ChildPair, of node: Node, in edges: WindowEdges
  ) throws(IndexError) -> (left: Visibility, right: Visibility) {
    let (left, right) = visibilities
    if left == .none || right == .none { return (left, right) }
    if left == .partial, try !hasPointInside(pair.left(of: node), edges) { return (.none, right) }
    if right == .partial, try !hasPointInside(pair.right(of: node), edges) { return (left, .none) }
    return (left, right)
  }

  /// Whether a stored node whose box reaches into the window has a point there.
  @inline(__always) func hasPointInside(_ node: Node, _ edges: WindowEdges) throws(IndexError) -> Bool {
    if edges.sidesOutside(of: nodes + Int(node.record)).leaveOneInside { return true }
    return try hasPoint(node, in: edges)
  }

  /// - Complexity: O(1), for 16 points at most.
  @inline(never) private func visibility(ofBucket node: Node, in edges: WindowEdges) throws(IndexError) -> Visibility {
    if nodes[Int(node.record)].box.isPoint { return .none }
    guard node.count <= NodeRecord.bucketCapacity else { throw bucketOverfull(node.record) }
    var seen: UInt32 = 0
    for index in 0..<Int(node.count) {
      if edges.window.contains(points[Int(node.first) &+ index]) { seen |= 1 &<< UInt32(truncatingIfNeeded: index) }
    }
    return Visibility(points: seen, ofCount: node.count)
  }
}

// MARK: - Searching for points

extension TreeStorage {
  /// Whether any node, a part of a bucket too, has a point in the window.
  func hasVisiblePoint(_ node: Node, in edges: WindowEdges) throws(IndexError) -> Bool {
    if node.depthInBucket == 0 { return try isSeen(node, in: edges) }
    return node.range.contains { edges.window.contains(points[$0]) }
  }

  /// Whether a stored node has a point in the window.
  func isSeen(_ node: Node, in edges: WindowEdges) throws(IndexError) -> Bool {
    let window = edges.window
    let box = nodes[Int(node.record)].box
    guard window.intersects(box) else { return false }
    if window.contains(box) || window.containsSide(of: box) { return true }
    return try hasPoint(node, in: edges)
  }

  /// Whether a node whose box lies across the window's edges, no side of it inside, has a point in the window.
  ///
  /// Of two children the one with fewer points is looked into by a call and the other by going on, so calls nest at
  /// most 31 deep, however deep a damaged file says that its tree is: a thread may have a small stack.
  ///
  /// Complexity: O(1) for most nodes; at worst as many nodes as lie across the window's corners.
  func hasPoint(_ node: Node, in edges: WindowEdges) throws(IndexError) -> Bool {
    let window = edges.window
    var node = node
    while isStored(node) {
      guard let (left, right) = try children(of: node) else { return false }
      let (smaller, larger) = left.count < right.count ? (left, right) : (right, left)
      let smallerBox = nodes[Int(smaller.record)].box
      if window.intersects(smallerBox) {
        if window.containsSide(of: smallerBox) { return true }
        if try hasPoint(smaller, in: edges) { return true }
      }
      let largerBox = nodes[Int(larger.record)].box
      guard window.intersects(largerBox) else { return false }
      if window.containsSide(of: largerBox) { return true }
      node = larger
    }
    let count = nodes[Int(node.record)].box.isPoint ? 1 : Int(node.count)
    guard count <= NodeRecord.bucketCapacity else { throw bucketOverfull(node.record) }
    let members = UnsafeBufferPointer(start: points + Int(node.first), count: count)
    for point in members where window.contains(point) { return true }
    return false
  }
}
