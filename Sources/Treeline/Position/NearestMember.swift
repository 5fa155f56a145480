extension TreeStorage {
  /// The tree index of the point of a node that lies nearest to the node's mean, of those in a window; of several
  /// equally near the first. nil where none is in the window.
  ///
  /// Depth first, the nearer child before the other, leaving out what lies no nearer than the best so far
  /// (Roussopoulos, Kelley and Vincent 1995, doi:10.1145/223784.223794). What waits is at most one node a level.
  ///
  /// Complexity: O(log n) for most nodes; O(n) where most points are equally far from the mean, as on a circle.
  func nearestMember(of node: Node, in window: PlaneWindow) throws(IndexError) -> Int? {
    try checkSummary(of: node)
    let box = box(of: node)
    let distance = MeanDistance(to: summary(of: node, in: box).sums, ofCount: node.count, in: box)
    var best = (squared: UInt128.max, treeIndex: Int.max)

    var waiting = [(node: node, squared: UInt128(0))]
    while let (node, squared) = waiting.popLast() {
      guard (squared, Int(node.first)) < best else { continue }
      if isStored(node), let (left, right) = try children(of: node) {
        let sides = [left, right].compactMap { child in
          let box = nodes[Int(child.record)].box
          return window.intersects(box) ? (node: child, squared: distance.squared(from: box)) : nil
        }
        waiting += sides.count == 2 && sides[0].squared <= sides[1].squared ? sides.reversed() : sides
        continue
      }
      for treeIndex in try distinctTreeIndices(of: node) where window.contains(points[treeIndex]) {
        let squared = distance.squared(from: points[treeIndex])
        if (squared, treeIndex) < best { best = (squared, treeIndex) }
      }
    }
    return best.treeIndex == .max ? nil : best.treeIndex
  }

  /// The tree indices of a bucket, of a part of one or of a stack, where the first speaks for all.
  func distinctTreeIndices(of node: Node) throws(IndexError) -> Range<Int> {
    if nodes[Int(node.record)].box.isPoint { return node.range.prefix(1) }
    guard node.count <= NodeRecord.bucketCapacity else { throw bucketOverfull(node.record) }
    return node.range
  }
}

/// Squared distances to the mean of a node's points, exact: what is measured is the distance times the number of
/// points, a whole number of units.
private struct MeanDistance {
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
      Self.difference(scaled(point.x, from: corner.x), sums.x), Self.difference(scaled(point.y, from: corner.y), sums.y)
    )
  }

  /// That of the nearest position of a box, of which there need not be a point.
  func squared(from box: PlaneRect) -> UInt128 {
    Self.squared(
      Self.gap(sums.x, scaled(box.minX, from: corner.x), scaled(box.maxX, from: corner.x)),
      Self.gap(sums.y, scaled(box.minY, from: corner.y), scaled(box.maxY, from: corner.y)))
  }

  /// 2^31 points times 2^32 units fit; differences are modulo 2^32, so that boxes of a damaged file trap nowhere.
  private func scaled(_ coordinate: UInt32, from start: UInt32) -> UInt64 { UInt64(coordinate &- start) * count }

  private static func difference(_ a: UInt64, _ b: UInt64) -> UInt64 { a < b ? b - a : a - b }

  private static func gap(_ value: UInt64, _ least: UInt64, _ greatest: UInt64) -> UInt64 {
    value < least ? least - value : value > greatest ? value - greatest : 0
  }

  /// Two squares of numbers up to 2^63 fit.
  private static func squared(_ x: UInt64, _ y: UInt64) -> UInt128 { UInt128(x) * UInt128(x) + UInt128(y) * UInt128(y) }
}
