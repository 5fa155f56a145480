import Treeline

/// At the place that leaves the least scatter in the two halves: `SplitRule.leastScatter`.
///
/// What the halves do not have of the scatter lies between them, so the least is left where most lies between:
/// |n Sₗ - nₗ S|² / (nₗ nᵣ), for sums S and Sₗ of all points and of the left ones. All but that quotient is exact, and
/// the quotient is made of operations that IEEE 754 defines to the last bit, done one by one, from numbers that belong to
/// the place, however its points were found: nothing fuses a product and a sum unless told to.
struct AtLeastScatter: CutPlace {
  static var looksAtPoints: Bool { true }

  let monitor: BuildMonitor

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
    return Split(corner: corner, axis: axis, threshold: places.best)
  }
}

/// The places between points that come in the order of their dot products, and the best of them so far.
private struct CutPlaces {
  /// The greatest dot product left of the best place.
  private(set) var best: Int64
  private var mostBetween = 0.0
  private let all: (count: UInt64, x: UInt64, y: UInt64)
  private var left: (count: UInt64, x: UInt64, y: UInt64) = (0, 0, 0)
  private var last: Int64

  @inline(__always)
  init<Sum>(of moments: Moments<Sum>, _ least: Int64) {
    all = (moments.count, moments.x, moments.y)
    (best, last) = (least, least)
  }

  @inline(__always)
  mutating func add(_ point: PlanePoint, _ product: Int64, from corner: PlanePoint) {
    if product != last {
      let between = scatterBetween
      if between > mostBetween { (mostBetween, best) = (between, last) }
      last = product
    }
    left.count &+= 1
    left.x &+= UInt64(point.x &- corner.x)
    left.y &+= UInt64(point.y &- corner.y)
  }

  private var scatterBetween: Double {
    @inline(__always) get {
      let dx = difference(left.x, all.x)
      let dy = difference(left.y, all.y)
      return (dx * dx + dy * dy) / (Double(left.count) * Double(all.count &- left.count))
    }
  }

  /// The magnitude of a component of n Sₗ - nₗ S: exact, at most 2^94, then rounded.
  @inline(__always)
  private func difference(_ left: UInt64, _ all: UInt64) -> Double {
    let a = self.all.count.multipliedFullWidth(by: left)
    let b = self.left.count.multipliedFullWidth(by: all)
    return (Int128(a) &- Int128(b)).approximation
  }
}

extension Int128 {
  @inline(__always)
  fileprivate init(_ product: (high: UInt64, low: UInt64)) {
    self = Int128(product.high) << 64 | Int128(product.low)
  }
}
