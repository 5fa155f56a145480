import Treeline

extension PointArrays {
  /// Brings the points of a bucket into tree order, notes their gaps, and returns the bucket's record.
  ///
  /// - Parameter monitor: asked where there are many points, all at one position.
  func makeBucket<Sum>(
    first: Int, _ moments: Moments<Sum>, from corner: PlanePoint, at place: some CutPlace,
    _ monitor: BuildMonitor
  ) -> NodeRecord {
    let count = Int(moments.count)
    // More than a bucket has room for are not split only because they cannot be.
    let box =
      count > NodeRecord.bucketCapacity ? PlaneRect(points[first]) : box(first: first, count: count)
    if box.isPoint {
      monitor.pass(over: first..<first + count - 1) { noteStack(first: $0.lowerBound, gapCount: $0.count) }
    } else {
      shape(first: first, moments, from: corner, at: place, level: 0)
    }
    gaps[first + count - 1] = 0
    return NodeRecord(box: box, count: UInt32(count), childOffset: 0)
  }

  private func noteStack(first: Int, gapCount: Int) {
    (gaps + first).update(repeating: Gap.none, count: gapCount)
  }

  /// Splits the points of a bucket down to single positions and notes at which level each gap was split.
  ///
  /// Recursion is as deep as a bucket has positions, 15 levels at most.
  private func shape<Sum>(
    first: Int, _ moments: Moments<Sum>, from corner: PlanePoint, at place: some CutPlace, level: UInt8
  ) {
    let count = Int(moments.count)
    if count <= 2 {
      if count == 2 { shapePair(first: first, level: level) }
      return
    }
    let scatter = Scatter(moments)
    if scatter.isZero {
      noteStack(first: first, gapCount: count - 1)
      return
    }
    let split = principalSplit(
      first: first, moments, scatter, from: corner, at: place, by: .halfAngle)
    let leftCount = separateFew(first: first, count: count, by: split)
    gaps[first + leftCount - 1] = level
    let left = leftMoments(first: first, leftCount: leftCount, of: moments, from: corner)
    shape(first: first, left, from: corner, at: place, level: level + 1)
    shape(
      first: first + leftCount, moments - left, from: corner, at: place, level: level + 1)
  }

  /// The axis of two points leads from one to the other, so the longer component of their distance tells which is left.
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
