import Treeline

/// How far apart positions are: as the plane has it, or the shorter way round where x is the circle of longitudes.
struct PlaneMetric: Sendable {
  let isCyclic: Bool

  init(_ projection: Plane.Projection) {
    isCyclic = projection == .webMercator
  }

  /// The distance along x.
  @inline(__always)
  func width(_ a: UInt32, _ b: UInt32) -> UInt32 {
    let width = a > b ? a &- b : b &- a
    return isCyclic ? min(width, 0 &- width) : width
  }

  /// The square of a distance, exact. It may need 65 bits, and then is told as 2^64 - 1: a distance not below the
  /// plane's width, at which all are alike.
  @inline(__always)
  func squaredDistance(_ a: PlanePoint, _ b: PlanePoint) -> UInt64 {
    let width = width(a.x, b.x)
    let height = a.y > b.y ? a.y &- b.y : b.y &- a.y
    let (square, overflow) = (UInt64(width) &* UInt64(width))
      .addingReportingOverflow(UInt64(height) &* UInt64(height))
    return overflow ? .max : square
  }

  /// The square of the distance from a position to the nearer of two.
  @inline(__always)
  func squaredDistance(_ a: PlanePoint, toNearerOf b: PlanePoint, _ c: PlanePoint) -> UInt64 {
    min(squaredDistance(a, b), squaredDistance(a, c))
  }
}
