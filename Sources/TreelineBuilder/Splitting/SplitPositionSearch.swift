import Treeline

/// Finds the position along an axis at which a split leaves the least scatter in the two halves. If several positions
/// are equally good, finds the first of these positions.
///
/// The total scatter of the points is the same for every position. So the best split has the least scatter within the
/// halves and the greatest scatter between the halves. The search compares the scatter between the halves. If there
/// are at most 128 points, the points are sorted along the axis, and every position is tried. If there are more
/// points, they are put into bins of equal width along the axis. At the ends of a bin, sums over bins give the scatter
/// between the halves. For the positions inside a bin, there is an upper bound of this scatter. If the bound is less
/// than the greatest scatter found so far, the bin is skipped. Otherwise the points inside the bin are searched by the
/// same method: they are sorted, or put into smaller bins. So the result is the same as if every position were tried.
struct SplitPositionSearch {
  private let points: UnsafePointer<PlanePoint>
  private let products: DotProducts
  /// For each point, the next point in the same bin. The last point of a bin has no next point.
  private let links: UnsafeMutablePointer<UInt32>
  private let threads: Int
  private let monitor: BuildMonitor
  private var bounds: PositionBounds

  /// Returns the best position.
  ///
  /// - Parameters:
  ///   - points: The points to split. `halves` contains sums over these points.
  ///   - links: Memory for one number per point.
  /// - Complexity: Usually O(count), at most O(count x 62), because dot products have 62 bits, and each search inside
  ///   a bin covers at most half the width of the enclosing search.
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
      points: points, products: products, links: links, threads: threads, monitor: monitor,
      bounds: PositionBounds(halves: halves, axis: products.axis, scatter: scatter))
    search.search()
    return search.bounds.best
  }

  private mutating func search() {
    let count = Int(bounds.halves.all.count)
    let scale = bounds.firstScale
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
  /// - Parameter left: The sums over all points that come before the bin along the axis.
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
      bounds.best = SortedPoint.bestPosition(
        betweenFew: few.baseAddress!, count: count, rightOf: left, bounds.halves, products, bounds.best)
    }
  }

  private mutating func search(_ bins: UnsafeMutableBufferPointer<Bin>, _ scale: BinScale, rightOf left: Halves.Sums) {
    if monitor.isCancelled { return }
    bounds.tryEnds(of: bins, scale, rightOf: left)
    var left = left
    for bin in bins {
      if bin.count > 1, bin.mostBetween >= bounds.best.between { search(bin, rightOf: left) }
      left.add(bin)
    }
  }

  /// Puts points into bins with several threads. Each thread has its own bins. Afterwards the lists of points in these
  /// bins are joined. The order of points in a bin does not matter.
  private func putByThreads(_ range: Range<Int>, in bins: UnsafeMutableBufferPointer<Bin>, _ scale: BinScale) {
    nonisolated(unsafe) let search = self
    let parts = inChunks(of: range.count, threads: threads) { chunk in
      // The points of a bin form a list, and each new point is put in front. So the point that was added to the bin
      // first is at the end of the list. `ends` contains this point for each bin.
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

  /// Puts a point into its bin.
  ///
  /// - Returns: the number of the bin.
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

  /// Visits the points of a bin. `visit` may change the link of the visited point.
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

  /// Returns the range that the points of a bin cover along the axis.
  private func range(of bin: Bin) -> ClosedRange<Int64> {
    var (least, most) = (Int64.max, Int64.min)
    forEach(in: bin) { index in
      let product = products.of(points[Int(index)])
      (least, most) = (min(least, product), max(most, product))
    }
    return least...most
  }
}

/// A position along an axis.
struct SplitPosition {
  /// A point is in the left half if its dot product with the axis (see `DotProducts`) is at most this value. Otherwise
  /// it is in the right half.
  private(set) var threshold = Int64.min
  private(set) var left = Halves.Sums()
  /// Scatter between the halves, multiplied by the number of points.
  private(set) var between = 0.0

  /// Replaces this position by another position if the other position is better. If both positions are equally good,
  /// keeps the position that is farther left.
  @inline(__always) mutating func take(_ left: Halves.Sums, _ between: Double, _ threshold: Int64) {
    if between > self.between || between == self.between && left.count < self.left.count {
      (self.threshold, self.left, self.between) = (threshold, left, between)
    }
  }
}

/// The dot products of an axis with the offsets of points from a corner.
struct DotProducts {
  let corner: PlanePoint
  let axis: PrincipalAxis

  @inline(__always) func of(_ point: PlanePoint) -> Int64 {
    axis.x &* Int64(point.x &- corner.x) &+ axis.y &* Int64(point.y &- corner.y)
  }
}
