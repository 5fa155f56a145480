import Treeline

/// What bins tell of the positions along an axis at which points may be split: the best at their ends, and how good
/// one inside can be at most.
struct PositionBounds {
  let halves: Halves
  let axis: PrincipalAxis
  let scatter: AxialScatter
  var best = SplitPosition()

  /// For all points.
  var firstScale: BinScale {
    let bits = min(Int.bitWidth - (Int(halves.all.count) >> 3).leadingZeroBitCount + 1, BinScale.mostBits)
    return BinScale(around: scatter, bits: bits)
  }

  /// Tries the positions between bins, and bounds those inside.
  ///
  /// Between the ends of a bin of c points, n Sₗ - nₗ S deviates from the straight line between its values there: the
  /// sum of j of them differs from j/c of the sum of all by j (c - j) / c times the distance of their mean to that of
  /// the others. Along the axis this is at most c/4 times the width of the bin, and in any direction at most half the
  /// root of c times the sum of all points' squared distances to their mean: what lies between the j and the others
  /// is part of their scatter. A component of the straight line, so widened, has a convex square, and nₗ nᵣ is concave,
  /// so their quotient is greatest at an end.
  ///
  /// - Parameter isOpenEnded: whether the first and the last bin hold what lies beyond them, too.
  @inline(__always) mutating func tryEnds(
    of bins: UnsafeMutableBufferPointer<Bin>, _ scale: BinScale, rightOf left: Halves.Sums, isOpenEnded: Bool = true
  ) {
    let (halves, axis, scatter) = (halves, axis, scatter)
    let count = Double(halves.all.count)
    let (alongBin, along, across) = (
      count * scale.width / 4, count * scatter.along.squareRoot() / 2, count * scatter.across.squareRoot() / 2
    )
    // What rounding may take away is added.
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

/// What n Sₗ - nₗ S is at the end of a bin.
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

  /// What lies between the halves if both components were greater; infinite where one of them is empty.
  @inline(__always) func mostBetween(_ strayAlong: Double, _ strayAcross: Double) -> Double {
    let (along, across) = (along + strayAlong, across + strayAcross)
    return (along * along + across * across) / productOfCounts
  }
}

/// The mean of the dot products of some points with an axis, and the sums of the squared deviations from it and from
/// that of the cross products; rounded, the sums upwards.
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
    // Where much is taken from much, rounding errors are what is left.
    let most = (x * x + y * y) * (xx + yy) * 0x1p-45
    mean = (x * Double(moments.x) + y * Double(moments.y)) / count
    along = x * x * xx + 2 * x * y * xy + y * y * yy + most
    across = x * x * yy - 2 * x * y * xy + y * y * xx + most
    deviation = (along / count).squareRoot()
    perSquaredLength = 1 / (x * x + y * y)
  }
}

/// The sums over the points whose dot products with an axis are in one range of a scale.
struct Bin {
  var count: UInt32 = 0
  /// One of its points, linked to the others.
  var first: UInt32 = 0
  var x: UInt64 = 0
  var y: UInt64 = 0
  /// No position inside has more scatter between the halves.
  var mostBetween = 0.0

  /// Takes in another, whose list goes on with that of this one.
  mutating func join(_ other: Bin) {
    count &+= other.count
    first = other.first
    x &+= other.x
    y &+= other.y
  }
}

/// Divides the values of some dot products into bins of equal width, a power of two. What lies beyond them goes to the
/// first and the last one.
struct BinScale: BitwiseCopyable {
  let count: Int
  private let least: Int64
  private let shift: UInt64

  /// The sums of more bins would not stay in the cache.
  static let mostBits = 11

  /// Over all values. About eight points go to each bin, or to every second.
  init(over range: ClosedRange<Int64>, forCount count: Int) {
    // Products have 62 bits and a sign, so no difference overflows.
    let bits = min(Int.bitWidth - (count >> 3).leadingZeroBitCount, Self.mostBits)
    self.init(from: range.lowerBound, width: UInt64(range.upperBound &- range.lowerBound), bits: bits)
  }

  /// Over three standard deviations on either side of the mean: there is no need of a pass to see how far points reach,
  /// and few lie beyond.
  @inline(__always) init(around scatter: AxialScatter, bits: Int) {
    let reach = min(3 * scatter.deviation, 0x1p61).rounded(.up)
    // Products have 62 bits and a sign.
    let least = Int64(max(-0x1p62, min(scatter.mean - reach, 0x1p62)))
    self.init(from: least, width: UInt64(2 * reach), bits: bits)
  }

  /// At most 2^`bits` bins.
  @inline(__always) init(from least: Int64, width: UInt64, bits: Int) {
    self.least = least
    shift = UInt64(max(0, UInt64.bitWidth - width.leadingZeroBitCount - bits))
    count = Int(width >> shift) + 1
  }

  @inline(__always) func bin(of product: Int64) -> Int {
    min(max(Int(product &- least) &>> Int(shift), 0), count &- 1)
  }

  /// The greatest value in a bin but the last.
  @inline(__always) func end(of bin: Int) -> Int64 { least &+ Int64(bin &+ 1) &<< Int64(shift) &- 1 }

  /// Whether any number leads to a bin, as of a scale that was read.
  var isSound: Bool { count > 0 && shift < 64 }

  /// How far two values in a bin are apart at most, but in the first and the last one.
  var width: Double { Double(1 &<< Int64(shift) &- 1) }
}
