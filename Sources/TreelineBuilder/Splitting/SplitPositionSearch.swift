import Treeline

/// Finds the position along an axis at which a split leaves the least scatter in the two halves: of equally good ones
/// the first.
///
/// Points are put into bins of equal width by their dot products. At the ends of a bin, sums over bins give the
/// scatter between the halves; for the positions inside there is a bound, and only if it is above the best found so
/// far are the points of the bin searched, in the same way. So the result is that of trying every position.
struct SplitPositionSearch {
  private let corner: PlanePoint
  private let axis: PrincipalAxis
  private let monitor: BuildMonitor

  /// The best position so far: products up to this are left of it.
  private(set) var threshold = Int64.min
  private(set) var halves: Halves
  private var mostBetween = 0.0

  /// So few points are sorted instead.
  private static let few = 24

  init<Sum>(of moments: Moments<Sum>, from corner: PlanePoint, along axis: PrincipalAxis, _ monitor: BuildMonitor) {
    (self.corner, self.axis, self.monitor) = (corner, axis, monitor)
    halves = Halves(of: moments)
  }

  /// Searches for a better position between some points.
  ///
  /// - Parameters:
  ///   - left: The sums of all points of lesser products.
  ///   - kept: Room for as many points. It may be where they are.
  /// - Complexity: O(count) as a rule, O(count x 62) at most: what is searched again spans half the width or less.
  mutating func search(
    _ points: UnsafePointer<PlanePoint>, count: Int, rightOf left: Halves.Sums = Halves.Sums(),
    keepingIn kept: UnsafeMutablePointer<PlanePoint>
  ) {
    if count <= Self.few { return searchFew(points, count: count, rightOf: left) }
    let (along, across) = extent(of: points, count: count)
    if along.lowerBound == along.upperBound || monitor.isCancelled { return }
    let scale = BinScale(over: along, forCount: count)
    withUnsafeTemporaryAllocation(of: Bin.self, capacity: scale.count) { bins in
      bins.initialize(repeating: Bin())
      sumUp(points, count: count, in: bins, scale)
      if monitor.isCancelled { return }
      tryEnds(of: bins, scale, across: across, rightOf: left)
      let keptCount = openBins(bins)
      if keptCount == 0 { return }
      keep(points, count: count, in: kept, bins, scale)
      if monitor.isCancelled { return }
      sort(kept, count: keptCount, into: bins, scale)
      if monitor.isCancelled { return }
      searchInside(bins, rightOf: left, kept)
    }
  }

  @inline(__always) private func product(_ point: PlanePoint) -> Int64 {
    axis.x &* Int64(point.x &- corner.x) &+ axis.y &* Int64(point.y &- corner.y)
  }

  @inline(__always) private mutating func take(_ left: Halves.Sums, _ squaredDifference: Double, _ threshold: Int64) {
    let between = halves.scatterBetween(left, squaredDifference)
    if between > mostBetween || between == mostBetween && left.count < halves.left.count {
      (mostBetween, self.threshold, halves.left) = (between, threshold, left)
    }
  }

  /// Tries every position between some points.
  private mutating func searchFew(_ points: UnsafePointer<PlanePoint>, count: Int, rightOf left: Halves.Sums) {
    withUnsafeTemporaryAllocation(of: (product: Int64, point: PlanePoint).self, capacity: Self.few) {
      let sorted = $0.baseAddress!
      for index in 0..<count {
        let point = points[index]
        let product = product(point)
        var slot = index
        while slot > 0, sorted[slot &- 1].product > product {
          sorted[slot] = sorted[slot &- 1]
          slot &-= 1
        }
        sorted[slot] = (product, point)
      }
      var left = left
      for index in 0..<count - 1 {
        left.add(sorted[index].point, from: corner)
        let product = sorted[index].product
        if product != sorted[index &+ 1].product { take(left, halves.squaredDifference(left), product) }
      }
    }
  }
}

// MARK: - Summing up bins

extension SplitPositionSearch {
  /// How far points reach along the axis and across it, as dot products.
  private func extent(of points: UnsafePointer<PlanePoint>, count: Int) -> (along: ClosedRange<Int64>, across: Int64) {
    var (least, most) = (Int64.max, Int64.min)
    var (leastAcross, mostAcross) = (Int64.max, Int64.min)
    monitor.passOverSome(0..<count) { block in
      for index in block {
        let (dx, dy) = (Int64(points[index].x &- corner.x), Int64(points[index].y &- corner.y))
        let along = axis.x &* dx &+ axis.y &* dy
        let across = axis.x &* dy &- axis.y &* dx
        (least, most) = (min(least, along), max(most, along))
        (leastAcross, mostAcross) = (min(leastAcross, across), max(mostAcross, across))
      }
    }
    return (least...most, mostAcross &- leastAcross)
  }

  private func sumUp(
    _ points: UnsafePointer<PlanePoint>, count: Int, in bins: UnsafeMutableBufferPointer<Bin>, _ scale: BinScale
  ) {
    let bins = bins.baseAddress!
    monitor.pass(over: 0..<count) { block in
      for index in block {
        let point = points[index]
        let bin = bins + scale.bin(of: product(point))
        bin.pointee.count &+= 1
        bin.pointee.x &+= UInt64(point.x &- corner.x)
        bin.pointee.y &+= UInt64(point.y &- corner.y)
      }
    }
  }

  /// Tries the positions between bins, and bounds those inside.
  ///
  /// Along a bin of c points, n Sₗ - nₗ S deviates from the straight line between its values at both ends by at most a
  /// quarter of n c times the greatest distance of two of them: the sum of j of them differs from j/c of the sum of
  /// all by j (c - j) / c times the distance of their mean to that of the others.
  private mutating func tryEnds(
    of bins: UnsafeMutableBufferPointer<Bin>, _ scale: BinScale, across: Int64, rightOf left: Halves.Sums
  ) {
    let distance = (scale.width + Double(across)) / Double(PrincipalAxis.length)
    let stray = Double(halves.all.count) * distance / 4
    var left = left
    var magnitude = halves.squaredDifference(left).squareRoot()
    for index in bins.indices where bins[index].count > 0 {
      let bin = bins[index]
      let before = magnitude
      let leastCounts = left.count &+ 1
      left.add(bin)
      let square = halves.squaredDifference(left)
      magnitude = square.squareRoot()
      if bin.count > 1 {
        let most = max(before, magnitude) + stray * Double(bin.count)
        // What rounding may take away is added.
        let square = most * most * (1 + 0x1p-40)
        bins[index].mostBetween =
          square / min(halves.productOfCounts(leastCounts), halves.productOfCounts(left.count &- 1))
      }
      take(left, square, scale.end(of: index))
    }
  }
}

// MARK: - Searching inside bins

extension SplitPositionSearch {
  /// Opens the bins that may hold a better position, and returns how many points are in them.
  private func openBins(_ bins: UnsafeMutableBufferPointer<Bin>) -> Int {
    var count: UInt32 = 0
    for index in bins.indices {
      let isOpen = bins[index].count > 1 && bins[index].mostBetween >= mostBetween
      bins[index].next = isOpen ? count : Bin.closed
      count &+= isOpen ? bins[index].count : 0
    }
    return Int(count)
  }

  /// Copies the points of open bins, in any order.
  private func keep(
    _ points: UnsafePointer<PlanePoint>, count: Int, in kept: UnsafeMutablePointer<PlanePoint>,
    _ bins: UnsafeMutableBufferPointer<Bin>, _ scale: BinScale
  ) {
    let bins = bins.baseAddress!
    var keptCount = 0
    monitor.pass(over: 0..<count) { block in
      for index in block {
        let point = points[index]
        // Written whatever becomes of it: the end never overtakes the point being read.
        kept[keptCount] = point
        keptCount &+= bins[scale.bin(of: product(point))].next == Bin.closed ? 0 : 1
      }
    }
  }

  /// Sorts the points of open bins by bin.
  private func sort(
    _ kept: UnsafeMutablePointer<PlanePoint>, count: Int, into bins: UnsafeMutableBufferPointer<Bin>, _ scale: BinScale
  ) {
    let bins = bins.baseAddress!
    var (bin, end) = (bins, bins.pointee.next == Bin.closed ? 0 : bins.pointee.count)
    monitor.pass(over: 0..<count) { block in
      // Each step brings one point into its bin.
      for _ in block {
        while bin.pointee.next == Bin.closed || bin.pointee.next == end {
          bin += 1
          if bin.pointee.next != Bin.closed { end &+= bin.pointee.count }
        }
        let here = Int(bin.pointee.next)
        let point = kept[here]
        let target = bins + scale.bin(of: product(point))
        let there = Int(target.pointee.next)
        kept[here] = kept[there]
        kept[there] = point
        target.pointee.next &+= 1
      }
    }
  }

  private mutating func searchInside(
    _ bins: UnsafeMutableBufferPointer<Bin>, rightOf left: Halves.Sums, _ kept: UnsafeMutablePointer<PlanePoint>
  ) {
    var (left, points) = (left, kept)
    for bin in bins {
      if bin.next != Bin.closed {
        // The best may be better by now.
        if bin.mostBetween >= mostBetween { search(points, count: Int(bin.count), rightOf: left, keepingIn: points) }
        points += Int(bin.count)
      }
      left.add(bin)
    }
  }
}

// MARK: - Bins

/// The sums over the points whose dot products with an axis are in one range of a scale.
struct Bin {
  var count: UInt32 = 0
  /// Where its next point goes among those of open bins; `closed` if the bin is not searched.
  var next: UInt32 = 0
  var x: UInt64 = 0
  var y: UInt64 = 0
  /// No position inside has more scatter between the halves.
  var mostBetween = 0.0

  static let closed = UInt32.max
}

/// Divides the values of some dot products into bins of equal width, a power of two.
struct BinScale {
  let count: Int
  private let least: Int64
  private let shift: UInt64

  /// The sums of more would not stay in the cache.
  private static let mostBits = 11

  /// About eight points go to each bin, or to every second.
  init(over range: ClosedRange<Int64>, forCount count: Int) {
    least = range.lowerBound
    // Products have 62 bits and a sign, so no difference overflows.
    let width = UInt64(range.upperBound &- range.lowerBound)
    let bits = min(Int.bitWidth - (count >> 3).leadingZeroBitCount, Self.mostBits)
    shift = UInt64(max(0, UInt64.bitWidth - width.leadingZeroBitCount - bits))
    self.count = Int(width >> shift) + 1
  }

  @inline(__always) func bin(of product: Int64) -> Int {
    Int(truncatingIfNeeded: UInt64(bitPattern: product &- least) &>> shift)
  }

  /// The greatest value in a bin.
  @inline(__always) func end(of bin: Int) -> Int64 { least &+ Int64(bin &+ 1) &<< Int64(shift) &- 1 }

  /// How far two values in a bin are apart at most.
  var width: Double { Double(1 &<< Int64(shift) &- 1) }
}
