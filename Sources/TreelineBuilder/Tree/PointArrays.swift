import Treeline

/// The points being put into tree order, and as much room again to do it in.
///
/// Threads share these arrays and work on disjoint ranges of them; hence a gap is a whole byte here.
struct PointArrays: @unchecked Sendable {
  let points: UnsafeMutablePointer<PlanePoint>
  let rows: UnsafeMutablePointer<UInt32>
  let gaps: UnsafeMutablePointer<UInt8>
  let sparePoints: UnsafeMutablePointer<PlanePoint>
  let spareRows: UnsafeMutablePointer<UInt32>

  /// The smallest box around a range of points that is not empty.
  func box(first: Int, count: Int) -> PlaneRect {
    var box = PlaneRect(points[first])
    for index in first..<first + count { box.formUnion(points[index]) }
    return box
  }

  /// The same for many points; that of some of them in a build that is cancelled.
  func box(first: Int, count: Int, _ monitor: BuildMonitor) -> PlaneRect {
    var all = PlaneRect(points[first])
    monitor.pass(over: first..<first + count) { all = all.union(box(first: $0.lowerBound, count: $0.count)) }
    return all
  }

  /// The same by several threads.
  func box(first: Int, count: Int, threads: Int, _ monitor: BuildMonitor) -> PlaneRect {
    if threads == 1 { return box(first: first, count: count, monitor) }
    return inChunks(of: count, threads: threads) { range in
      box(first: first + range.lowerBound, count: range.count, monitor)
    }.reduce(PlaneRect(points[first])) { $0.union($1) }
  }
}
