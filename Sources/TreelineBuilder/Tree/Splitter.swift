import Treeline

/// Decides where nodes are split, and splits them.
struct Splitter: Sendable {
  let arrays: PointArrays

  /// Nodes below this level are halved along the longer side of their box, which ends after 64 levels more whatever
  /// the data. No real data comes near it: it bounds the depth by proof.
  let principalLevels: Int

  /// What becomes of a node that is split.
  struct Parts<Sum: FixedWidthInteger & UnsignedInteger & Sendable> {
    var left: Segment<Sum>
    var right: Segment<Sum>
    /// The smallest box around both parts.
    var box: PlaneRect
    var spread: NodeSpread
  }

  /// Parts the points of a node that gets stored children; nil where it is a bucket.
  @inline(__always)
  func split<Sum>(_ segment: Segment<Sum>) -> Parts<Sum>? {
    guard segment.count > NodeRecord.bucketCapacity else { return nil }
    let scatter = Scatter(segment.moments)
    guard !scatter.isZero else { return nil }
    let split =
      segment.level < principalLevels
      ? principalSplit(first: segment.first, segment.moments, scatter, from: segment.corner)
      : Split(
        inTheMiddleOf: arrays.box(first: segment.first, count: segment.count), measuredFrom: segment.corner)
    let partition = arrays.partition(first: segment.first, count: segment.count, by: split, Sum.self)
    let left = partition.left
    let leftCount = Int(left.count)
    return Parts(
      left: segment.part(first: segment.first, left, in: partition.box),
      right: segment.part(first: segment.first + leftCount, segment.moments - left, in: partition.box),
      box: partition.box, spread: scatter.spread(count: segment.moments.count))
  }

  /// The split of some points, not all at one position, at their mean across their principal axis.
  ///
  /// Both sides of it have points: along the axis the scatter is at least half of all there is, so not all dot products
  /// are equal; the least of them is at most their mean and the greatest is above it.
  @inline(__always)
  func principalSplit<Sum>(first: Int, _ moments: Moments<Sum>, _ scatter: Scatter, from corner: PlanePoint)
    -> Split
  {
    let axis = PrincipalAxis(of: scatter) ?? longerSide(first: first, count: Int(moments.count))
    return Split(atMeanOf: moments, from: corner, across: axis)
  }

  private func longerSide(first: Int, count: Int) -> PrincipalAxis {
    let box = arrays.box(first: first, count: count)
    return box.width >= box.height ? .horizontal : .vertical
  }
}

extension Segment {
  /// A part of this segment, measured from the corner of a box known to hold it.
  @inline(__always)
  fileprivate func part(first: Int, _ moments: Moments<Sum>, in box: PlaneRect) -> Segment {
    Segment(
      first: first,
      moments: moments.moved(right: box.minX - corner.x, down: box.minY - corner.y),
      corner: PlanePoint(x: box.minX, y: box.minY), extent: max(box.width, box.height), record: 0,
      level: level + 1)
  }
}
