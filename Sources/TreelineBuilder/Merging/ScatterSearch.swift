import Treeline

/// Looks for the two clusters whose union adds the least scatter to that of the clusters: n1 n2 / (n1 + n2) times the
/// squared distance of their exact means (J. H. Ward, 1963), of several such pairs the one with the lesser least
/// members.
///
/// The cluster that has to know of a pair is the one with more points, of equal ones the one behind by its least
/// member. For one of n points all others lie farther away than the square root of s / n in a round that begins at
/// scatter s; so those no larger lie thinly, and few have to be looked at. Larger ones may be as close together as they
/// like.
///
/// That suffices since a union is never closer to a third cluster than the nearer of its parts was, if these were
/// closer to each other (Lance and Williams):
///
///     (a + b + c) d(ab, c) = (a + c) d(a, c) + (b + c) d(b, c) - c d(a, b)
///
/// So what a cluster knows of those with fewer points holds for their unions, too. What has become larger looks for all
/// the others by itself.
///
/// Nothing is merged across the seam, which lies in the widest gap: for limits and detail clusters need not be apart.
struct ScatterSearch: PairSearch, @unchecked Sendable {
  let live: LiveClusters
  /// Clusters by how many points they have, four times as many in each grid as in the one before: the fewer, the
  /// farther apart they are.
  private let grids: UnsafeMutablePointer<SizedGrid>
  private var round: UInt8 = 0
  /// Pairs that add less are merged in the round.
  private var bound = ScatterBound(round: 0)

  private struct SizedGrid {
    var grid: MergeGrid
    /// How many clusters are on it.
    var count = 0
    /// Of the fewest points that a cluster on it may have, the inverse.
    let inverse: Double
  }

  private static let gridCount = 16

  /// - Parameter live: leaves.
  init(_ live: LiveClusters) {
    self.live = live
    grids = .allocate(capacity: Self.gridCount)
    for size in 0..<Self.gridCount {
      (grids + size).initialize(
        to: SizedGrid(
          grid: MergeGrid(live.links, shift: 0, isCyclic: false, tileCount: 0), inverse: 1 / Double(1 << (2 * size))))
    }
  }

  func deallocateGrids() {
    for size in 0..<Self.gridCount { grids[size].grid.deallocate() }
    grids.deallocate()
  }

  /// On which grid clusters of so many points are.
  @inline(__always) private static func size(_ count: UInt32) -> Int { (31 &- count.leadingZeroBitCount) &>> 1 }

  mutating func placeLeaves(_ count: Int, _ monitor: BuildMonitor) {
    let shift = MergeGrid.firstShift(for: live, count: count, monitor)
    place(count, monitor) { _ in shift }
  }

  mutating func placeAnew(_ count: Int, _ monitor: BuildMonitor) { place(count, monitor) { cellShift($0) } }

  private func place(_ count: Int, _ monitor: BuildMonitor, shift: (Int) -> UInt32) {
    // Neighbours have neighbouring numbers, or most of them.
    var tiles = [(count: Int, last: UInt64)](repeating: (0, .max), count: Self.gridCount)
    let shifts = (0..<Self.gridCount).map { max(shift($0), grids[$0].grid.shift) }
    monitor.pass(over: 0..<count) { block in
      for cluster in block {
        let size = Self.size(live.sums[cluster].count)
        let tile = MergeGrid.tile(of: live.links[cluster].position, shift: shifts[size])
        if tile != tiles[size].last { tiles[size] = (tiles[size].count + 1, tile) }
      }
    }
    for size in 0..<Self.gridCount {
      grids[size].grid.deallocate()
      grids[size].grid = MergeGrid(live.links, shift: shifts[size], isCyclic: false, tileCount: tiles[size].count)
      grids[size].count = 0
    }
    for block in (0..<count).blocks(of: 1 << 16) where !monitor.isCancelled {
      for cluster in block { insert(UInt32(cluster)) }
    }
  }

  mutating func begin(_ round: UInt8) { (self.round, bound) = (round, ScatterBound(round: round)) }

  var needsWiderCells: Bool { cellShift(0) > grids[0].grid.shift }

  /// Of cells as wide as clusters of a size are apart at least, up to twice that, and up to an eighth of the world.
  private func cellShift(_ size: Int) -> UInt32 {
    let least = (bound.value * 2 * grids[size].inverse).squareRoot()
    return least < 0x1p28 ? UInt32(65 - UInt64(least + 1).leadingZeroBitCount) : 29
  }

  @inline(__always) private func insert(_ cluster: UInt32) {
    let grid = grids + Self.size(live.sums[Int(cluster)].count)
    grid.pointee.grid.insert(cluster)
    grid.pointee.count &+= 1
  }

  @inline(__always) mutating func remove(_ cluster: UInt32) {
    remove(cluster, from: Self.size(live.sums[Int(cluster)].count))
  }

  @inline(__always) private func remove(_ cluster: UInt32, from size: Int) {
    grids[size].grid.remove(cluster)
    grids[size].count &-= 1
  }

  @inline(__always) mutating func update(_ cluster: UInt32, to position: PlanePoint, formerCount: UInt32) {
    let (former, size) = (Self.size(formerCount), Self.size(live.sums[Int(cluster)].count))
    if former == size { return grids[size].grid.move(cluster, to: position) }
    remove(cluster, from: former)
    live.links[Int(cluster)].position = position
    insert(cluster)
  }
}

// MARK: - Searching

extension ScatterSearch {
  func look(from cluster: UInt32) -> ScatterPair? {
    // Mostly there is none for this round, but one to wait for.
    let farthest = 8 * bound.value
    let pair = nearest(to: cluster, live.sums[Int(cluster)], adding: farthest)
    if let pair, pair.addsLess(than: bound) { return pair }
    // What is not known adds more than that.
    let next = ScatterBound.round(above: min(pair?.added ?? .infinity, farthest) * Self.lessThanAnyError)
    live.wait(Int(cluster), until: max(next, round &+ 1))
    return nil
  }

  /// Of those no larger the nearest, if it adds no more than that.
  private func nearest(to cluster: UInt32, _ own: MergeSums, adding greatest: Double) -> ScatterPair? {
    let (position, ownInverse) = (live.links[Int(cluster)].position, 1 / Double(own.count))
    var best: ScatterPair?
    var greatest = greatest
    for size in (0...Self.size(own.count)).reversed() where grids[size].count > 0 {
      let factor = ownInverse + grids[size].inverse
      var reach = Self.reach(greatest * factor)
      let grid = grids[size].grid
      var limit = reach * reach
      grid.forEach(near: position, within: Int(reach)) { other, otherPosition in
        let squaredDistance = Plane.Projection.planar.squaredDistance(position, otherPosition)
        if Double(squaredDistance) > limit || other == cluster { return }
        let sums = live.sums[Int(other)]
        if (sums.count, other) > (own.count, cluster) { return }
        let pair = ScatterPair(
          cluster, node: live.nodes[Int(cluster)].number, own, other, node: live.nodes[Int(other)].number, sums)
        if let best, !(pair < best) { return }
        if pair.added > greatest * Self.moreThanAnyError { return }
        best = pair
        greatest = min(pair.added, greatest)
        reach = Self.reach(greatest * factor)
        limit = reach * reach
      }
    }
    return best
  }

  /// How far apart the rounded means of clusters may be whose means are so far apart, and the sums of errors.
  @inline(__always) private static func reach(_ squaredDistance: Double) -> Double {
    min(squaredDistance.squareRoot() * moreThanAnyError + 2, 0x1p33)
  }

  private static let moreThanAnyError = 1 + 0x1p-40
  private static let lessThanAnyError = 1 - 0x1p-40
}

/// What pairs of a round add less than: two bounds for each doubling, up to 2^96 in round 192, which nothing reaches.
struct ScatterBound {
  let value: Double
  fileprivate let doubled: UInt128

  init(round: UInt8) {
    doubled = (round % 2 == 0 ? 2 : 3) << UInt128(min(round, 240) / 2)
    value = Double(doubled) / 2
  }

  /// The first round with a bound above what a pair adds, or the one after it.
  static func round(above added: Double) -> UInt8 {
    if added < 1 { return 0 }
    return UInt8(min(2 * Int(added.exponent) + (added.significand < 1.5 ? 1 : 2), Int(MergeRounds.last)))
  }
}

/// Two clusters and how much scatter their union adds.
struct ScatterPair: MergePair {
  /// To a relative error of less than 2^-50.
  let added: Double
  /// That times the number of points in the pair and in each of both: the squares of these make the exact value.
  private let (xLow, yLow): (UInt64, UInt64)
  private let (xHigh, yHigh): (UInt32, UInt32)
  private let (count, otherCount): (UInt32, UInt32)
  let clusters: PairOfClusters

  @inline(__always) init(
    _ cluster: UInt32, node: UInt32, _ own: MergeSums, _ other: UInt32, node otherNode: UInt32, _ others: MergeSums
  ) {
    func difference(_ own: UInt64, _ others: UInt64, _ ownCount: UInt32, _ otherCount: UInt32) -> UInt128 {
      let (a, b) = (UInt128(own) &* UInt128(otherCount), UInt128(others) &* UInt128(ownCount))
      return a > b ? a &- b : b &- a
    }
    let x = difference(own.x, others.x, own.count, others.count)
    let y = difference(own.y, others.y, own.count, others.count)
    (xLow, xHigh) = (UInt64(truncatingIfNeeded: x), UInt32(truncatingIfNeeded: x &>> 64))
    (yLow, yHigh) = (UInt64(truncatingIfNeeded: y), UInt32(truncatingIfNeeded: y &>> 64))
    (count, otherCount) = (own.count, others.count)
    clusters = PairOfClusters(cluster, node: node).with(other, node: otherNode)
    let (dx, dy) = (Double(xHigh) * 0x1p64 + Double(xLow), Double(yHigh) * 0x1p64 + Double(yLow))
    let (n, m) = (Double(own.count), Double(others.count))
    added = (dx * dx + dy * dy) / (n * m * (n + m))
  }

  /// The root goes four times as far in 16 bits as the scatter.
  var scale: SeparationCode { SeparationCode(roundingDown: UInt64(added.squareRoot())) }

  /// The least that is added first, of several the one with the least members.
  @inline(__always) static func < (a: ScatterPair, b: ScatterPair) -> Bool {
    if a.added < b.added * (1 - 0x1p-48) { return true }
    if b.added < a.added * (1 - 0x1p-48) { return false }
    return isLessExactly(a, b)
  }

  @inline(__always) static func == (a: ScatterPair, b: ScatterPair) -> Bool { !(a < b) && !(b < a) }

  @inline(__always) func addsLess(than bound: ScatterBound) -> Bool {
    if added < bound.value * (1 - 0x1p-48) { return true }
    return added <= bound.value * (1 + 0x1p-48) && addsExactlyLess(than: bound)
  }

  @inline(never) private func addsExactlyLess(than bound: ScatterBound) -> Bool {
    let bound = bound.doubled.multipliedFullWidth(by: divisor)
    return WideNumber(squares, times: 2) < WideNumber((bound.high, bound.low), times: 1)
  }

  @inline(never) private static func isLessExactly(_ a: ScatterPair, _ b: ScatterPair) -> Bool {
    let (left, right) = (WideNumber(a.squares, times: b.divisor), WideNumber(b.squares, times: a.divisor))
    return left != right ? left < right : a.clusters.members < b.clusters.members
  }

  private var squares: (high: UInt128, low: UInt128) {
    let (x, y) = (UInt128(xHigh) << 64 | UInt128(xLow), UInt128(yHigh) << 64 | UInt128(yLow))
    let (a, b) = (x.multipliedFullWidth(by: x), y.multipliedFullWidth(by: y))
    let (low, carries) = a.low.addingReportingOverflow(b.low)
    return (a.high + b.high + (carries ? 1 : 0), low)
  }

  private var divisor: UInt128 { UInt128(count) * UInt128(otherCount) * (UInt128(count) + UInt128(otherCount)) }
}

/// A product of up to 384 bits.
private struct WideNumber: Comparable {
  private let high: UInt128
  private let middle: UInt128
  private let low: UInt128

  init(_ number: (high: UInt128, low: UInt128), times factor: UInt128) {
    let (lower, upper) = (number.low.multipliedFullWidth(by: factor), number.high.multipliedFullWidth(by: factor))
    let (middle, carries) = lower.high.addingReportingOverflow(upper.low)
    (high, self.middle, low) = (upper.high + (carries ? 1 : 0), middle, lower.low)
  }

  static func < (a: WideNumber, b: WideNumber) -> Bool {
    (a.high, a.middle, a.low) < (b.high, b.middle, b.low)
  }
}
