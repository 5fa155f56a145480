import Treeline

/// The extent of some points along the circle of longitudes. The seam is the meridian at which the plane begins and
/// ends. If an extent across the seam contains all points and is less than half a world wide, it is the extent of the
/// points. Otherwise the extent of the points is the range of their x coordinates.
struct Longitudes {
  var west: UInt32
  var east: UInt32

  /// Extents of this width or more never cross the seam.
  static let halfWorld: UInt32 = 1 << 31

  var isAcrossSeam: Bool { west > east }
  var width: UInt32 { east &- west }

  /// Whether the points are too far apart for an extent across the seam. If so, every extent that contains this extent
  /// is also too wide to cross the seam.
  var isWide: Bool { !isAcrossSeam && width >= Self.halfWorld }

  /// Returns the extent that contains both extents.
  func joined(with other: Longitudes) -> Longitudes {
    let plain = Longitudes(west: min(west, other.west), east: max(east, other.east))
    let isAnyAcross = isAcrossSeam || other.isAcrossSeam
    if isWide || other.isWide { return isAnyAcross ? .all : plain }
    if !isAnyAcross && plain.width < Self.halfWorld { return plain }
    // Tries each of the two extents as the western extent `a`. The west edge of `b` must lie less than half a world
    // east of the west edge of `a`.
    for (a, b) in [(self, other), (other, self)] {
      let start = b.west &- a.west
      let width = max(UInt64(a.width), UInt64(start) + UInt64(b.width))
      if start < Self.halfWorld && width < UInt64(Self.halfWorld) {
        return Longitudes(west: a.west, east: a.west &+ UInt32(width))
      }
    }
    return isAnyAcross ? .all : plain
  }

  /// The whole width of the plane. Points on both sides of the seam (where the plane begins and ends) have this extent
  /// if they are too far apart for an extent across the seam. An extent across the seam must be less than half a world
  /// wide.
  private static let all = Longitudes(west: 0, east: .max)
}
