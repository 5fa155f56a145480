import Treeline

/// Exact sums over some points. The coordinates of the points are measured from a corner. No point lies to the left of
/// the corner or above the corner.
///
/// The sums are integers. So the sums are the same for any order of the points, for any chunks and for any number of
/// threads. `Sum` is UInt64 if the number and the extent of the points prove that every sum fits. Otherwise `Sum` is
/// UInt128, because 2^31 points on a plane of 2^32 units need 95 bits.
struct Moments<Sum: FixedWidthInteger & UnsignedInteger & Sendable>: Equatable, Sendable {
  var count: UInt64 = 0
  var x: UInt64 = 0
  var y: UInt64 = 0
  var xx: Sum = 0
  var xy: Sum = 0
  var yy: Sum = 0
}

extension Moments {
  @inline(__always) init(_ points: UnsafeBufferPointer<PlanePoint>, from corner: PlanePoint) {
    if Sum.bitWidth == 64 {
      for point in points { add(point, from: corner) }
    } else {
      self = Self.wideSums(points, from: corner)
    }
  }

  /// Adds up the upper 32 bits and the lower 32 bits of the products separately, so that the loop needs no carry. For
  /// up to 2^31 points, each of these sums fits into 64 bits.
  @inline(__always) private static func wideSums(_ points: UnsafeBufferPointer<PlanePoint>, from corner: PlanePoint)
    -> Moments
  {
    var low = Moments<UInt64>()
    var high = (xx: UInt64(0), xy: UInt64(0), yy: UInt64(0))
    for point in points {
      let dx = UInt64(point.x &- corner.x)
      let dy = UInt64(point.y &- corner.y)
      let (xx, xy, yy) = (dx &* dx, dx &* dy, dy &* dy)
      low.x &+= dx
      low.y &+= dy
      low.xx &+= xx & 0xFFFF_FFFF
      low.xy &+= xy & 0xFFFF_FFFF
      low.yy &+= yy & 0xFFFF_FFFF
      high.xx &+= xx >> 32
      high.xy &+= xy >> 32
      high.yy &+= yy >> 32
    }
    return Moments(
      count: UInt64(points.count), x: low.x, y: low.y,
      xx: Sum(truncatingIfNeeded: high.xx) << 32 &+ Sum(truncatingIfNeeded: low.xx),
      xy: Sum(truncatingIfNeeded: high.xy) << 32 &+ Sum(truncatingIfNeeded: low.xy),
      yy: Sum(truncatingIfNeeded: high.yy) << 32 &+ Sum(truncatingIfNeeded: low.yy))
  }

  @inline(__always) mutating func add(_ point: PlanePoint, from corner: PlanePoint) {
    let dx = UInt64(point.x &- corner.x)
    let dy = UInt64(point.y &- corner.y)
    count &+= 1
    x &+= dx
    y &+= dy
    xx &+= Sum(truncatingIfNeeded: dx &* dx)
    xy &+= Sum(truncatingIfNeeded: dx &* dy)
    yy &+= Sum(truncatingIfNeeded: dy &* dy)
  }

  @inline(__always) init<Other>(converting other: Moments<Other>) {
    self.init(
      count: other.count, x: other.x, y: other.y, xx: Sum(truncatingIfNeeded: other.xx),
      xy: Sum(truncatingIfNeeded: other.xy), yy: Sum(truncatingIfNeeded: other.yy))
  }

  /// Returns the moments of the points that remain when the points of `part` are removed from the points of `all`.
  @inline(__always) static func - (all: Moments, part: Moments) -> Moments {
    Moments(
      count: all.count &- part.count, x: all.x &- part.x, y: all.y &- part.y, xx: all.xx &- part.xx,
      xy: all.xy &- part.xy, yy: all.yy &- part.yy)
  }

  @inline(__always) static func + (a: Moments, b: Moments) -> Moments {
    Moments(
      count: a.count &+ b.count, x: a.x &+ b.x, y: a.y &+ b.y, xx: a.xx &+ b.xx, xy: a.xy &+ b.xy, yy: a.yy &+ b.yy)
  }

  /// Returns the moments of the same points, measured from a corner that lies `dx` farther right and `dy` farther down.
  ///
  /// Overflow is harmless: the results fit, even if intermediate terms do not.
  @inline(__always) func moved(right dx: UInt32, down dy: UInt32) -> Moments {
    let (right, down) = (Sum(truncatingIfNeeded: dx), Sum(truncatingIfNeeded: dy))
    let (sumX, sumY) = (Sum(truncatingIfNeeded: x), Sum(truncatingIfNeeded: y))
    let n = Sum(truncatingIfNeeded: count)
    return Moments(
      count: count, x: x &- count &* UInt64(dx), y: y &- count &* UInt64(dy),
      xx: xx &- (sumX &+ sumX &- n &* right) &* right,
      xy: xy &- sumX &* down &- sumY &* right &+ n &* right &* down,
      yy: yy &- (sumY &+ sumY &- n &* down) &* down)
  }
}

/// The covariance matrix, multiplied by the square of the number of points: n Sxx - Sx Sx and so on. The matrix is
/// exact, and does not depend on the corner from which the sums are measured.
struct Scatter: Hashable, Sendable {
  var xx: Int128
  var xy: Int128
  var yy: Int128

  /// Computes the matrix in O(1). For 2^31 points, the entries of the matrix are at most 2^126.
  @inline(__always) init<Sum>(_ moments: Moments<Sum>) {
    let n = Int128(moments.count)
    let x = Int128(moments.x)
    let y = Int128(moments.y)
    xx = n &* Int128(truncatingIfNeeded: moments.xx) &- x &* x
    xy = n &* Int128(truncatingIfNeeded: moments.xy) &- x &* y
    yy = n &* Int128(truncatingIfNeeded: moments.yy) &- y &* y
  }

  /// Whether all points share one position.
  var isZero: Bool { xx == 0 && yy == 0 }

  /// Returns the covariance matrix, with each entry rounded.
  @inline(__always) func spread(count: UInt64) -> NodeSpread {
    let square = Double(count) * Double(count)
    return NodeSpread(
      xx: Float(xx.approximation / square), xy: Float(xy.approximation / square), yy: Float(yy.approximation / square))
  }
}

extension Int128 {
  /// The value as a double. The value may be rounded twice, so the result need not be the nearest double. All machines
  /// compute the same result.
  var approximation: Double {
    let magnitude = self.magnitude
    let value =
      Double(UInt64(truncatingIfNeeded: magnitude >> 64)) * 0x1p64 + Double(UInt64(truncatingIfNeeded: magnitude))
    return self < 0 ? -value : value
  }
}
