extension Plane.Projection {
  /// Whether x is the circle of longitudes, on which distances are measured the shorter way round.
  @inlinable @inline(__always) package var isCyclic: Bool {
    switch self {
    case .webMercator: true
    case .planar: false
    }
  }

  /// The distance along x.
  @inlinable @inline(__always) package func width(_ a: UInt32, _ b: UInt32) -> UInt32 {
    let width = a > b ? a &- b : b &- a
    return isCyclic ? min(width, 0 &- width) : width
  }

  /// The square of a distance, exact; 2^64 - 1 for all that is greater, at least the plane's width.
  @inlinable @inline(__always) package func squaredDistance(_ a: PlanePoint, _ b: PlanePoint) -> UInt64 {
    let width = width(a.x, b.x)
    let height = a.y > b.y ? a.y &- b.y : b.y &- a.y
    let (square, overflow) = (UInt64(width) &* UInt64(width)).addingReportingOverflow(UInt64(height) &* UInt64(height))
    return overflow ? .max : square
  }

  /// The square of the distance from a position to the nearer of two.
  @inlinable @inline(__always) package func squaredDistance(_ a: PlanePoint, toNearerOf b: PlanePoint, _ c: PlanePoint)
    -> UInt64
  { min(squaredDistance(a, b), squaredDistance(a, c)) }
}
