import Treeline

/// The Hilbert curve through all positions of the plane (D. Hilbert, 1891, doi:10.1007/BF01199431): neighbours on it
/// are neighbours on the plane, so boxes around stretches of it overlap little. It decides how fast neighbours are
/// found, and nothing of the result.
enum HilbertCurve {
  /// How far along the curve a position lies. All digits of the base 4 are found at once: from which of four ways the
  /// curve runs through a square follows by a prefix scan how it runs through the squares within.
  static func code(of point: PlanePoint) -> UInt64 {
    let (x, y) = (point.x, point.y)
    var (a, b, c, d) = (x ^ y, ~(x ^ y), ~(x | y), x & ~y)
    var (nextA, nextB) = (a | (b >> 1), (a >> 1) ^ a)
    (c, d) = ((c >> 1) ^ (b & d >> 1) ^ c, (a & c >> 1) ^ (d >> 1) ^ d)
    (a, b) = (nextA, nextB)
    for shift: UInt32 in [2, 4, 8, 16] {
      (nextA, nextB) = ((a & a >> shift) ^ (b & b >> shift), (a & b >> shift) ^ (b & (a ^ b) >> shift))
      let nextC = c ^ (a & c >> shift) ^ (b & d >> shift)
      d ^= (b & c >> shift) ^ ((a ^ b) & d >> shift)
      (a, b, c) = (nextA, nextB, nextC)
    }
    let low = x ^ y
    let high = (d ^ (d >> 1)) | ~(low | (c ^ (c >> 1)))
    return ZOrder.code(of: PlanePoint(x: low, y: high))
  }
}
