import CPrefetch
import Treeline

/// Two clusters whose badges touch at a scaled distance.
struct BadgePair: MergePair {
  var scaledDistance: UInt64
  var clusters: PairOfClusters

  var scale: SeparationCode { SeparationCode(roundingDown: scaledDistance) }

  /// The closest pair first, of several the one with the least members.
  @inline(__always) static func < (a: BadgePair, b: BadgePair) -> Bool {
    a.scaledDistance != b.scaledDistance
      ? a.scaledDistance < b.scaledDistance : a.clusters.members < b.clusters.members
  }

  @inline(__always) static func == (a: BadgePair, b: BadgePair) -> Bool { !(a < b) && !(b < a) }
}

/// Looks for the two clusters whose badges touch first as badges grow, that is those of the least `BadgeCurve.scaled`
/// distance, of several such pairs the one with the lesser least members. Otherwise the tree is that of
/// `DistanceSearch`, and what is said there of distances and scales is so here of scaled distances: clusters grow, but
/// the proof only needs that always the closest pair is merged.
///
/// The cluster that has to know of a pair is the younger: the one that was merged later, of two leaves the larger, of
/// those the one behind in Z-order. It is the one that looked for others when the other was there already. So once its
/// nearest is gone it never looks for what came after it, for that has looked for it.
struct BadgeSearch: PairSearch, @unchecked Sendable {
  let live: LiveClusters
  private let diameters: UnsafeMutablePointer<UInt16>
  private var grid: MergeGrid
  private let curve: BadgeCurve
  private let leafCount: UInt32
  /// No badge is larger.
  private var greatestDiameter: UInt16
  private var round: UInt8 = 0
  /// The greatest scaled distance of pairs that are merged in the round.
  private var greatest: UInt64 = 0
  /// How many numbers of clusters are in use.
  private var count: UInt32 = 0

  /// - Parameters:
  ///   - live: leaves with diameters.
  ///   - greatestCount: how many points the largest has.
  init(_ live: LiveClusters, _ curve: BadgeCurve, leafCount: Int, greatestCount: UInt32) {
    (self.live, self.curve, self.leafCount) = (live, curve, UInt32(leafCount))
    (diameters, greatestDiameter) = (live.diameters!, curve.units(of: greatestCount))
    grid = MergeGrid(live.links, shift: 0, isCyclic: live.crossesSeam, tileCount: 0)
  }

  func deallocateGrids() { grid.deallocate() }

  mutating func placeLeaves(_ count: Int, _ monitor: BuildMonitor) {
    place(count, shift: MergeGrid.firstShift(for: live, count: count, monitor), monitor)
  }

  mutating func placeAnew(_ count: Int, _ monitor: BuildMonitor) { place(count, shift: cellShift, monitor) }

  private mutating func place(_ count: Int, shift: UInt32, _ monitor: BuildMonitor) {
    grid.deallocate()
    grid = MergeGrid(of: live, count: count, shift: shift, monitor)
    self.count = UInt32(count)
  }

  mutating func begin(_ round: UInt8) { (self.round, greatest) = (round, MergeRounds.greatest(of: round)) }

  var needsWiderCells: Bool { cellShift > grid.shift }

  /// Of cells at least as wide as the smallest badges in the round, mostly twice, up to an eighth of the world: a
  /// search for badges of all sizes then looks into few tiles.
  private var cellShift: UInt32 {
    let least = reach(greatest, curve.width(curve.steps[0].diameter, curve.steps[0].diameter))
    return least < 0x1p28 ? UInt32(65 - UInt64(least).leadingZeroBitCount) : 29
  }

  @inline(__always) mutating func remove(_ cluster: UInt32) { grid.remove(cluster) }

  @inline(__always) mutating func update(_ cluster: UInt32, to position: PlanePoint, formerCount: UInt32) {
    let diameter = curve.units(of: live.sums[Int(cluster)].count)
    diameters[Int(cluster)] = diameter
    greatestDiameter = max(greatestDiameter, diameter)
    grid.move(cluster, to: position)
  }

  /// How far one has to look to see all pairs up to a scaled distance, in units.
  ///
  /// - Parameter width: see `BadgeCurve.width`.
  @inline(__always) private func reach(_ scaledDistance: UInt64, _ width: UInt64) -> Double {
    (Double(scaledDistance) + 1).squareRoot() * (Double(width) / 1024) + 1
  }

  /// Farther than this a search looks at all clusters: there are a thousand at most, and the world is round.
  private static let wideReach = 0x1p29

  func look(from cluster: UInt32) -> BadgePair? {
    let own = Own(number: cluster, node: live.nodes[Int(cluster)].number, diameter: diameters[Int(cluster)])
    if let nearest = live.nearest(awaitedBy: Int(cluster)) {
      var pair = own.pair
      _ = take(nearest, own, &pair)
      return noted(pair, .max)
    }
    // A leaf has to know of leaves no larger than itself.
    let width = curve.width(own.diameter, own.node < leafCount ? own.diameter : greatestDiameter)
    var reach = reach(greatest, width)
    if reach > Self.wideReach { return noted(nearestOfAll(to: own), .max) }
    var pair = nearest(to: own, width, within: Int(reach))
    if pair.scaledDistance <= greatest { return pair }
    let cell = Double(1 << Int(grid.shift))
    reach = max(reach, cell / 2)
    while true {
      reach *= 1.4
      pair = nearest(to: own, width, within: Int(reach))
      let bound = BadgeCurve.scaled(UInt64(reach) &* UInt64(reach), width: width)
      if pair.scaledDistance <= bound || reach >= 4 * cell || reach > Self.wideReach { return noted(pair, bound) }
    }
  }

  /// - Parameter bound: What is not known is no closer.
  private func noted(_ pair: BadgePair, _ bound: UInt64) -> BadgePair? {
    if pair.scaledDistance <= greatest && pair.clusters.hasOther { return pair }
    let next = max(MergeRounds.round(of: min(pair.scaledDistance, bound)), round &+ 1)
    let isNearest = pair.clusters.hasOther && pair.scaledDistance <= bound
    live.wait(
      Int(pair.clusters.cluster), for: isNearest ? pair.clusters.nearest : MergeGrid.none, until: next)
    return nil
  }

  /// A cluster that looks for others.
  private struct Own {
    var number: UInt32
    var node: UInt32
    var diameter: UInt16

    /// With itself, as long as there is none.
    var pair: BadgePair { BadgePair(scaledDistance: .max, clusters: PairOfClusters(number, node: node)) }
  }

  private func nearest(to own: Own, _ width: UInt64, within reach: Int) -> BadgePair {
    var pair = own.pair
    var limit = UInt64(reach) &* UInt64(reach)
    let position = live.links[Int(own.number)].position
    for step in MergeGrid.Step.allCases { grid.prefetch(step, near: position, within: reach) }
    grid.forEach(near: position, within: reach) { other, otherPosition in
      if grid.squaredDistance(position, toNearby: otherPosition) <= limit && take(other, own, &pair) {
        let reach = min(self.reach(pair.scaledDistance, width), 0x1p31)
        limit = min(limit, UInt64(reach * reach) + 1)
      }
    }
    return pair
  }

  private func nearestOfAll(to own: Own) -> BadgePair {
    var pair = own.pair
    for other in 0..<count where live.isLive(Int(other)) { _ = take(other, own, &pair) }
    return pair
  }

  /// Takes another cluster as the nearest if it is nearer than that and has to be known of.
  @inline(__always) private func take(_ other: UInt32, _ own: Own, _ pair: inout BadgePair) -> Bool {
    let (node, diameter) = (live.nodes[Int(other)].number, diameters[Int(other)])
    if own.node >= leafCount ? node >= own.node : node >= leafCount || (diameter, node) >= (own.diameter, own.node) {
      return false
    }
    let squaredDistance = live.squaredDistance(Int(own.number), Int(other))
    let scaledDistance = BadgeCurve.scaled(squaredDistance, width: curve.width(own.diameter, diameter))
    if scaledDistance > pair.scaledDistance { return false }
    let new = BadgePair(scaledDistance: scaledDistance, clusters: own.pair.clusters.with(other, node: node))
    guard !pair.clusters.hasOther || new < pair else { return false }
    pair = new
    return true
  }
}
