/// Squared distances to the mean of a node's points, exact: what is measured is the distance times the number of points, a
/// whole number of units.
struct MeanDistance {
  private let corner: PlanePoint
  private let sums: NodeSums
  private let count: UInt64

  /// - Precondition: the sums are at most those of a box's far corner, as `TreeStorage.summary` has them.
  init(to sums: NodeSums, ofCount count: UInt32, in box: PlaneRect) {
    corner = PlanePoint(x: box.minX, y: box.minY)
    self.sums = sums
    self.count = UInt64(count)
  }

  func squared(from point: PlanePoint) -> UInt128 {
    Self.squared(
      Self.difference(scaled(point.x, from: corner.x), sums.x),
      Self.difference(scaled(point.y, from: corner.y), sums.y))
  }

  /// That of the nearest position of a box, of which there need not be a point.
  func squared(from box: PlaneRect) -> UInt128 {
    Self.squared(
      Self.gap(sums.x, scaled(box.minX, from: corner.x), scaled(box.maxX, from: corner.x)),
      Self.gap(sums.y, scaled(box.minY, from: corner.y), scaled(box.maxY, from: corner.y)))
  }

  /// 2^31 points times 2^32 units fit; differences are modulo 2^32, so that boxes of a damaged file trap nowhere.
  private func scaled(_ coordinate: UInt32, from start: UInt32) -> UInt64 {
    UInt64(coordinate &- start) * count
  }

  private static func difference(_ a: UInt64, _ b: UInt64) -> UInt64 { a < b ? b - a : a - b }

  private static func gap(_ value: UInt64, _ least: UInt64, _ greatest: UInt64) -> UInt64 {
    value < least ? least - value : value > greatest ? value - greatest : 0
  }

  /// Two squares of numbers up to 2^63 fit.
  private static func squared(_ x: UInt64, _ y: UInt64) -> UInt128 {
    UInt128(x) * UInt128(x) + UInt128(y) * UInt128(y)
  }
}
