/// The visibility of a node: how much of the node a window shows.
///
/// A visibility shares 32 bits with `Node.levels`, so all bits that `Node.levels` uses are 0 in a visibility.
struct Visibility: Equatable {
  let bits: UInt32

  static let none = Visibility(bits: 0)

  /// Only a part of the node's box is in the window, and the number of visible points is not known. This value is used
  /// only for nodes with stored children.
  static let partial = Visibility(bits: Bucket.partlyVisible)

  /// The node's box is in the window, and some but not all points of the node are counted. This value is used only for
  /// nodes with stored children.
  static let inside = Visibility(bits: Bucket.partlyVisible | 1 << shift)

  /// All points of the node are visible.
  static let whole = Visibility(bits: Bucket.whollyVisible)

  /// The node is at least partly visible, and is finished: the node stays in the answer and is not replaced. Whether
  /// the whole node is visible does not matter any more. The bits of `finished`, read as a number, are greater than
  /// the bits of any other visibility.
  static let finished = Visibility(bits: Bucket.whollyVisible | Bucket.partlyVisible)

  /// Whether the visibility is `partial` or `inside`. In this case, the stored children must be examined to find the
  /// visible points.
  @inline(__always) var isPartOfStored: Bool { bits & Self.finished.bits == Self.partial.bits }

  /// The position of the bit for the first point of a bucket, which is a small node whose descendants are not stored.
  private static let shift = Bucket.shiftOfVisibility

  static let allBits: UInt32 = ~(1 << shift - 1)

  @inline(__always) init(bits: UInt32) { self.bits = bits }

  /// 1 if any point is visible, and 0 if no point is visible.
  @inline(__always) var asNumber: Int { bits == 0 ? 0 : 1 }

  /// Makes the visibility of a node, given which sides of its box are outside the window.
  @inline(__always) init(_ sides: SidesOutside) {
    let seen = sides.areNone ? Self.whole.bits : Self.partial.bits
    bits = sides.areAll ? 0 : seen
  }

  /// Makes the visibility of a bucket or of a part of a bucket. Bit i of `points` is set if the node's point i is
  /// visible.
  @inline(__always) init(points: UInt32, ofCount count: UInt32) {
    bits = points == 1 &<< count &- 1 ? Self.whole.bits : points &<< Self.shift
  }

  /// Returns the visibilities of both parts of a node that has this visibility. The node is a bucket or a part of a
  /// bucket.
  @inline(__always) func ofParts(_ leftCount: UInt32, _ rightCount: UInt32) -> (left: Visibility, right: Visibility) {
    if self == .whole { return (.whole, .whole) }
    let points = bits &>> Self.shift
    return (
      Visibility(points: points & (1 &<< leftCount &- 1), ofCount: leftCount),
      Visibility(points: points &>> leftCount, ofCount: rightCount)
    )
  }
}

/// A window and the points that a query counts: all points or, under a filter, the points that pass. The window and
/// the counted points together define which points a query sees.
struct PointsInView<Counted: CountedPoints> {
  let edges: WindowEdges
  let counted: Counted

  @inline(__always) var window: PlaneWindow { edges.window }

  @inline(__always) func contains(_ treeIndex: Int, of storage: TreeStorage) -> Bool {
    counted.contains(treeIndex) && window.contains(storage.points[treeIndex])
  }

  /// Returns whether a node may have a point in view. The node must not be a part of a bucket, because such a part has
  /// no box of its own.
  @inline(__always) func mayShow(_ node: Node, _ box: PlaneRect) -> Bool {
    window.intersects(box) && counted.hasAny(of: node)
  }

  /// Returns whether a node is sure to have a point in view, provided that `mayShow` is true. The result is true if
  /// the box of the node is inside the window. If all points of the node are counted, it is enough that one side of
  /// the box is inside the window, because a point of the node lies on each side of the box.
  @inline(__always) func isSureToShow(_ node: Node, _ box: PlaneRect) -> Bool {
    counted.hasAll(of: node) ? window.containsSide(of: box) : window.contains(box)
  }
}

/// The functions that decide whether a cut treats a point as visible. No other code decides this.
extension TreeStorage {
  /// Returns a window prepared for comparison with the boxes of this tree.
  func edges(of window: PlaneWindow) -> WindowEdges {
    WindowEdges(of: window, boxesCrossSeam: mergeTraits.contains(.acrossSeam))
  }

  /// Returns how much of a node is in view, judged by the node's box. If the node is a bucket, its points are
  /// examined, too. The result `partial` means that some point may be in view. The node must not be a part of a
  /// bucket, because such a part has no box of its own.
  func visibility<Counted>(byBoxOf node: Node, in view: PointsInView<Counted>) throws(IndexError) -> Visibility {
    let box = nodes[Int(node.record)].box
    if !view.mayShow(node, box) { return .none }
    let isInside = view.window.contains(box)
    if isInside && view.counted.hasAll(of: node) { return .whole }
    return isStored(node) ? isInside ? .inside : .partial : try visibility(ofBucket: node, in: view)
  }

  /// Returns the visibilities of both children of a visible node.
  ///
  /// Because the node has a visible point, at least one child has a visible point. A search for points is necessary
  /// only if the boxes of both children overlap the window. Otherwise, the child whose box overlaps the window has the
  /// visible point. So on the way from the root down to a small window, a query reads one or two boxes for each level.
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

  /// For each stored child of a node, returns an upper bound of the child's visibility. Two facts decide the result:
  /// which sides of the child's box are outside the window and, if the child is a bucket, which of its points are
  /// visible.
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

  /// Returns the visibilities of both stored children of a node whose visibility is `inside`.
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

  /// If a child is a bucket, replaces the child's visibility by its exact visibility.
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

  /// Returns the visibilities of both children of a visible node, given upper bounds of these visibilities. If both
  /// children may be visible according to the bounds, each child whose bound is `partial` is searched for a visible
  /// point.
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

  /// Returns whether a node has a point in view. The node must not be a part of a bucket. The node's box must overlap
  /// the window. Under a filter, at least one point of the node must pass the filter.
  @inline(__always) func hasPointInside<Counted>(_ node: Node, _ view: PointsInView<Counted>) throws(IndexError) -> Bool
  {
    let sides = view.edges.sidesOutside(of: nodes + Int(node.record))
    if sides.areNone || view.counted.hasAll(of: node) && sides.leaveOneInside { return true }
    return try hasPoint(node, in: view)
  }

  /// - Complexity: O(1), because a bucket has at most 16 points.
  @inline(never) private func visibility<Counted>(
    ofBucket node: Node, isInside: Bool = false, in view: PointsInView<Counted>
  ) throws(IndexError) -> Visibility {
    let box = nodes[Int(node.record)].box
    // A stack consists of points at one position. It can only be shown as a whole, even if some of its points do not
    // pass the filter.
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
  /// Returns the visibility of a node under a filter, given the share of the node's points that pass the filter.
  /// `self` is the node's visibility without the filter. The node must not be a part of a bucket.
  @inline(__always) fileprivate func counting(_ share: CountedShare) -> Visibility {
    // The cases are practically random, so a processor could not predict branches. Therefore the code has none.
    let counted = self == .whole && !share.isAll ? Visibility.inside.bits : bits
    return Visibility(bits: share.isNone ? 0 : counted)
  }
}

// MARK: - Searching for points

extension TreeStorage {
  /// Returns whether a node has a point in view. The node may be a part of a bucket.
  func hasVisiblePoint<Counted>(_ node: Node, in view: PointsInView<Counted>) throws(IndexError) -> Bool {
    if node.depthInBucket == 0 { return try isSeen(node, in: view) }
    return node.range.contains { view.contains($0, of: self) }
  }

  /// Returns whether a node has a point in view. The node must not be a part of a bucket, because such a part has no
  /// box of its own.
  func isSeen<Counted>(_ node: Node, in view: PointsInView<Counted>) throws(IndexError) -> Bool {
    let box = nodes[Int(node.record)].box
    guard view.mayShow(node, box) else { return false }
    if view.isSureToShow(node, box) { return true }
    return try hasPoint(node, in: view)
  }

  /// Returns whether a node has a point in view. The node's box lies across the window's edges, and no side of the box
  /// is inside the window.
  ///
  /// A recursive call searches the child with fewer points. The loop searches the child with more points. So each
  /// recursive call has at most half of the points, and calls nest at most 31 deep, even if a damaged file describes
  /// a very deep tree. The limit matters, because a thread may have a small call stack.
  ///
  /// Complexity: O(1) for most nodes. In the worst case, the time grows with the number of nodes that lie across the
  /// window's corners or, under a filter, across the window's edges.
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
