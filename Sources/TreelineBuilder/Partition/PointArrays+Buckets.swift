import Treeline

extension PointArrays {
  /// Sorts the points of a bucket into tree order, writes the gaps between the points, and returns the bucket's record.
  ///
  /// - Parameter monitor: Reports whether the build is cancelled. Used only if all points of the bucket are at one
  ///   position, because only such a bucket may have very many points.
  func makeBucket<Sum>(_ points: NodePoints<Sum>, by algorithm: some SplitAlgorithm, _ monitor: BuildMonitor)
    -> NodeRecord
  {
    let (first, count) = (points.first, points.count)
    // A bucket with more points than `bucketCapacity` is a node that could not be split, so all its points are at one
    // position.
    let box = count > NodeRecord.bucketCapacity ? PlaneRect(self.points[first]) : box(points.range)
    if box.isPoint {
      monitor.pass(over: first..<first + count - 1) { noteStack($0) }
    } else {
      shape(points, by: algorithm, level: 0)
    }
    gaps[first + count - 1] = 0
    return NodeRecord(box: box, count: UInt32(count), childOffset: 0)
  }

  private func noteStack(_ range: Range<Int>) {
    (gaps + range.lowerBound).update(repeating: Gap.none, count: range.count)
  }

  /// Splits the points of a bucket down to single positions, and writes the level of each split to `gaps`.
  ///
  /// Recursion is at most 15 levels deep, because a bucket has at most 16 positions.
  private func shape<Sum>(_ points: NodePoints<Sum>, by algorithm: some SplitAlgorithm, level: UInt8) {
    if points.count <= 2 {
      if points.count == 2 { shapePair(first: points.first, level: level) }
      return
    }
    let scatter = Scatter(points.moments)
    if scatter.isZero { return noteStack(points.range.dropLast()) }
    let split = principalSplit(points, scatter, by: algorithm, solver: .halfAngle)
    let leftCount = partitionFew(points.range, by: split)
    gaps[points.first + leftCount - 1] = level
    let smaller: Moments<Sum> = moments(points.smallerPart(leftCount: leftCount), from: points.corner)
    let parts = points.parts(leftCount: leftCount, smaller: smaller)
    shape(parts.left, by: algorithm, level: level + 1)
    shape(parts.right, by: algorithm, level: level + 1)
  }

  /// Puts two points in order. The principal axis of two points has the direction from one point to the other. So the
  /// longer component of this axis determines which point is on the left.
  private func shapePair(first: Int, level: UInt8) {
    let (a, b) = (points[first], points[first + 1])
    gaps[first] = a == b ? Gap.none : level
    let width = a.x > b.x ? a.x - b.x : b.x - a.x
    let height = a.y > b.y ? a.y - b.y : b.y - a.y
    let isSwapped = width >= height ? a.x > b.x : a.y > b.y
    guard isSwapped else { return }
    (points[first], points[first + 1]) = (b, a)
    (rows[first], rows[first + 1]) = (rows[first + 1], rows[first])
  }
}
