import Treeline

/// The points that are sorted into tree order, and spare arrays of the same size, which sorting needs.
///
/// Threads share these arrays, and work on disjoint ranges. Two threads must not write to the same byte. So here the
/// code of each gap between two points (see `Gap`) takes a whole byte, although a finished tree stores two codes in a
/// byte.
struct PointArrays: @unchecked Sendable {
  let points: UnsafeMutablePointer<PlanePoint>
  let rows: UnsafeMutablePointer<UInt32>
  let gaps: UnsafeMutablePointer<UInt8>
  let sparePoints: UnsafeMutablePointer<PlanePoint>
  let spareRows: UnsafeMutablePointer<UInt32>

  /// Returns the smallest box around a range of points. The range must not be empty.
  func box(_ range: Range<Int>) -> PlaneRect {
    var box = PlaneRect(points[range.lowerBound])
    for index in range { box.formUnion(points[index]) }
    return box
  }

  /// Returns the box of many points, computed by several threads. If the build is cancelled, the box may contain only
  /// some of the points.
  func box(_ range: Range<Int>, threads: Int, _ monitor: BuildMonitor) -> PlaneRect {
    if threads == 1 {
      var all = PlaneRect(points[range.lowerBound])
      monitor.pass(over: range) { all = all.union(box($0)) }
      return all
    }
    return inChunks(of: range.count, threads: threads) { chunk in box(range.chunk(chunk), threads: 1, monitor) }.reduce(
      PlaneRect(points[range.lowerBound])
    ) { $0.union($1) }
  }

  /// Returns the moments of a few points.
  @inline(__always) func moments<Sum>(_ range: Range<Int>, from corner: PlanePoint) -> Moments<Sum> {
    Moments(UnsafeBufferPointer(start: points + range.lowerBound, count: range.count), from: corner)
  }

  /// Returns the moments of many points, computed by several threads. If the build is cancelled, the moments may leave
  /// out some of the points.
  @inline(never) func moments(_ range: Range<Int>, from corner: PlanePoint, threads: Int, _ monitor: BuildMonitor)
    -> Moments<UInt128>
  {
    if threads == 1 {
      var all = Moments<UInt128>()
      monitor.pass(over: range) { all = all + moments($0, from: corner) }
      return all
    }
    return inChunks(of: range.count, threads: threads) { chunk in
      moments(range.chunk(chunk), from: corner, threads: 1, monitor)
    }.reduce(Moments(), +)
  }
}

extension Range<Int> {
  /// Returns the part of this range at the given offsets from the start of this range.
  func chunk(_ offsets: Range<Int>) -> Range<Int> { lowerBound + offsets.lowerBound..<lowerBound + offsets.upperBound }
}
