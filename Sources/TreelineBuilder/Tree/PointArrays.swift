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
}
