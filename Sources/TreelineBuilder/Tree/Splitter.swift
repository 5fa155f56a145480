import Treeline

/// Splits nodes so large or so wide that their sums need 128 bits: a few at the top of any tree.
struct Splitter<Place: CutPlace>: Sendable {
  let arrays: PointArrays
  let place: Place

  /// Nodes below this level are halved along the longer side of their box, which ends after 64 levels more whatever
  /// the data. No real data comes near it: it bounds the depth by proof.
  let principalLevels: Int

  let monitor: BuildMonitor

  /// Parts the points of a node that gets stored children; nil where it is a bucket or the build is cancelled.
  ///
  /// - Parameter threads: how many pass over the points.
  func split(_ segment: Segment<UInt128>, threads: Int = 1) -> SplitSegment? {
    guard segment.count > NodeRecord.bucketCapacity else { return nil }
    let scatter = Scatter(segment.moments)
    guard !scatter.isZero else { return nil }
    let split =
      segment.level < principalLevels
      ? arrays.principalSplit(
        first: segment.first, segment.moments, scatter, from: segment.corner, at: place)
      : middleSplit(first: segment.first, count: segment.count, from: segment.corner)
    let leftCount = arrays.separate(
      first: segment.first, count: segment.count, by: split, threads: threads, monitor)
    if monitor.isCancelled { return nil }
    let left = arrays.leftMoments(
      first: segment.first, leftCount: leftCount, of: segment.moments, from: segment.corner, threads: threads,
      monitor)
    // What was summed up of some points only must not be taken for counts.
    if monitor.isCancelled { return nil }
    let leftPart = self.segment(
      first: segment.first, left, from: segment.corner, level: segment.level + 1, threads: threads)
    let rightPart = self.segment(
      first: segment.first + leftCount, segment.moments - left, from: segment.corner,
      level: segment.level + 1,
      threads: threads)
    return SplitSegment(
      left: leftPart, right: rightPart, spread: scatter.spread(count: segment.moments.count))
  }

  func middleSplit(first: Int, count: Int, from corner: PlanePoint) -> Split {
    Split(inTheMiddleOf: arrays.box(first: first, count: count), measuredFrom: corner)
  }
}

/// What becomes of a node that is split.
struct SplitSegment {
  var left: Segment<UInt128>
  var right: Segment<UInt128>
  var spread: NodeSpread
}

extension Splitter {
  /// A node of some points, its moments measured anew from the corner of their box.
  private func segment(
    first: Int, _ moments: Moments<UInt128>, from corner: PlanePoint, level: Int, threads: Int
  ) -> Segment<UInt128> {
    let box = arrays.box(first: first, count: Int(moments.count), threads: threads, monitor)
    return Segment(
      first: first, moments: moments.moved(right: box.minX - corner.x, down: box.minY - corner.y), box: box,
      record: 0, level: level)
  }
}
