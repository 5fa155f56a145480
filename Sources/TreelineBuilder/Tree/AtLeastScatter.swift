import Treeline

/// Where the least scatter is left in the two halves: `SplitRule.leastScatter`.
///
/// First the best place along the principal axis is found, of all there are. Then the line is turned: each point goes to the
/// half whose mean is nearer, again and again, as long as that takes off scatter enough (S. Lloyd, 1982,
/// doi:10.1109/TIT.1982.1056489, for two means).
///
/// What the halves do not have of the scatter lies between them, so the least is left where most lies between:
/// |n Sₗ - nₗ S|² / (nₗ nᵣ), for sums S and Sₗ of all points and of the left ones. All but that quotient is exact, and
/// the quotient is made of operations that IEEE 754 defines to the last bit, done one by one, from numbers that belong to
/// the halves, however their points were found: nothing fuses a product and a sum unless told to. So are the lines.
struct AtLeastScatter: CutPlace {
  static var looksAtPoints: Bool { true }

  let monitor: BuildMonitor

  /// A step goes on if it puts a 2048th more between the halves: so there are few, O(log count) whatever the points.
  private static let leastGrowth = 1 + 0x1p-11

  func split<Sum>(
    _ arrays: PointArrays, first: Int, _ moments: Moments<Sum>, from corner: PlanePoint,
    across axis: PrincipalAxis
  ) -> Split {
    let order = ProjectionOrder(corner: corner, axis: axis)
    let count = Int(moments.count)
    let sorted = UnsafeBufferPointer(start: arrays.sparePoints + first, count: count)
    order.sort(arrays.points + first, count: count, into: arrays.sparePoints + first, monitor)
    var places = CutPlaces(of: moments, order.product(sorted[0]))
    monitor.passOverSome(0..<count) { block in
      for index in block { places.add(sorted[index], order.product(sorted[index]), from: corner) }
    }
    var split = Split(corner: corner, axis: axis, threshold: places.best)
    if count == 2 || monitor.isCancelled { return split }
    var halves = places.bestHalves
    while let next = halves.bisector(from: corner) {
      let nextHalves = self.halves(of: sorted, by: next, like: halves)
      if nextHalves.scatterBetween <= halves.scatterBetween * Self.leastGrowth || monitor.isCancelled {
        break
      }
      (split, halves) = (next, nextHalves)
    }
    return split
  }

  private func halves(
    of points: UnsafeBufferPointer<PlanePoint>, by split: Split, like other: Halves
  ) -> Halves {
    var halves = other
    halves.left = (0, 0, 0)
    monitor.pass(over: 0..<points.count) { block in
      for index in block {
        let point = points[index]
        // Added whatever the side, so that no branch is guessed wrong.
        let mask: UInt64 = split.isLeft(point) ? .max : 0
        halves.left.count &+= mask & 1
        halves.left.x &+= mask & UInt64(point.x &- split.corner.x)
        halves.left.y &+= mask & UInt64(point.y &- split.corner.y)
      }
    }
    return halves
  }
}

/// The left ones of some points and all of them, by their sums.
private struct Halves {
  let all: (count: UInt64, x: UInt64, y: UInt64)
  var left: (count: UInt64, x: UInt64, y: UInt64) = (0, 0, 0)

  /// What lies between the halves of the scatter, times the count; 0 where one of them is empty.
  @inline(__always)
  var scatterBetween: Double {
    if left.count == 0 || left.count == all.count { return 0 }
    let dx = difference(left.x, all.x)
    let dy = difference(left.y, all.y)
    return (dx * dx + dy * dy) / (Double(left.count) * Double(all.count &- left.count))
  }

  /// The magnitude of a component of n Sₗ - nₗ S: exact, at most 2^94, then rounded.
  @inline(__always)
  private func difference(_ left: UInt64, _ all: UInt64) -> Double {
    let a = self.all.count.multipliedFullWidth(by: left)
    let b = self.left.count.multipliedFullWidth(by: all)
    return (Int128(a) &- Int128(b)).approximation
  }

  /// The line on which points are as far from the one mean as from the other; nil where doubles cannot tell these apart.
  func bisector(from corner: PlanePoint) -> Split? {
    let rightCount = Double(all.count &- left.count)
    let (leftX, leftY) = (Double(left.x) / Double(left.count), Double(left.y) / Double(left.count))
    let (rightX, rightY) = (
      Double(all.x &- left.x) / rightCount, Double(all.y &- left.y) / rightCount
    )
    if leftX == rightX && leftY == rightY { return nil }
    let axis = PrincipalAxis(along: rightX - leftX, rightY - leftY)
    let product = Double(axis.x) * (leftX + rightX) + Double(axis.y) * (leftY + rightY)
    return Split(corner: corner, axis: axis, threshold: Int64((product / 2).rounded(.down)))
  }
}

/// The places between points that come in the order of their dot products, and the best of them so far.
private struct CutPlaces {
  /// The greatest dot product left of the best place.
  private(set) var best: Int64
  private(set) var bestHalves: Halves
  private var mostBetween = 0.0
  private var halves: Halves
  private var last: Int64

  @inline(__always)
  init<Sum>(of moments: Moments<Sum>, _ least: Int64) {
    halves = Halves(all: (moments.count, moments.x, moments.y))
    bestHalves = halves
    (best, last) = (least, least)
  }

  @inline(__always)
  mutating func add(_ point: PlanePoint, _ product: Int64, from corner: PlanePoint) {
    if product != last {
      let between = halves.scatterBetween
      if between > mostBetween { (mostBetween, best, bestHalves) = (between, last, halves) }
      last = product
    }
    halves.left.count &+= 1
    halves.left.x &+= UInt64(point.x &- corner.x)
    halves.left.y &+= UInt64(point.y &- corner.y)
  }
}

extension Int128 {
  @inline(__always)
  fileprivate init(_ product: (high: UInt64, low: UInt64)) {
    self = Int128(product.high) << 64 | Int128(product.low)
  }
}
