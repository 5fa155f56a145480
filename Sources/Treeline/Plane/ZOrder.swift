/// The Z-order curve (G. M. Morton, 1966), which runs through all positions of the plane. Positions that are near each
/// other on the curve are near each other on the plane.
package enum ZOrder {
  /// Interleaves the bits of x and y. Bit i of y is placed just above bit i of x.
  @inlinable @inline(__always) package static func code(of point: PlanePoint) -> UInt64 {
    spread(point.x) | spread(point.y) << 1
  }

  @inlinable @inline(__always) package static func point(of code: UInt64) -> PlanePoint {
    PlanePoint(x: gathered(code), y: gathered(code >> 1))
  }

  /// Inserts a zero above each bit.
  @inlinable @inline(__always) package static func spread(_ value: UInt32) -> UInt64 {
    var bits = UInt64(value)
    bits = (bits | bits << 16) & 0x0000_FFFF_0000_FFFF
    bits = (bits | bits << 8) & 0x00FF_00FF_00FF_00FF
    bits = (bits | bits << 4) & 0x0F0F_0F0F_0F0F_0F0F
    bits = (bits | bits << 2) & 0x3333_3333_3333_3333
    return (bits | bits << 1) & 0x5555_5555_5555_5555
  }

  /// Drops every second bit, from bit 1.
  @inlinable @inline(__always) package static func gathered(_ code: UInt64) -> UInt32 {
    var bits = code & 0x5555_5555_5555_5555
    bits = (bits | bits >> 1) & 0x3333_3333_3333_3333
    bits = (bits | bits >> 2) & 0x0F0F_0F0F_0F0F_0F0F
    bits = (bits | bits >> 4) & 0x00FF_00FF_00FF_00FF
    bits = (bits | bits >> 8) & 0x0000_FFFF_0000_FFFF
    return UInt32(truncatingIfNeeded: bits | bits >> 16)
  }
}
