import Treeline

/// A point and its dot product with an axis. To find the best position for a split line, points are sorted by these
/// products, and every position between two neighboring points is tried.
struct SortedPoint {
  private let product: Int64
  private let point: PlanePoint

  /// Greatest number of points that are sorted by comparing every point with every other point.
  static let few = 48

  /// Greatest number of points that are sorted by bins.
  static let some = 128

  /// Returns the best position for the split line of a node. Compares `best` with all positions between a few given
  /// points of the node.
  ///
  /// - Parameter left: The sums over all points of the node whose products are smaller than the products of these few
  ///   points.
  static func bestPosition(
    betweenFew points: UnsafePointer<PlanePoint>, count: Int, rightOf left: Halves.Sums, _ halves: Halves,
    _ products: DotProducts, _ best: SplitPosition
  ) -> SplitPosition {
    withUnsafeTemporaryAllocation(of: SortedPoint.self, capacity: few) { sorted in
      let sorted = sorted.baseAddress!
      sort(points, count: count, products, to: sorted)
      return bestPosition(between: sorted, count: count, rightOf: left, halves, from: products.corner, best)
    }
  }

  /// Returns the best position for the split line of a node with at most 128 points (the constant `some`). Tries every
  /// position between two neighboring points.
  @inline(never) static func bestPosition(
    betweenSome points: UnsafePointer<PlanePoint>, _ halves: Halves, _ products: DotProducts, _ scatter: AxialScatter
  ) -> SplitPosition {
    let count = Int(halves.all.count)
    return withUnsafeTemporaryAllocation(of: SortedPoint.self, capacity: some + 1 + some) { space in
      let sorted = space.baseAddress! + 1
      sortByBins(points, count: count, products, scatter, to: sorted, by: sorted + some)
      return bestPosition(
        between: sorted, count: count, rightOf: Halves.Sums(), halves, from: products.corner, SplitPosition())
    }
  }

  @inline(__always) private static func bestPosition(
    between sorted: UnsafeMutablePointer<SortedPoint>, count: Int, rightOf left: Halves.Sums, _ halves: Halves,
    from corner: PlanePoint, _ best: SplitPosition
  ) -> SplitPosition {
    var (left, best) = (left, best)
    for index in 0..<count &- 1 {
      left.add(sorted[index].point, from: corner)
      let product = sorted[index].product
      if product != sorted[index &+ 1].product {
        best.take(left, halves.squaredDifference(left) / halves.productOfCounts(left.count), product)
      }
    }
    return best
  }

  /// Sorts a few points. The rank of a point is the number of points that come before it. Counting these points needs
  /// no branch that the processor could mispredict.
  @inline(__always) private static func sort(
    _ points: UnsafePointer<PlanePoint>, count: Int, _ products: DotProducts,
    to sorted: UnsafeMutablePointer<SortedPoint>
  ) {
    withUnsafeTemporaryAllocation(of: Int64.self, capacity: 2 * few) { space in
      let values = space.baseAddress!
      let ranks = values + few
      for index in 0..<count {
        let value = products.of(points[index])
        values[index] = value
        var rank = Int64(index)
        for other in 0..<index {
          // Products have 62 bits and a sign, so differences of products do not overflow.
          let isBefore = Int64(bitPattern: UInt64(bitPattern: value &- values[other]) &>> 63)
          ranks[other] &+= isBefore
          rank &-= isBefore
        }
        ranks[index] = rank
      }
      for index in 0..<count {
        sorted[Int(ranks[index])] = SortedPoint(product: values[index], point: points[index])
      }
    }
  }

  /// Sorts points into bins, and then sorts all points by insertion. There is about one bin for each point.
  ///
  /// - Parameters:
  ///   - sorted: Memory for the points, and for one element before them.
  ///   - unsorted: Memory for the points.
  @inline(__always) private static func sortByBins(
    _ points: UnsafePointer<PlanePoint>, count: Int, _ products: DotProducts, _ scatter: AxialScatter,
    to sorted: UnsafeMutablePointer<SortedPoint>, by unsorted: UnsafeMutablePointer<SortedPoint>
  ) {
    let scale = BinScale(around: scatter, bits: Int.bitWidth - count.leadingZeroBitCount)
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2 * some) { next in
      let next = next.baseAddress!
      next.update(repeating: 0, count: scale.count)
      for index in 0..<count {
        let product = products.of(points[index])
        unsorted[index] = SortedPoint(product: product, point: points[index])
        next[scale.bin(of: product)] &+= 1
      }
      // Until here, `next` has the number of points in each bin. From here on, it has the index in `sorted` at which
      // the next point of each bin is placed.
      var end: UInt8 = 0
      for bin in 0..<scale.count {
        let start = end
        end &+= next[bin]
        next[bin] = start
      }
      for index in 0..<count {
        let bin = scale.bin(of: unsorted[index].product)
        sorted[Int(next[bin])] = unsorted[index]
        next[bin] &+= 1
      }
    }
    // A sentinel, at which every insertion ends.
    sorted[-1] = SortedPoint(product: .min, point: points[0])
    for index in 1..<count {
      let point = sorted[index]
      var target = index
      while sorted[target &- 1].product > point.product {
        sorted[target] = sorted[target &- 1]
        target &-= 1
      }
      sorted[target] = point
    }
  }
}
