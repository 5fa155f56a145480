import Dispatch
import Treeline

extension PointArrays {
  /// Brings the points left of a split to the front of a range and returns how many there are; within both parts the
  /// order stays as it is.
  ///
  /// It does nothing else, and so it is a short loop without a branch: what the parts need is summed up afterwards, over
  /// the smaller of them. One copy of it serves every rule: loops that are inlined next to others run short of registers.
  @inline(never)
  func separate(first: Int, count: Int, by split: Split, _ monitor: BuildMonitor) -> Int {
    var leftCount = 0
    for block in (0..<count).blocks(of: BuildMonitor.blockSize) {
      // Anything will do for a build that nobody wants.
      if monitor.isCancelled { return 1 }
      leftCount = separate(block, first: first, leftCount: leftCount, by: split)
    }
    bring(count &- leftCount, from: (sparePoints + first, spareRows + first), to: first + leftCount, monitor)
    checkSides(leftCount, of: count, split)
    return leftCount
  }

  /// The same by several threads, each of which separates a part of the range.
  func separate(first: Int, count: Int, by split: Split, threads: Int, _ monitor: BuildMonitor) -> Int {
    if threads == 1 { return separate(first: first, count: count, by: split, monitor) }
    let parts = inChunks(of: count, threads: threads) { range in
      var leftCount = 0
      for block in (0..<range.count).blocks(of: BuildMonitor.blockSize) where !monitor.isCancelled {
        leftCount = separate(block, first: first + range.lowerBound, leftCount: leftCount, by: split)
      }
      return (first: first + range.lowerBound, count: range.count, leftCount: leftCount)
    }
    // Those left in each part come behind those of the parts before, and the others behind them all.
    var place = first
    for part in parts {
      bring(part.leftCount, from: (points + part.first, rows + part.first), to: place, monitor)
      place += part.leftCount
    }
    if monitor.isCancelled { return 1 }
    let leftCount = place - first
    let places = parts.reduce(into: [place]) { $0.append($0.last! + $1.count - $1.leftCount) }
    DispatchQueue.concurrentPerform(iterations: parts.count) { part in
      let (place, part) = (places[part], parts[part])
      let spare = (points: sparePoints + part.first, rows: spareRows + part.first)
      bring(part.count - part.leftCount, from: spare, to: place, monitor)
    }
    checkSides(leftCount, of: count, split)
    return leftCount
  }

  /// Brings points and rows to a place in the tree order; one that they overlap lies before them.
  @inline(__always)
  private func bring(
    _ count: Int, from source: (points: UnsafeMutablePointer<PlanePoint>, rows: UnsafeMutablePointer<UInt32>),
    to place: Int, _ monitor: BuildMonitor
  ) {
    if source.points == points + place { return }
    monitor.pass(over: 0..<count) { block in
      let start = block.lowerBound
      (points + place + start).update(from: source.points + start, count: block.count)
      (rows + place + start).update(from: source.rows + start, count: block.count)
    }
  }

  /// The same for the few points of a bucket.
  @inline(__always)
  func separateFew(first: Int, count: Int, by split: Split) -> Int {
    let leftCount = separate(0..<count, first: first, leftCount: 0, by: split)
    for index in leftCount..<count {
      points[first + index] = sparePoints[first + index &- leftCount]
      rows[first + index] = spareRows[first + index &- leftCount]
    }
    checkSides(leftCount, of: count, split)
    return leftCount
  }

  /// Goes on with a separation: left points to the front, the others to the spare arrays.
  @inline(__always)
  private func separate(_ block: Range<Int>, first: Int, leftCount: Int, by split: Split) -> Int {
    let (points, rows) = (points + first, rows + first)
    let (sparePoints, spareRows) = (sparePoints + first, spareRows + first)
    var leftCount = leftCount
    for index in block {
      let point = points[index]
      let row = rows[index]
      // Both are written, and only what belongs there is counted; the left end never overtakes the point being read.
      points[leftCount] = point
      rows[leftCount] = row
      sparePoints[index &- leftCount] = point
      spareRows[index &- leftCount] = row
      leftCount &+= split.isLeft(point) ? 1 : 0
    }
    return leftCount
  }

  @inline(__always)
  private func checkSides(_ leftCount: Int, of count: Int, _ split: Split) {
    precondition(leftCount > 0 && leftCount < count, "A split left one side empty: \(split), \(count) points")
  }

  /// The moments of the first `leftCount` of some points, summed up over them or over the others, whichever are fewer.
  @inline(__always)
  func leftMoments<Sum>(first: Int, leftCount: Int, of all: Moments<Sum>, from corner: PlanePoint) -> Moments<
    Sum
  > {
    let rightCount = Int(all.count) &- leftCount
    if leftCount <= rightCount {
      return Moments(UnsafeBufferPointer(start: points + first, count: leftCount), from: corner)
    }
    return all
      - Moments(UnsafeBufferPointer(start: points + first + leftCount, count: rightCount), from: corner)
  }

  /// The same of many points, by several threads; that of some of them in a build that is cancelled.
  func leftMoments(
    first: Int, leftCount: Int, of all: Moments<UInt128>, from corner: PlanePoint, threads: Int,
    _ monitor: BuildMonitor
  ) -> Moments<UInt128> {
    let rightCount = Int(all.count) - leftCount
    return leftCount <= rightCount
      ? moments(first: first, count: leftCount, from: corner, threads: threads, monitor)
      : all - moments(first: first + leftCount, count: rightCount, from: corner, threads: threads, monitor)
  }

  func moments(
    first: Int, count: Int, from corner: PlanePoint, threads: Int, _ monitor: BuildMonitor
  ) -> Moments<UInt128> {
    if threads == 1 { return moments(first: first, count: count, from: corner, monitor) }
    return inChunks(of: count, threads: threads) { range in
      moments(first: first + range.lowerBound, count: range.count, from: corner, monitor)
    }.reduce(Moments(), +)
  }

  @inline(never)
  private func moments(
    first: Int, count: Int, from corner: PlanePoint, _ monitor: BuildMonitor
  ) -> Moments<UInt128> {
    var all = Moments<UInt128>()
    monitor.pass(over: first..<first + count) { block in
      all =
        all + Moments(UnsafeBufferPointer(start: points + block.lowerBound, count: block.count), from: corner)
    }
    return all
  }

  /// The split of some points, not all at one position, across their principal axis.
  ///
  /// Both sides of it have points: along the axis the scatter is at least half of all there is, so not all dot products
  /// are equal, which is all that a place asks for.
  @inline(__always)
  func principalSplit<Sum>(
    first: Int, _ moments: Moments<Sum>, _ scatter: Scatter, from corner: PlanePoint, at place: some CutPlace,
    by solver: PrincipalAxis.Solver = .lapack
  ) -> Split {
    let axis = PrincipalAxis(of: scatter, by: solver) ?? longerSide(first: first, count: Int(moments.count))
    return place.split(self, first: first, moments, from: corner, across: axis)
  }

  private func longerSide(first: Int, count: Int) -> PrincipalAxis {
    let box = box(first: first, count: count)
    return box.width >= box.height ? .horizontal : .vertical
  }
}
