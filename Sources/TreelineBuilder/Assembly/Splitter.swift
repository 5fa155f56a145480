import Treeline

/// A node that is yet to be made, of any size: its points and the box around them.
struct Segment: Sendable {
  /// Measured from the corner of the box.
  var points: PointGroup<UInt128>
  var box: PlaneRect
  /// Which node record is to describe it.
  var record = 0
  var level: Int

  var count: Int { points.count }

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
    return (
      self.segment(left, level: segment.level + 1, threads: threads),
      self.segment(right, level: segment.level + 1, threads: threads), spread
    )
  }

  /// A node of some points, whose moments are moved to the corner of their box.
  func segment(_ points: PointGroup<UInt128>, level: Int, threads: Int) -> Segment {
    let box = arrays.box(points.range, threads: threads, monitor)
    let corner = PlanePoint(x: box.minX, y: box.minY)
    let moved = points.moments.moved(right: corner.x - points.corner.x, down: corner.y - points.corner.y)
    return Segment(points: PointGroup(first: points.first, moments: moved, corner: corner), box: box, level: level)
  }
}
