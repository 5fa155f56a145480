import Treeline

// A split across the axis divides points into two parts: the points on either side of a line across the axis. This
// file finds the greatest scatter between the two parts (see `scatterBetween`), over all such splits. If there are few
// points, all points are sorted. If there are many points, they are divided into bins along the axis. A bin is
// searched only if a split within the bin could have a greater scatter than the split that the builder chose.

extension NodeFacts {
  /// Consecutive points along the axis.
  private struct Bin {
    var count = 0
    var sums = NodeSums(x: 0, y: 0)
    /// The sum of the distances of the bin's points from the axis.
    var distance = 0.0
    var least = Double.infinity
    var greatest = -Double.infinity
  }

  /// The number of points before a bin, and the sums of their coordinates.
  private typealias Before = (count: Int, sums: NodeSums)

  private typealias Sorted = (product: Double, point: PlanePoint)

  /// The greatest number of points that are sorted at once.
  private static let mostSorted = 1 << 20
  private static let fewPoints = 512

  /// Returns the greatest scatter between the two parts of a split, over all splits across the axis. A split is
  /// considered only if its position is certain despite rounding. If no split has a greater scatter than `least`, the
  /// result is any number up to `least`.
  ///
  /// - Complexity: O(count) on all measured data.
  func mostScatterBetween(above least: Double) -> Double {
    if points.count <= Self.fewPoints {
      var all: [Sorted] = []
      all.reserveCapacity(points.count)
      points.forEach { all.append((product($0), $0)) }
      all.sort { $0.product < $1.product }
      return most(of: all[...], behind: (0, NodeSums(x: 0, y: 0)))
    }
    var bin = Bin()
    points.forEach { point in
      let product = product(point)
      (bin.least, bin.greatest) = (min(bin.least, product), max(bin.greatest, product))
    }
    bin.count = points.count
    return most(within: bin, behind: (0, NodeSums(x: 0, y: 0)), above: least)
  }

  /// Tries all splits between sorted points.
  private func most(of sorted: ArraySlice<Sorted>, behind before: Before) -> Double {
    var (most, left) = (0.0, before)
    for (index, next) in zip(sorted.indices, sorted.indices.dropFirst()) {
      left.count += 1
      add(sorted[index].point, to: &left.sums)
      if sorted[next].product - sorted[index].product > 2 * tolerance {
        most = max(most, scatterBetween(left.count, left.sums))
      }
    }
    return most
  }

  /// - Parameter whole: The bin to search. Its `least` and `greatest` must be set.
  private func most(within whole: Bin, behind before: Before, above least: Double) -> Double {
    guard whole.greatest - whole.least > 2 * tolerance else { return 0 }
    var bins = [Bin](repeating: Bin(), count: max(64, min(whole.count / 256, 1 << 13)))
    let scale = Double(bins.count) / (whole.greatest - whole.least)
    func number(of product: Double) -> Int? {
      guard product >= whole.least && product <= whole.greatest else { return nil }
      return min(Int((product - whole.least) * scale), bins.count - 1)
    }
    points.forEach { point in
      let product = product(point)
      guard let number = number(of: product) else { return }
      bins[number].count &+= 1
      add(point, to: &bins[number].sums)
      bins[number].distance += distanceFromAxis(point)
      bins[number].least = min(bins[number].least, product)
      bins[number].greatest = max(bins[number].greatest, product)
    }
    var (most, left, last) = (0.0, before, Double.infinity)
    var open: [(number: Int, before: Before)] = []
    for (number, bin) in bins.enumerated() where bin.count > 0 {
      if bin.least - last > 2 * tolerance { most = max(most, scatterBetween(left.count, left.sums)) }
      let behind = (
        count: left.count + bin.count, sums: NodeSums(x: left.sums.x &+ bin.sums.x, y: left.sums.y &+ bin.sums.y)
      )
      if bin.greatest - bin.least > 2 * tolerance, bound(of: bin, between: left, and: behind) > least {
        open.append((number, left))
      }
      (left, last) = (behind, bin.greatest)
    }
    var next = 0
    while next < open.count {
      let bin = bins[open[next].number]
      if bin.count > Self.mostSorted {
        most = max(most, self.most(within: bin, behind: open[next].before, above: least))
        next += 1
        continue
      }
      var (end, count) = (next, 0)
      while end < open.count, count + bins[open[end].number].count <= Self.mostSorted {
        count += bins[open[end].number].count
        end += 1
      }
      most = max(most, self.most(ofBins: open[next..<end], number(of:), bins.count))
      next = end
    }
    return most
  }

  /// Sorts the points of several bins, and tries all splits within each bin.
  private func most(
    ofBins open: ArraySlice<(number: Int, before: Before)>, _ number: (Double) -> Int?, _ binCount: Int
  ) -> Double {
    var isOpen = [Bool](repeating: false, count: binCount)
    for bin in open { isOpen[bin.number] = true }
    var found: [Sorted] = []
    points.forEach { point in
      let product = product(point)
      if let number = number(product), isOpen[number] { found.append((product, point)) }
    }
    found.sort { $0.product < $1.product }
    var (most, start) = (0.0, 0)
    for bin in open {
      var end = start
      while end < found.count, number(found[end].product) == bin.number { end += 1 }
      most = max(most, self.most(of: found[start..<end], behind: bin.before))
      start = end
    }
    return most
  }

  /// Returns an upper bound of the scatter between the two parts of any split within a bin.
  private func bound(of bin: Bin, between start: Before, and end: Before) -> Double {
    let count = Double(points.count)
    let offsets = [start, end].map { before in
      let offset = offset(before.count, before.sums)
      return (
        along: abs(principalAxis.x * offset.x + principalAxis.y * offset.y),
        across: abs(principalAxis.x * offset.y - principalAxis.y * offset.x)
      )
    }
    // For a split, `offset` returns a vector: each point before the split contributes its difference from the mean of
    // all points, and the sum is multiplied by the number of all points. If the split moves along the axis, the
    // vector's component along the axis falls until the split reaches the mean, and then rises. While the split moves
    // through the bin, the vector's component across the axis changes at most by the sum of the distances of the bin's
    // points from the axis, multiplied by the number of all points.
    let along = max(offsets[0].along, offsets[1].along) + count * Double(bin.count) * (bin.greatest - bin.least)
    let across = min(offsets[0].across, offsets[1].across) + count * bin.distance
    func weight(_ part: Int) -> Double { Double(part) * Double(points.count - part) }
    // The bound is slightly increased, to allow for rounding.
    return squaredLength(along, across) / min(weight(start.count + 1), weight(end.count - 1)) * (1 + 0x1p-30)
  }

  private func distanceFromAxis(_ point: PlanePoint) -> Double {
    abs(
      principalAxis.x * (Double(point.y - box.minY) - mean.y) - principalAxis.y * (Double(point.x - box.minX) - mean.x))
  }
}
