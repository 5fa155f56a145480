import Treeline

/// The possible positions of a split along an axis. Points are divided into bins. The positions at the ends of bins
/// are compared directly. For each bin, one upper bound is computed: if the points are split at any position inside
/// the bin, the scatter between the two halves of the points is at most this bound.
struct PositionBounds {
  let halves: Halves
  let axis: PrincipalAxis
  let scatter: AxialScatter
  var best = SplitPosition()

  /// The scale of the bins into which all points are divided first.
  var firstScale: BinScale {
    let bits = min(Int.bitWidth - (Int(halves.all.count) >> 3).leadingZeroBitCount + 1, BinScale.mostBits)
    return BinScale(around: scatter, bits: bits)
  }

  /// Tries the positions at the ends of bins, and computes a bound for all positions inside each bin.
  ///
  /// Let v be the vector n Sₗ - nₗ S (see `Halves`). The scatter between the left and the right half of the points is
  /// the square of v, divided by n nₗ nᵣ. Consider a bin of c points, and a position inside the bin that puts j of
  /// these points into the left half. If v changed along a straight line from one end of the bin to the other, each of
  /// the c points would add the same vector to v. In fact v deviates from this line by n D. The vector D is the sum of
  /// the j points, minus j/c times the sum of all c points. Let M be the vector from the mean of the other c - j
  /// points to the mean of the j points. Then D is j (c - j) / c times M. The length of D has two upper bounds:
  ///
  /// - Along the axis, M is at most as long as the bin is wide. So D is at most c/4 times the width of the bin.
  /// - Take the components of all vectors in any one direction. Let s be the sum of the squared distances of all n
  ///   points to their mean. The scatter between the j points and the other c - j points is j (c - j) / c times the
  ///   square of M, and is a part of s. So D is at most half the square root of c s.
  ///
  /// Take a component of v on the straight line, and increase its magnitude by the bound of the deviation. The square
  /// of this sum is a convex function of nₗ, and nₗ nᵣ is a concave function. So the quotient of the square and nₗ nᵣ
  /// is greatest at an end of the bin.
  ///
  /// - Parameter isOpenEnded: Whether the first and the last bin also contain the points beyond the scale.
  @inline(__always) mutating func tryEnds(
    of bins: UnsafeMutableBufferPointer<Bin>, _ scale: BinScale, rightOf left: Halves.Sums, isOpenEnded: Bool = true
  ) {
    let (halves, axis, scatter) = (halves, axis, scatter)
    let count = Double(halves.all.count)
    let (alongBin, along, across) = (
      count * scale.width / 4, count * scatter.along.squareRoot() / 2, count * scatter.across.squareRoot() / 2
    )
    // The factor increases the bound by more than rounding errors can decrease the bound.
    let perSquaredLength = scatter.perSquaredLength * (1 + 0x1p-40)
    var (left, best) = (left, best)
    var end = BinEnd(left, halves, axis)
    for index in bins.indices where bins[index].count > 0 {
      let bin = bins[index]
      let before = end
      left.add(bin)
      end = BinEnd(left, halves, axis)
      if bin.count > 1 {
        let root = Double(bin.count).squareRoot()
        let isOpen = isOpenEnded && (index == 0 || index == bins.count - 1)
        let strayAlong = isOpen ? root * along : min(Double(bin.count) * alongBin, root * along)
        bins[index].mostBetween =
          perSquaredLength
          * max(before.mostBetween(strayAlong, root * across), end.mostBetween(strayAlong, root * across))
      }
      if left.count < halves.all.count { best.take(left, end.square / end.productOfCounts, scale.end(of: index)) }
    }
    self.best = best
  }
}

/// The value of n Sₗ - nₗ S at the end of a bin.
private struct BinEnd {
  let square: Double
  private let along: Double
  private let across: Double
  let productOfCounts: Double

  @inline(__always) init(_ left: Halves.Sums, _ halves: Halves, _ axis: PrincipalAxis) {
    let (dx, dy) = halves.difference(left)
    square = dx * dx + dy * dy
    along = abs(Double(axis.x) * dx + Double(axis.y) * dy)
    across = abs(Double(axis.x) * dy - Double(axis.y) * dx)
    productOfCounts = halves.productOfCounts(left.count)
  }

  /// Returns an upper bound of the scatter between the two halves of the points, multiplied by the number of points
  /// and by the squared length of the axis. The bound holds if the vector n Sₗ - nₗ S differs from its value at this
  /// end by at most `strayAlong` along the axis, and by at most `strayAcross` across the axis. Both arguments are
  /// multiplied by the length of the axis. Returns infinity if one half is empty.
  @inline(__always) func mostBetween(_ strayAlong: Double, _ strayAcross: Double) -> Double {
    let (along, across) = (along + strayAlong, across + strayAcross)
    return (along * along + across * across) / productOfCounts
  }
}

/// Statistics of some points along an axis: the mean of the dot products, the sum of the squared deviations of the dot
/// products, and the sum of the squared deviations of the cross products. All values are rounded. The sums are rounded
/// upwards.
struct AxialScatter {
  let mean: Double
  let deviation: Double
  let along: Double
  let across: Double
  let perSquaredLength: Double

  init<Sum>(of moments: Moments<Sum>, along axis: PrincipalAxis) {
    let scatter = Scatter(moments)
    let count = Double(moments.count)
    let (x, y) = (Double(axis.x), Double(axis.y))
    let (xx, xy, yy) = (
      scatter.xx.approximation / count, scatter.xy.approximation / count, scatter.yy.approximation / count
    )
    // An upper bound of the rounding errors. Without this bound, a sum could be too small if its large terms cancel
    // each other.
    let most = (x * x + y * y) * (xx + yy) * 0x1p-45
    mean = (x * Double(moments.x) + y * Double(moments.y)) / count
    along = x * x * xx + 2 * x * y * xy + y * y * yy + most
    across = x * x * yy - 2 * x * y * xy + y * y * xx + most
    deviation = (along / count).squareRoot()
    perSquaredLength = 1 / (x * x + y * y)
  }
}

/// The sums over the points whose dot products with an axis are in one bin of a scale.
struct Bin {
  var count: UInt32 = 0
  /// First point in the linked list of the bin's points.
  var first: UInt32 = 0
  var x: UInt64 = 0
  var y: UInt64 = 0
  /// Upper bound of the scatter between the two halves if a node is split at any position inside the bin. The bound is
  /// multiplied by the number of the node's points.
  var mostBetween = 0.0

  /// Adds the points of another bin. The caller must already have linked the last point in the other bin's list to the
  /// first point in this bin's list.
  mutating func join(_ other: Bin) {
    count &+= other.count
    first = other.first
    x &+= other.x
    y &+= other.y
  }
}

/// Divides a range of dot products into bins of equal width. The width is a power of two. Values beyond the range
/// belong to the first or the last bin.
struct BinScale: BitwiseCopyable {
  let count: Int
  private let least: Int64
  private let shift: UInt64

  /// Greatest number of bits in a bin number. With more bits, the sums of all bins would not fit into the processor's
  /// cache.
  static let mostBits = 11

  /// Makes a scale over a whole range. On average a bin has 4 to 16 points, or more points if the number of bins is at
  /// its limit.
  init(over range: ClosedRange<Int64>, forCount count: Int) {
    // Products have 62 bits and a sign, so differences of products do not overflow.
    let bits = min(Int.bitWidth - (count >> 3).leadingZeroBitCount, Self.mostBits)
    self.init(from: range.lowerBound, width: UInt64(range.upperBound &- range.lowerBound), bits: bits)
  }

  /// Makes a scale over three standard deviations on each side of the mean. Few points are beyond this scale. The
  /// scale needs no extra pass that finds the least and the greatest product.
  @inline(__always) init(around scatter: AxialScatter, bits: Int) {
    let reach = min(3 * scatter.deviation, 0x1p61).rounded(.up)
    // Products have 62 bits and a sign.
    let least = Int64(max(-0x1p62, min(scatter.mean - reach, 0x1p62)))
    self.init(from: least, width: UInt64(2 * reach), bits: bits)
  }

  /// Makes a scale with at most 2^`bits` bins.
  @inline(__always) init(from least: Int64, width: UInt64, bits: Int) {
    self.least = least
    shift = UInt64(max(0, UInt64.bitWidth - width.leadingZeroBitCount - bits))
    count = Int(width >> shift) + 1
  }

  @inline(__always) func bin(of product: Int64) -> Int {
    min(max(Int(product &- least) &>> Int(shift), 0), count &- 1)
  }

  /// Returns the greatest value in a bin. The bin must not be the last bin.
  @inline(__always) func end(of bin: Int) -> Int64 { least &+ Int64(bin &+ 1) &<< Int64(shift) &- 1 }

  /// Whether the scale has a bin for every dot product. A scale that was read from bytes may be invalid.
  var isSound: Bool { count > 0 && shift < 64 }

  /// Greatest difference of two values in one bin. The first and the last bin are exceptions: they also contain values
  /// beyond the range, so their values may differ by more.
  var width: Double { Double(1 &<< Int64(shift) &- 1) }
}
