import Treeline

/// Finds the position along an axis at which a split leaves the least scatter in the two halves: of equally good ones
/// the first.
///
/// Up to 128 points are sorted, and every position is tried. More are put into bins of equal width by their dot
/// products. At the ends of a bin, sums over bins give the scatter between the halves; for the positions inside there
/// is a bound, and only if it is not below the best found so far are the points of the bin searched, in the same way.
/// So the result is that of trying every position.
struct SplitPositionSearch {
  private let points: UnsafePointer<PlanePoint>
  private let products: DotProducts
  private let halves: Halves
  private let scatter: AxialScatter
  /// The next point of the same bin, for each but the last one.
  private let links: UnsafeMutablePointer<UInt32>
  private let threads: Int
  private let monitor: BuildMonitor
  private var best = SplitPosition()

  /// The best position.
  ///
  /// - Parameters:
  ///   - points: As many as `halves` counts.
  ///   - links: Room for as many numbers.
  /// - Complexity: O(count) as a rule, O(count x 62) at most: what is searched again spans half the width or less.
  @inline(__always) static func bestPosition<Sum>(
    between points: UnsafePointer<PlanePoint>, of moments: Moments<Sum>, _ halves: Halves, _ products: DotProducts,
    linkingIn links: UnsafeMutablePointer<UInt32>, threads: Int = 1, _ monitor: BuildMonitor
  ) -> SplitPosition {
    let count = Int(moments.count)
    if count <= SortedPoint.few {
      return SortedPoint.bestPosition(
        betweenFew: points, count: count, rightOf: Halves.Sums(), halves, products, SplitPosition())
    }
    let scatter = AxialScatter(of: moments, along: products.axis)
    if count <= SortedPoint.some { return SortedPoint.bestPosition(betweenSome: points, halves, products, scatter) }
    var search = SplitPositionSearch(
      points: points, products: products, halves: halves, scatter: scatter, links: links, threads: threads,
      monitor: monitor)
    search.search()
    return search.best
  }

  private mutating func search() {
    let count = Int(halves.all.count)
    let bits = min(Int.bitWidth - (count >> 3).leadingZeroBitCount + 1, BinScale.mostBits)
    let scale = BinScale(around: scatter, bits: bits)
    withUnsafeTemporaryAllocation(of: Bin.self, capacity: scale.count) { bins in
      bins.initialize(repeating: Bin())
      if threads == 1 {
        let (placing, start) = (self, bins.baseAddress!)
        monitor.pass(over: 0..<count) { block in
          for index in block { placing.put(UInt32(truncatingIfNeeded: index), in: start, scale) }
        }
      } else {
        putByThreads(0..<count, in: bins, scale)
      }
      search(bins, scale, rightOf: Halves.Sums())
    }
  }

  /// Searches for a better position inside a bin.
  ///
  /// - Parameter left: The sums of all points of lesser products.
  private mutating func search(_ bin: Bin, rightOf left: Halves.Sums) {
    if bin.count <= SortedPoint.few { return searchFew(bin, rightOf: left) }
    let range = range(of: bin)
    if range.lowerBound == range.upperBound || monitor.isCancelled { return }
    let scale = BinScale(over: range, forCount: Int(bin.count))
    withUnsafeTemporaryAllocation(of: Bin.self, capacity: scale.count) { bins in
      bins.initialize(repeating: Bin())
      let start = bins.baseAddress!
      forEach(in: bin) { put($0, in: start, scale) }
      search(bins, scale, rightOf: left)
    }
  }

  private mutating func searchFew(_ bin: Bin, rightOf left: Halves.Sums) {
    withUnsafeTemporaryAllocation(of: PlanePoint.self, capacity: SortedPoint.few) { few in
      var count = 0
      forEach(in: bin) { index in
        few[count] = points[Int(index)]
        count &+= 1
      }
      best = SortedPoint.bestPosition(
        betweenFew: few.baseAddress!, count: count, rightOf: left, halves, products, best)
    }
  }

  private mutating func search(_ bins: UnsafeMutableBufferPointer<Bin>, _ scale: BinScale, rightOf left: Halves.Sums) {
    if monitor.isCancelled { return }
    tryEnds(of: bins, scale, rightOf: left)
    var left = left
    for bin in bins {
      if bin.count > 1, bin.mostBetween >= best.between { search(bin, rightOf: left) }
      left.add(bin)
    }
  }

  /// Each thread puts some of the points into bins of its own, whose lists are joined then. In what order a bin has its
  /// points matters to nothing.
  private func putByThreads(_ range: Range<Int>, in bins: UnsafeMutableBufferPointer<Bin>, _ scale: BinScale) {
    nonisolated(unsafe) let search = self
    let parts = inChunks(of: range.count, threads: threads) { chunk in
      // Of each bin the point that was put there first, which is linked to no other.
      var (bins, ends) = ([Bin](repeating: Bin(), count: scale.count), [UInt32](repeating: 0, count: scale.count))
      bins.withUnsafeMutableBufferPointer { bins in
        search.monitor.pass(over: range.chunk(chunk)) { block in
          for index in block {
            let bin = search.put(UInt32(truncatingIfNeeded: index), in: bins.baseAddress!, scale)
            if bins[bin].count == 1 { ends[bin] = UInt32(truncatingIfNeeded: index) }
          }
        }
      }
      return (bins, ends)
    }
    for (part, ends) in parts {
      for (number, bin) in part.enumerated() where bin.count > 0 {
        links[Int(ends[number])] = bins[number].first
        bins[number].join(bin)
      }
    }
  }

  /// - Returns: In which bin it is.
  @discardableResult @inline(__always) private func put(
    _ index: UInt32, in bins: UnsafeMutablePointer<Bin>, _ scale: BinScale
  ) -> Int {
    let point = points[Int(index)]
    let number = scale.bin(of: products.of(point))
    let bin = bins + number
    links[Int(index)] = bin.pointee.first
    bin.pointee.first = index
    bin.pointee.count &+= 1
    bin.pointee.x &+= UInt64(point.x &- products.corner.x)
    bin.pointee.y &+= UInt64(point.y &- products.corner.y)
    return number
  }

  /// Visits the points of a bin, each of which may be linked anew meanwhile.
  @inline(__always) private func forEach(in bin: Bin, _ visit: (UInt32) -> Void) {
    var next = bin.first
    monitor.passOverSome(0..<Int(bin.count)) { block in
      for _ in block {
        let index = next
        next = links[Int(index)]
        visit(index)
      }
    }
  }

  /// How far the points of a bin reach along the axis.
  private func range(of bin: Bin) -> ClosedRange<Int64> {
    var (least, most) = (Int64.max, Int64.min)
    forEach(in: bin) { index in
      let product = products.of(points[Int(index)])
      (least, most) = (min(least, product), max(most, product))
    }
    return least...most
  }

  /// Tries the positions between bins, and bounds those inside.
  ///
  /// Between the ends of a bin of c points, n Sₗ - nₗ S deviates from the straight line between its values there: the
  /// sum of j of them differs from j/c of the sum of all by j (c - j) / c times the distance of their mean to that of
  /// the others. Along the axis this is at most c/4 times the width of the bin, and in any direction at most half the
  /// root of c times the sum of all points' squared distances to their mean: what lies between the j and the others
  /// is part of their scatter. A component of the straight line, so widened, has a convex square, and nₗ nᵣ is concave,
  /// so their quotient is greatest at an end.
  private mutating func tryEnds(of bins: UnsafeMutableBufferPointer<Bin>, _ scale: BinScale, rightOf left: Halves.Sums)
  {
    let (halves, axis, scatter) = (halves, products.axis, scatter)
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
        let isOpenEnded = index == 0 || index == bins.count - 1
        let strayAlong = isOpenEnded ? root * along : min(Double(bin.count) * alongBin, root * along)
        bins[index].mostBetween =
          perSquaredLength
          * max(before.mostBetween(strayAlong, root * across), end.mostBetween(strayAlong, root * across))
      }
      if left.count < halves.all.count { best.take(left, end.square / end.productOfCounts, scale.end(of: index)) }
    }
    self.best = best
  }
}

/// A position along an axis.
struct SplitPosition {
  /// Products up to this are left of it.
  private(set) var threshold = Int64.min
  private(set) var left = Halves.Sums()
  /// The scatter between the halves, times the count.
  private(set) var between = 0.0

  /// Becomes another position if that is better, or as good and further left.
  @inline(__always) mutating func take(_ left: Halves.Sums, _ between: Double, _ threshold: Int64) {
    if between > self.between || between == self.between && left.count < self.left.count {
      (self.threshold, self.left, self.between) = (threshold, left, between)
    }
  }
}

/// The dot products of an axis and the distances of points from a corner.
struct DotProducts {
  let corner: PlanePoint
  let axis: PrincipalAxis

  @inline(__always) func of(_ point: PlanePoint) -> Int64 {
    axis.x &* Int64(point.x &- corner.x) &+ axis.y &* Int64(point.y &- corner.y)
  }
}

// MARK: - Bins

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
struct BinScale {
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
  @inline(__always) private init(from least: Int64, width: UInt64, bits: Int) {
    self.least = least
    shift = UInt64(max(0, UInt64.bitWidth - width.leadingZeroBitCount - bits))
    count = Int(width >> shift) + 1
  }

  @inline(__always) func bin(of product: Int64) -> Int {
    min(max(Int(product &- least) &>> Int(shift), 0), count &- 1)
  }

  /// The greatest value in a bin but the last.
  @inline(__always) func end(of bin: Int) -> Int64 { least &+ Int64(bin &+ 1) &<< Int64(shift) &- 1 }

  /// How far two values in a bin are apart at most, but in the first and the last one.
  var width: Double { Double(1 &<< Int64(shift) &- 1) }
}
