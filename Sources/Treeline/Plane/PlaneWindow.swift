/// The part of the plane that a viewport shows. All four edges belong to the window.
///
/// Longitude is a circle. So a window extends from `x` to `width` units east of `x`, across the seam if necessary. The
/// seam is the meridian at which the plane begins and ends. Positions are compared by differences modulo 2^32, so that
/// the seam needs no special case.
package struct PlaneWindow: Hashable, Sendable {
  /// The western edge.
  package let x: UInt32
  /// The distance from the western to the eastern edge, in units.
  package let width: UInt32
  /// The northern edge.
  package let minY: UInt32
  /// The southern edge.
  package let maxY: UInt32

  /// Makes a window. A window that spans the whole circle starts at 0, whatever `x` is.
  package init(x: UInt32, width: UInt32, minY: UInt32, maxY: UInt32) {
    (self.x, self.width, self.minY, self.maxY) = (width == .max ? 0 : x, width, minY, maxY)
  }

  /// The whole plane.
  static let everything = PlaneWindow(x: 0, width: .max, minY: 0, maxY: .max)

  /// Returns the window extended by a number of units on all sides, but not beyond the plane.
  func expanded(by units: Double, on plane: Plane) -> PlaneWindow {
    let margin = UInt64(min(units, 0x1p33))
    let (minY, maxY) = (UInt64(minY), min(UInt64(maxY) + margin, UInt64(UInt32.max)))
    var (west, width) = (x &- UInt32(truncatingIfNeeded: margin), UInt64(width) + 2 * margin)
    if plane.projection == .planar {
      west = UInt32(UInt64(x) - min(UInt64(x), margin))
      width = min(UInt64(x) + UInt64(self.width) + margin, UInt64(UInt32.max)) - UInt64(west)
    }
    return PlaneWindow(
      x: west, width: UInt32(min(width, UInt64(UInt32.max))), minY: UInt32(minY - min(minY, margin)), maxY: UInt32(maxY)
    )
  }

  /// Returns whether a position is in the window.
  @inlinable package func contains(_ point: PlanePoint) -> Bool {
    point.x &- x <= width && minY <= point.y && point.y <= maxY
  }

  /// Returns whether a fractional position, such as a mean, is in the window.
  package func contains(x: Double, y: Double) -> Bool {
    // If a cluster was merged across the seam, the x of its mean may lie beyond the plane's last unit.
    let x = x >= 0x1p32 ? x - 0x1p32 : x
    let (east, crossesSeam) = self.x.addingReportingOverflow(width)
    let (startsBefore, endsBehind) = (Double(self.x) <= x, x <= Double(east))
    // A mean may lie between the plane's last unit and the seam.
    let isWhole = width == .max
    return (isWhole || (crossesSeam ? startsBefore || endsBehind : startsBefore && endsBehind)) && Double(minY) <= y
      && y <= Double(maxY)
  }

  /// Returns whether a whole box is in the window.
  @inlinable package func contains(_ rect: PlaneRect) -> Bool {
    let start = rect.minX &- x
    return start <= width && rect.width <= width - start && minY <= rect.minY && rect.maxY <= maxY
  }

  /// Returns whether the window and a box overlap.
  @inlinable package func intersects(_ rect: PlaneRect) -> Bool {
    (rect.minX &- x <= width || x &- rect.minX <= rect.width) && minY <= rect.maxY && rect.minY <= maxY
  }

  /// Returns whether at least one whole side of a box lies inside the window. The smallest box around some points has a
  /// point on each side. So if the result for such a box is true, the window contains at least one of the points.
  func containsSide(of rect: PlaneRect) -> Bool {
    let start = rect.minX &- x
    let end = rect.maxX &- x
    if minY <= rect.minY && rect.maxY <= maxY { return start <= width || end <= width }
    guard start <= width && rect.width <= width - start else { return false }
    return (minY <= rect.minY && rect.minY <= maxY) || (minY <= rect.maxY && rect.maxY <= maxY)
  }
}

// MARK: - From a box

extension Plane {
  /// Returns the part of the plane that a box shows; nil if the box lies outside the square of a plain plane. On Web
  /// Mercator, the edges of the box are in degrees. On a plain plane, they are in the units of the data.
  ///
  /// Longitudes may be any finite numbers. A box 360 degrees wide or wider shows the whole circle.
  ///
  /// - Throws: `QueryError` if an edge is not finite, south exceeds north, or west exceeds east on a plain plane.
  package func window(showing box: BoundingBox) throws(QueryError) -> PlaneWindow? {
    for (edge, value) in [("west", box.west), ("south", box.south), ("east", box.east), ("north", box.north)]
    where !value.isFinite { throw .notFinite(edge: edge, found: value) }
    guard box.south <= box.north else { throw .southAboveNorth(south: box.south, north: box.north) }
    return switch projection {
    case .webMercator: mercatorWindow(showing: box)
    case .planar: try planarWindow(showing: box)
    }
  }

  private func mercatorWindow(showing box: BoundingBox) -> PlaneWindow {
    let minY = Self.mercatorY(latitude: box.north)
    let maxY = Self.mercatorY(latitude: box.south)
    let west = Self.mercatorX(longitude: box.west)
    let east = Self.mercatorX(longitude: box.east)
    let degrees = box.east - box.west
    // If the rounded east edge is at the rounded west edge or just east of it, the box is either a full turn wide or
    // very narrow. The width in degrees distinguishes the two cases.
    let turn = degrees < 0 ? degrees + 360 : degrees
    let isFullTurn = degrees >= 360 || (turn > 270 && east &- west < 1 << 30)
    return PlaneWindow(x: west &- seam, width: isFullTurn ? .max : east &- west, minY: minY, maxY: maxY)
  }

  private func planarWindow(showing box: BoundingBox) throws(QueryError) -> PlaneWindow? {
    guard box.west <= box.east else { throw .westBeyondEast(west: box.west, east: box.east) }
    // Compares distances from the plane's north-west corner, because `side` was computed as such a distance. Rounding
    // errors then cannot exclude a point that lies on an edge of the box.
    guard box.east >= left, box.west - left <= side, top - box.north <= side, box.south <= top else { return nil }
    let northWest = point(at: Coordinate(x: box.west, y: box.north))
    let southEast = point(at: Coordinate(x: box.east, y: box.south))
    return PlaneWindow(x: northWest.x, width: southEast.x - northWest.x, minY: northWest.y, maxY: southEast.y)
  }
}

/// The edges of a window, prepared for comparison with many boxes. One comparison without a branch covers all four
/// edges.
struct WindowEdges {
  let window: PlaneWindow
  /// Whether the window crosses the seam, or some of the boxes may cross it.
  let crossesSeam: Bool
  /// The window's east, south, west and north edges. They are compared with the opposite sides of a box: its west,
  /// north, east and south sides, in this order. If a side lies beyond the opposite edge, the whole box is outside the
  /// window. An example is a west side that lies east of the window's east edge.
  private let farther: SIMD4<Int32>
  /// The window's west, north, east and south edges. They are compared with the same sides of a box: its west, north,
  /// east and south sides. A side that lies short of its edge is outside the window. An example is a west side that
  /// lies west of the window's west edge.
  private let nearer: SIMD4<Int32>

  /// - Parameter boxesCrossSeam: Whether some of the boxes may cross the seam.
  init(of window: PlaneWindow, boxesCrossSeam: Bool = false) {
    let (east, overflow) = window.x.addingReportingOverflow(window.width)
    crossesSeam = overflow || boxesCrossSeam
    self.window = window
    farther = Self.ordered(SIMD4(east, window.maxY, window.x, window.minY))
    nearer = Self.ordered(SIMD4(window.x, window.minY, east, window.maxY))
  }

  /// Flips bits so that one signed comparison gives the right result for all four sides. In the west and north sides
  /// of a box, the top bit is flipped, which keeps the order of unsigned numbers. In the east and south sides, all
  /// other bits are flipped, which reverses the order. A west or north side lies short of the window's edge if it is
  /// less than the edge. An east or south side lies short of the window's edge if it is greater than the edge, so its
  /// order must be reversed.
  @inline(__always) private static func ordered(_ sides: SIMD4<UInt32>) -> SIMD4<Int32> {
    SIMD4(truncatingIfNeeded: sides ^ SIMD4(1 << 31, 1 << 31, 1 << 31 - 1, 1 << 31 - 1))
  }

  /// Returns which sides of a node's box are outside the window.
  @inline(__always) func sidesOutside(of record: UnsafePointer<NodeRecord>) -> SidesOutside {
    crossesSeam ? sidesOutsidePastSeam(of: record) : sidesOutsideBeforeSeam(of: record)
  }

  /// Returns the results of `sidesOutside(of:)` for two adjacent records, with one branch for both records.
  @inline(__always) func sidesOutside(ofPair records: UnsafePointer<NodeRecord>) -> (
    left: SidesOutside, right: SidesOutside
  ) {
    crossesSeam
      ? (sidesOutsidePastSeam(of: records), sidesOutsidePastSeam(of: records + 1))
      : (sidesOutsideBeforeSeam(of: records), sidesOutsideBeforeSeam(of: records + 1))
  }

  @inline(__always) private func sidesOutsideBeforeSeam(of record: UnsafePointer<NodeRecord>) -> SidesOutside {
    // A record begins with the box: its west, north, east and south sides.
    let sides = Self.ordered(UnsafeRawPointer(record).loadUnaligned(as: SIMD4<UInt32>.self))
    // In `past` and `short`, each side of the box has an entry. All bits of the entry are set if the comparison is
    // true for the side.
    let past = unsafeBitCast(sides .> farther, to: SIMD4<Int32>.self)
    let short = unsafeBitCast(sides .< nearer, to: SIMD4<Int32>.self)
    let both = SIMD8<Int8>(truncatingIfNeeded: SIMD8<Int32>(lowHalf: past, highHalf: short))
    return SidesOutside(bytes: unsafeBitCast(both, to: UInt64.self))
  }

  /// Compares a whole box with the window, because single sides cannot be compared across the seam. This case is rare.
  @inline(never) private func sidesOutsidePastSeam(of record: UnsafePointer<NodeRecord>) -> SidesOutside {
    let box = record.pointee.box
    if !window.intersects(box) { return .all }
    return window.contains(box) ? .none : window.containsSide(of: box) ? .one : .several
  }
}

/// The sides of a box that lie outside a window. A side can be outside in two ways: it lies short of the window's edge
/// on the same side, or beyond the window's edge on the opposite side. The box is the smallest box around some points.
struct SidesOutside {
  /// Two groups of four bytes. Each group has a byte for each side of the box, in the order west, north, east and
  /// south. In the lower group, all bits of a byte are set if the side lies beyond the window's opposite edge. The
  /// whole box is then outside. An example is a west side that lies east of the window's east edge. In the upper
  /// group, all bits of a byte are set if the side lies short of the window's edge on the same side. An example is a
  /// west side that lies west of the window's west edge.
  let bytes: UInt64

  static let none = SidesOutside(bytes: 0)
  static let one = SidesOutside(bytes: 0x0000_00FF_0000_0000)
  static let several = SidesOutside(bytes: 0x0000_FFFF_0000_0000)
  static let all = SidesOutside(bytes: .max)

  @inline(__always) var areNone: Bool { bytes == 0 }
  @inline(__always) var areAll: Bool { UInt32(truncatingIfNeeded: bytes) != 0 }

  /// Whether at least one whole side of the box is inside, which means that a point is inside, too. If only one side
  /// is outside, the whole opposite side is inside. If no side is outside, the whole box is inside.
  @inline(__always) var leaveOneInside: Bool {
    let short = UInt32(truncatingIfNeeded: bytes &>> 32) & 0x0101_0101
    return !areAll && short & (short &- 1) == 0
  }
}
