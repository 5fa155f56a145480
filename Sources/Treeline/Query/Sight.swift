/// How much of a node, of which something may be seen, a window shows.
struct Sight: Equatable {
  private let bits: UInt32

  static let none = Sight(bits: 0)

  /// As far as its box tells, some points and not all. Said of nodes with stored children only.
  static let partial = Sight(bits: 1 << 16)

  /// All of its points.
  static let whole = Sight(bits: 1 << 17)

  private init(bits: UInt32) { self.bits = bits }

  /// How much of a box a window shows. Written without branches, for what comes out is as good as random.
  @inline(__always)
  init(of box: PlaneRect, in window: PlaneWindow) {
    let reaches: UInt32 = window.intersects(box) ? Self.partial.bits : 0
    bits = reaches &<< (window.contains(box) ? 1 : 0)
  }

  /// Some points of a bucket or of a part of one: bit i is for the node's point i.
  @inline(__always)
  init(points: UInt32, ofCount count: UInt32) {
    bits = points == 1 &<< count &- 1 ? Self.whole.bits : points
  }

  /// How much is seen of both parts of a bucket, or of a part of one, given how much is of itself.
  @inline(__always)
  func ofParts(_ leftCount: UInt32, _ rightCount: UInt32) -> (left: Sight, right: Sight) {
    let points = self == .whole ? 1 &<< (leftCount &+ rightCount) &- 1 : bits
    return (
      Sight(points: points & (1 &<< leftCount &- 1), ofCount: leftCount),
      Sight(points: points &>> leftCount, ofCount: rightCount)
    )
  }
}

extension TreeStorage {
  /// How much of a stored node a window shows, by its box, and by its points where it is a bucket: `partial` if there
  /// may be any.
  @inline(__always)
  func sight(byBoxOf node: Node, in window: PlaneWindow) throws(IndexError) -> Sight {
    let record = nodes + Int(node.record)
    let box = record.pointee.box
    let sight = Sight(of: box, in: window)
    return sight == .partial && record.pointee.childOffset == 0
      ? try self.sight(ofBucket: node, in: window) : sight
  }

  /// How much of both children of a node may be seen, by their boxes and by the points of buckets.
  @inline(__always)
  func sightsByBox(
    of children: (left: Node, right: Node), below parent: Sight, in window: PlaneWindow
  ) throws(IndexError) -> (left: Sight, right: Sight) {
    if children.left.depthInBucket > 0 { return parent.ofParts(children.left.count, children.right.count) }
    if parent == .whole { return (.whole, .whole) }
    return (try sight(byBoxOf: children.left, in: window), try sight(byBoxOf: children.right, in: window))
  }

  /// How much of both children of a node is seen, of which something is.
  ///
  /// Where nothing is seen of one child, something is of the other: only where both boxes reach into the window are
  /// points searched for, so that the way down to a small window costs a box or two a level.
  @inline(never)
  func sights(
    of children: (left: Node, right: Node), below parent: Sight, in window: PlaneWindow
  ) throws(IndexError) -> (left: Sight, right: Sight) {
    let (left, right) = try sightsByBox(of: children, below: parent, in: window)
    if left == .none || right == .none { return (left, right) }
    if left == .partial, try !hasPointInside(children.left, window) { return (.none, right) }
    if right == .partial, try !hasPointInside(children.right, window) { return (left, .none) }
    return (left, right)
  }

  /// Whether a stored node whose box reaches into the window has a point there.
  @inline(__always)
  func hasPointInside(_ node: Node, _ window: PlaneWindow) throws(IndexError) -> Bool {
    if window.containsSide(of: nodes[Int(node.record)].box) { return true }
    return try hasPoint(node, in: window)
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
