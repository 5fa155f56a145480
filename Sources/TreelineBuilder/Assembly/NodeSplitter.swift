import Treeline

/// A node that has no record yet: its points, and the box around the points. The node may have any size.
struct Segment: Sendable {
  /// The points and their moments. Moments are measured from the corner of the topmost narrow node above this node (see
  /// `isNarrow`). If no node above is narrow, moments are measured from the corner of `box`. The rounded mean of the
  /// points depends on the corner, so the corner must not depend on which thread splits the node.
  var points: NodePoints<UInt128>
  var box: PlaneRect
  /// Index of the record that will describe the node.
  var record = 0
  var level: Int

  var count: Int { points.count }

  init(points: NodePoints<UInt128>, box: PlaneRect, level: Int) {
    (self.points, self.box, self.level) = (points, box, level)
  }

  /// Makes a child. If the parent is narrow (see `isNarrow`), the child's moments are measured from the same corner as
  /// the parent's moments. Otherwise the child's moments are measured from the corner of the child's box.
  init(_ points: NodePoints<UInt128>, in box: PlaneRect, below parent: Segment) {
    self.init(points: parent.isNarrow ? points : points.moved(to: box), box: box, level: parent.level + 1)
  }

  /// Sums of coordinates, measured from the corner of the box.
  var sums: NodeSums {
    let moments = points.moved(to: box).moments
    return NodeSums(x: moments.x, y: moments.y)
  }

  /// True if the node has few points and all sums over its points fit into 64 bits. Then the sums over any part of the
  /// points fit, too. When the node is split, sums over the points of its smaller child are computed. This takes only
  /// a few milliseconds, so the computation does not check for cancellation.
  var isNarrow: Bool {
    if count > 16 * BuildMonitor.blockSize { return false }
    let countBits = 64 - points.moments.count.leadingZeroBitCount
    let extentBits = 32 - max(box.width, box.height).leadingZeroBitCount
    return countBits + 2 * extentBits <= 64
  }
}

/// Splits nodes above the buckets and partitions their points.
struct NodeSplitter<Algorithm: SplitAlgorithm>: Sendable {
  let arrays: PointArrays
  let algorithm: Algorithm
  let solver: PrincipalAxis.Solver

  /// Number of upper levels at which the split rule splits nodes. Deeper nodes are halved: a line cuts the longer side
  /// of their box in the middle. Halving ends after at most 64 more levels. Trees over real data are far less deep
  /// than `principalLevels`, which only serves to prove a bound on the depth.
  let principalLevels: Int

  let monitor: BuildMonitor

  /// Partitions the points of a node into the points of its two children. Returns nil if the node is a bucket, or if
  /// the build is cancelled.
  ///
  /// - Parameters:
  ///   - threads: Number of threads that pass over the points.
  ///   - sum: Returns the moments of the points in a range.
  @inline(__always) func split<Sum>(
    _ points: NodePoints<Sum>, level: Int, threads: Int = 1, summedBy sum: (Range<Int>) -> Moments<Sum>
  ) -> (left: NodePoints<Sum>, right: NodePoints<Sum>, spread: NodeSpread)? {
    let scatter = Scatter(points.moments)
    guard points.count > NodeRecord.bucketCapacity, !scatter.isZero else { return nil }
    let split =
      level < principalLevels
      ? arrays.principalSplit(points, scatter, by: algorithm, solver: solver, threads: threads)
      : SplitLine(inTheMiddleOf: arrays.box(points.range), measuredFrom: points.corner)
    let leftCount = arrays.partition(points.range, by: split, threads: threads, monitor)
    let parts = points.parts(leftCount: leftCount, smaller: sum(points.smallerPart(leftCount: leftCount)))
    // If the build is cancelled, the sums may lack some points. So the two parts must not be used.
    if monitor.isCancelled { return nil }
    return (parts.left, parts.right, scatter.spread(count: points.moments.count))
  }

  /// Partitions the points of a node that may be wide: `isNarrow` may be false. Every tree has only a few wide nodes,
  /// at the top.
  func split(_ segment: Segment, threads: Int = 1) -> (left: Segment, right: Segment, spread: NodeSpread)? {
    let points = segment.points
    guard
      let (left, right, spread) = split(
        points, level: segment.level, threads: threads,
        summedBy: { arrays.moments($0, from: points.corner, threads: threads, monitor) })
    else { return nil }
    func child(_ points: NodePoints<UInt128>) -> Segment {
      Segment(points, in: arrays.box(points.range, threads: threads, monitor), below: segment)
    }
    return (child(left), child(right), spread)
  }
}
