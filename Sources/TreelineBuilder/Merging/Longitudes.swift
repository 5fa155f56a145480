import Treeline

/// How far some points reach along the circle of longitudes: across the seam if all of them fit into less than half of
/// the world so, otherwise as they lie on the plane.
struct Longitudes {
  var west: UInt32
  var east: UInt32

  /// From here on nothing is laid across the seam.
  static let halfWorld: UInt32 = 1 << 31

  init(west: UInt32, east: UInt32) { (self.west, self.east) = (west, east) }

  var isAcrossSeam: Bool { west > east }
  var width: UInt32 { east &- west }

  /// Too wide to be laid across the seam, and so is all that it is part of.
  var isWide: Bool { !isAcrossSeam && width >= Self.halfWorld }

  /// Of both together.
  func joined(with other: Longitudes) -> Longitudes {
    let plain = Longitudes(west: min(west, other.west), east: max(east, other.east))
    let isAnyAcross = isAcrossSeam || other.isAcrossSeam
    if isWide || other.isWide { return isAnyAcross ? .all : plain }
    if !isAnyAcross && plain.width < Self.halfWorld { return plain }
    // Laid side by side across the seam, the one that reaches farther east from its own west edge first.
    for (a, b) in [(self, other), (other, self)] {
      let start = b.west &- a.west
      let width = max(UInt64(a.width), UInt64(start) + UInt64(b.width))
      if start < Self.halfWorld && width < UInt64(Self.halfWorld) {
        return Longitudes(west: a.west, east: a.west &+ UInt32(width))
      }
    }
    return isAnyAcross ? .all : plain
  }

  /// Of points on both sides of the seam that are too far apart to be laid across it.
  private static let all = Longitudes(west: 0, east: .max)
}
