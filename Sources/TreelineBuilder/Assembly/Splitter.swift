import Treeline

/// A node that is yet to be made, of any size: its points and the box around them.
struct Segment: Sendable {
  /// Measured from the corner of the box, or from that of the first narrow node above. Rounded means depend on it, so
  /// it is the same whoever splits the node.
  var points: PointGroup<UInt128>
  var box: PlaneRect
  /// Which node record is to describe it.
  var record = 0
  var level: Int

  var count: Int { points.count }

  init(points: PointGroup<UInt128>, box: PlaneRect, level: Int) {
    (self.points, self.box, self.level) = (points, box, level)
  }

  /// A child, measured from where its parent is if that is narrow, and from the corner of its box otherwise.
  init(_ points: PointGroup<UInt128>, in box: PlaneRect, below parent: Segment) {
    self.init(points: parent.isNarrow ? points : points.moved(to: box), box: box, level: parent.level + 1)
  }

  /// The sums of coordinates, measured from the corner of the box.
  var sums: NodeSums {
    let moments = points.moved(to: box).moments
    return NodeSums(x: moments.x, y: moments.y)
  }

  /// Whether all sums over these points fit 64 bits, as then do those of every part, and there are so few points that
  /// the sums of half of them, some milliseconds, need no look at whether the build is cancelled.
  var isNarrow: Bool {
    if count > 16 * BuildMonitor.blockSize { return false }
    let countBits = 64 - points.moments.count.leadingZeroBitCount
    let extentBits = 32 - max(box.width, box.height).leadingZeroBitCount
    return countBits + 2 * extentBits <= 64
  }
}

/// Splits nodes and partitions their points, those above the buckets.
struct Splitter<Algorithm: SplitAlgorithm>: Sendable {
  let arrays: PointArrays
  let algorithm: Algorithm
  let solver: PrincipalAxis.Solver

  /// Nodes below this level are halved along the longer side of their box, which ends after 64 levels more whatever
  /// the data. No real data comes near it: it bounds the depth by proof.
  let principalLevels: Int

  let monitor: BuildMonitor

  /// Partitions the points of a node that gets stored children; nil if it is a bucket, or the build is cancelled.
  ///
  /// - Parameters:
  ///   - threads: how many pass over the points.
  ///   - sum: sums up one of the parts.
  @inline(__always) func split<Sum>(
    _ points: PointGroup<Sum>, level: Int, threads: Int = 1, summedBy sum: (Range<Int>) -> Moments<Sum>
  ) -> (left: PointGroup<Sum>, right: PointGroup<Sum>, spread: NodeSpread)? {
    let scatter = Scatter(points.moments)
    guard points.count > NodeRecord.bucketCapacity, !scatter.isZero else { return nil }
    let split =
      level < principalLevels
      ? arrays.principalSplit(points, scatter, by: algorithm, solver: solver, threads: threads)
      : Split(inTheMiddleOf: arrays.box(points.range), measuredFrom: points.corner)
    let leftCount = arrays.partition(points.range, by: split, threads: threads, monitor)
    let parts = points.parts(leftCount: leftCount, smaller: sum(points.smallerPart(leftCount: leftCount)))
    // Sums over some of the points must not be taken for those of all.
    if monitor.isCancelled { return nil }
    return (parts.left, parts.right, scatter.spread(count: points.moments.count))
  }

  /// The same for a node of any size, a few at the top of any tree.
  func split(_ segment: Segment, threads: Int = 1) -> (left: Segment, right: Segment, spread: NodeSpread)? {
    let points = segment.points
    guard
      let (left, right, spread) = split(
        points, level: segment.level, threads: threads,
        summedBy: { arrays.moments($0, from: points.corner, threads: threads, monitor) })
    else { return nil }
    func child(_ points: PointGroup<UInt128>) -> Segment {
      Segment(points, in: arrays.box(points.range, threads: threads, monitor), below: segment)
    }
    return (child(left), child(right), spread)
  }
}
