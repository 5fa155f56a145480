/// How much of a node, of which something may be seen, a window shows.
///
/// The numbers leave the bits free that the levels of a node take: both share 32 bits.
struct Visibility: Equatable {
  let bits: UInt32

  static let none = Visibility(bits: 0)

  /// As far as its box tells, some points and not all. Said of nodes with stored children only.
  static let partial = Visibility(bits: Bucket.partlyVisible)

  /// Its box is in the window, and some of its points count but not all. Said of nodes with stored children only.
  static let inside = Visibility(bits: Bucket.partlyVisible | 1 << shift)

  /// All of its points.
  static let whole = Visibility(bits: Bucket.whollyVisible)

  /// Something, however much: what is seen does not matter any more. The greatest number of all.
  static let finished = Visibility(bits: Bucket.whollyVisible | Bucket.partlyVisible)

  /// Whether it is for the children to tell which points are seen: `partial` or `inside`.
  @inline(__always) var isPartOfStored: Bool { bits & Self.finished.bits == Self.partial.bits }

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

/// What a query looks at: a window, and the points that count.
struct PointsInView<Counted: CountedPoints> {
  let edges: WindowEdges
  let counted: Counted

  @inline(__always) var window: PlaneWindow { edges.window }

  @inline(__always) func contains(_ treeIndex: Int, of storage: TreeStorage) -> Bool {
    counted.contains(treeIndex) && window.contains(storage.points[treeIndex])
  }

  /// Whether a stored node may have a point in view.
  @inline(__always) func mayShow(_ node: Node, _ box: PlaneRect) -> Bool {
    window.intersects(box) && counted.hasAny(of: node)
  }

  /// Whether a node that may is sure to: all points that count are inside, or one at a side of a tight box.
  @inline(__always) func isSureToShow(_ node: Node, _ box: PlaneRect) -> Bool {
    counted.hasAll(of: node) ? window.containsSide(of: box) : window.contains(box)
  }
}

/// Cuts ask here, and nowhere else, which points are in view.
extension TreeStorage {
  /// A window made ready for the boxes of this tree.
  func edges(of window: PlaneWindow) -> WindowEdges {
    WindowEdges(of: window, boxesCrossSeam: mergeTraits.contains(.acrossSeam))
  }

  /// How much of a stored node is in view, by its box, and by its points where it is a bucket: `partial` if there may
  /// be any.
  func visibility<Counted>(byBoxOf node: Node, in view: PointsInView<Counted>) throws(IndexError) -> Visibility {
    let box = nodes[Int(node.record)].box
    if !view.mayShow(node, box) { return .none }
    let isInside = view.window.contains(box)
    if isInside && view.counted.hasAll(of: node) { return .whole }
    return isStored(node) ? isInside ? .inside : .partial : try visibility(ofBucket: node, in: view)
  }

  /// How much of both children of a node is seen, of which something is.
  ///
  /// Where nothing is seen of one child, something is of the other: only where both boxes reach into the window are
  /// points searched for, so that the way down to a small window costs a box or two a level.
  func visibilities<Counted>(
    of pair: ChildPair, of node: Node, below visibility: Visibility, in view: PointsInView<Counted>
  )
    throws(IndexError) -> (left: Visibility, right: Visibility)
  {
    if pair.recordStep == 0 { return visibility.ofParts(pair.leftCount, node.count &- pair.leftCount) }
    if visibility == .inside { return try visibilities(ofPairInside: pair, of: node, in: view) }
    let sides = view.edges.sidesOutside(ofPair: nodes + Int(pair.leftRecord))
    return try searched(visibilities(byBoxes: sides, of: pair, of: node, in: view), of: pair, of: node, in: view)
  }

  /// How much of both stored children of a node may be seen, by which sides of their boxes are outside and by the
  /// points of buckets.
  @inline(__always) func visibilities<Counted>(
    byBoxes sides: (left: SidesOutside, right: SidesOutside), of pair: ChildPair, of node: Node,
    in view: PointsInView<Counted>
  ) throws(IndexError) -> (left: Visibility, right: Visibility) {
    var (left, right) = (Visibility(sides.left), Visibility(sides.right))
    if !Counted.areAll {
      let shares = view.counted.shares(of: pair, of: node)
      (left, right) = (left.counting(shares.left), right.counting(shares.right))
    }
    return try withPoints(left, right, of: pair, of: node, in: view)
  }

  /// How much of both stored children of a node is seen that is `inside`.
  @inline(__always) func visibilities<Counted>(
    ofPairInside pair: ChildPair, of node: Node, in view: PointsInView<Counted>
  ) throws(IndexError) -> (left: Visibility, right: Visibility) {
    if view.counted.isKnownToPartBoth(node) { return try withPoints(.inside, .inside, of: pair, of: node, in: view) }
    let shares = view.counted.shares(of: pair, of: node)
    if shares.left == .part && shares.right == .part { view.counted.notePartOfBoth(node) }
    return try withPoints(
      .whole.counting(shares.left), .whole.counting(shares.right), of: pair, of: node, in: view)
  }

  @inline(__always) private func withPoints<Counted>(
    _ left: Visibility, _ right: Visibility, of pair: ChildPair, of node: Node, in view: PointsInView<Counted>
  ) throws(IndexError) -> (left: Visibility, right: Visibility) {
    let records = nodes + Int(pair.leftRecord)
    let ofBuckets = (records[0].childOffset == 0 ? left.bits : 0) | (records[1].childOffset == 0 ? right.bits : 0)
    return ofBuckets & Visibility.partial.bits == 0
      ? (left, right) : try byPoints(left, right, of: pair, of: node, in: view)
  }

  /// The same where the boxes tell it but for a bucket or two.
  @inline(never) private func byPoints<Counted>(
    _ left: Visibility, _ right: Visibility, of pair: ChildPair, of node: Node, in view: PointsInView<Counted>
  ) throws(IndexError) -> (left: Visibility, right: Visibility) {
    (try byPoints(left, of: pair.left(of: node), in: view), try byPoints(right, of: pair.right(of: node), in: view))
  }

  @inline(__always) private func byPoints<Counted>(
    _ visibility: Visibility, of node: Node, in view: PointsInView<Counted>
  ) throws(IndexError) -> Visibility {
    visibility.isPartOfStored && !isStored(node)
      ? try self.visibility(ofBucket: node, isInside: visibility == .inside, in: view) : visibility
  }

  /// How much of both children of a node is seen, of which something is, given how much may be.
  @inline(never) func searched<Counted>(
    _ visibilities: (left: Visibility, right: Visibility), of pair: ChildPair, of node: Node,
    in view: PointsInView<Counted>
  ) throws(IndexError) -> (left: Visibility, right: Visibility) {
    let (left, right) = visibilities
    if left == .none || right == .none { return (left, right) }
    if left == .partial, try !hasPointInside(pair.left(of: node), view) { return (.none, right) }
    if right == .partial, try !hasPointInside(pair.right(of: node), view) { return (left, .none) }
    return (left, right)
  }

  /// Whether a stored node that may have a point in view, by its box and its count, has one.
  @inline(__always) func hasPointInside<Counted>(_ node: Node, _ view: PointsInView<Counted>) throws(IndexError) -> Bool
  {
    let sides = view.edges.sidesOutside(of: nodes + Int(node.record))
    if sides.areNone || view.counted.hasAll(of: node) && sides.leaveOneInside { return true }
    return try hasPoint(node, in: view)
  }

  /// - Complexity: O(1), for 16 points at most.
  @inline(never) private func visibility<Counted>(
    ofBucket node: Node, isInside: Bool = false, in view: PointsInView<Counted>
  ) throws(IndexError) -> Visibility {
    let box = nodes[Int(node.record)].box
    // Nothing but the whole of it can be shown, even if some of its points do not count.
    if box.isPoint { return isInside || view.window.contains(box) ? .whole : .none }
    guard node.count <= NodeRecord.bucketCapacity else { throw bucketOverfull(node.record) }
    if isInside { return Visibility(points: view.counted.bits(of: node), ofCount: node.count) }
    var seen: UInt32 = 0
    for index in 0..<Int(node.count) {
      if view.window.contains(points[Int(node.first) &+ index]) { seen |= 1 &<< UInt32(truncatingIfNeeded: index) }
    }
    return Visibility(points: seen & view.counted.bits(of: node), ofCount: node.count)
  }
}

extension Visibility {
  /// How much of a stored node may be seen of whose points that share counts, given how much of all its points may be.
  @inline(__always) fileprivate func counting(_ share: CountedShare) -> Visibility {
    // Without branches: which of these it is is as good as random.
    let counted = self == .whole && !share.isAll ? Visibility.inside.bits : bits
    return Visibility(bits: share.isNone ? 0 : counted)
  }
}

// MARK: - Searching for points

extension TreeStorage {
  /// Whether any node, a part of a bucket too, has a point in view.
  func hasVisiblePoint<Counted>(_ node: Node, in view: PointsInView<Counted>) throws(IndexError) -> Bool {
    if node.depthInBucket == 0 { return try isSeen(node, in: view) }
    return node.range.contains { view.contains($0, of: self) }
  }

  /// Whether a stored node has a point in view.
  func isSeen<Counted>(_ node: Node, in view: PointsInView<Counted>) throws(IndexError) -> Bool {
    let box = nodes[Int(node.record)].box
    guard view.mayShow(node, box) else { return false }
    if view.isSureToShow(node, box) { return true }
    return try hasPoint(node, in: view)
  }

  /// Whether a node whose box lies across the window's edges, no side of it inside, has a point in view.
  ///
  /// Of two children the one with fewer points is looked into by a call and the other by going on, so calls nest at
  /// most 31 deep, however deep a damaged file says that its tree is: a thread may have a small stack.
  ///
  /// Complexity: O(1) for most nodes; at worst as many nodes as lie across the window's corners, or, under a filter,
  /// across its edges.
  func hasPoint<Counted>(_ node: Node, in view: PointsInView<Counted>) throws(IndexError) -> Bool {
    var node = node
    while isStored(node) {
      guard let (left, right) = try children(of: node) else { return false }
      let (leftBox, rightBox) = (nodes[Int(left.record)].box, nodes[Int(right.record)].box)
      let (mayLeft, mayRight) = (view.mayShow(left, leftBox), view.mayShow(right, rightBox))
      if mayLeft && view.isSureToShow(left, leftBox) || mayRight && view.isSureToShow(right, rightBox) { return true }
      if mayLeft && mayRight {
        let (smaller, larger) = left.count < right.count ? (left, right) : (right, left)
        if try hasPoint(smaller, in: view) { return true }
        node = larger
      } else {
        guard mayLeft || mayRight else { return false }
        node = mayLeft ? left : right
      }
    }
    let box = nodes[Int(node.record)].box
    if box.isPoint { return view.window.contains(box) }
    guard node.count <= NodeRecord.bucketCapacity else { throw bucketOverfull(node.record) }
    for treeIndex in node.range where view.contains(treeIndex, of: self) { return true }
    return false
  }
}
