/// A position on the fixed-point plane. The x grows eastwards from the seam, which is the meridian at which the world
/// is cut open. The y grows southwards.
///
/// One unit is 2^-32 of the plane's side. On the Earth a unit is at most 0.93 cm, which is one pixel at zoom 24.
public struct PlanePoint: BitwiseCopyable, Hashable, Sendable {
  /// The distance east of the seam, in units of 2^-32 of the plane's side.
  public var x: UInt32
  /// The distance south of the northern edge, in units.
  public var y: UInt32

  /// Makes a position from its units.
  @inlinable public init(x: UInt32, y: UInt32) { (self.x, self.y) = (x, y) }
}

/// The smallest box around some points of the plane. All four edges belong to the box.
///
/// A box crosses the seam only if it belongs to a cluster that was merged across the seam. Such a box is narrower than
/// half the world, and its western edge has the greater x.
package struct PlaneRect: BitwiseCopyable, Hashable, Sendable {
  /// The western edge.
  package var minX: UInt32
  /// The northern edge.
  package var minY: UInt32
  /// The eastern edge.
  package var maxX: UInt32
  /// The southern edge.
  package var maxY: UInt32

  /// Makes a box from its edges.
  @inlinable package init(minX: UInt32, minY: UInt32, maxX: UInt32, maxY: UInt32) {
    (self.minX, self.minY, self.maxX, self.maxY) = (minX, minY, maxX, maxY)
  }

  /// Makes the box of one position.
  @inlinable package init(_ point: PlanePoint) { self.init(minX: point.x, minY: point.y, maxX: point.x, maxY: point.y) }

  // Widths and heights are computed modulo 2^32, so that swapped edges in a damaged index cannot cause a trap.

  /// The distance from the western edge to the eastern edge, in units.
  @inlinable package var width: UInt32 { maxX &- minX }
  /// The distance from the northern edge to the southern edge, in units.
  @inlinable package var height: UInt32 { maxY &- minY }

  /// Whether the box contains only one position.
  @inlinable package var isPoint: Bool { minX == maxX && minY == maxY }

  /// Whether the box begins in the east of the plane, crosses the seam and ends in the west.
  @inlinable package var isAcrossSeam: Bool { minX > maxX }

  /// Makes a box around some points. If all points fit into a box narrower than half the world, makes the smallest
  /// such box, which may cross the seam. Otherwise makes the smallest box that does not cross the seam.
  ///
  /// - Precondition: There is at least one point.
  package init(shorterWayAround points: UnsafeBufferPointer<PlanePoint>) {
    var box = PlaneRect(points[0])
    // The least x of the points in the eastern half of the plane, and the greatest x of the points in the western
    // half.
    var (east, west) = (UInt32.max, UInt32(0))
    for point in points {
      box.formUnion(point)
      if point.x < 1 << 31 { west = max(west, point.x) } else { east = min(east, point.x) }
    }
    if box.width >= 1 << 31 && west &- east < 1 << 31 { (box.minX, box.maxX) = (east, west) }
    self = box
  }

  @inlinable package mutating func formUnion(_ point: PlanePoint) {
    minX = min(minX, point.x)
    minY = min(minY, point.y)
    maxX = max(maxX, point.x)
    maxY = max(maxY, point.y)
  }

  /// Returns the smallest box around this box and another box.
  @inlinable package func union(_ other: PlaneRect) -> PlaneRect {
    PlaneRect(
      minX: min(minX, other.minX), minY: min(minY, other.minY), maxX: max(maxX, other.maxX), maxY: max(maxY, other.maxY)
    )
  }

  @inlinable package func contains(_ point: PlanePoint) -> Bool {
    let (isEast, isWest) = (minX <= point.x, point.x <= maxX)
    return (isAcrossSeam ? isEast || isWest : isEast && isWest) && minY <= point.y && point.y <= maxY
  }
}

// MARK: - Distances

extension Plane.Projection {
  /// Whether x is a longitude, and therefore cyclic. Distances are then measured the shorter way round.
  @inlinable @inline(__always) package var isCyclic: Bool {
    switch self {
    case .webMercator: true
    case .planar: false
    }
  }

  @inlinable @inline(__always) package func width(_ a: UInt32, _ b: UInt32) -> UInt32 {
    let width = a > b ? a &- b : b &- a
    return isCyclic ? min(width, 0 &- width) : width
  }

  /// Returns the exact square of a distance, or 2^64 - 1 if the square does not fit into 64 bits. The square always
  /// fits if the distance is less than the plane's width.
  @inlinable @inline(__always) package func squaredDistance(_ a: PlanePoint, _ b: PlanePoint) -> UInt64 {
    let width = width(a.x, b.x)
    let height = a.y > b.y ? a.y &- b.y : b.y &- a.y
    let (square, overflow) = (UInt64(width) &* UInt64(width)).addingReportingOverflow(UInt64(height) &* UInt64(height))
    return overflow ? .max : square
  }
}

/// Returns the square of the length of a vector.
@inlinable @inline(__always) package func squaredLength(_ x: Double, _ y: Double) -> Double { x * x + y * y }

extension PlanePoint {
  /// Returns whether the position is nearer to `a` than to `b`. If `isAcrossSeam` is true, distances are measured the
  /// shorter way round.
  @inlinable package func isNearer(to a: PlanePoint, than b: PlanePoint, isAcrossSeam: Bool) -> Bool {
    let projection = isAcrossSeam ? Plane.Projection.webMercator : .planar
    return projection.squaredDistance(self, a) < projection.squaredDistance(self, b)
  }
}
