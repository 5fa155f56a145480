import CPrefetch
import Treeline

/// Merges clusters until one is left: always the two whose badges touch first as badges grow, that is those of the least
/// `BadgeCurve.scaled` distance, of several such pairs the one with the lesser least members. Otherwise the tree is that
/// of `MergeSequence`, and what is said there of distances and scales is so here of scaled distances: clusters grow, but
/// the proof only needs that always the closest pair is merged.
///
/// Of each pair one cluster has to know, the younger: the one that was merged later, of two leaves the larger, of those
/// the one behind in Z-order. It is the one that looked for others when the other was there already. Each cluster keeps
/// the nearest of those that it has to know of. Once that one is gone it looks again, and never for what came after it,
/// for that has looked for it. So at any moment the closest of all pairs is that of some cluster and its nearest, or of
/// one that is to look again and had a nearer one before.
///
/// That takes place in rounds, as there: in each only clusters are looked at that may have a pair close enough, in the
/// order of their distances.
///
/// A small badge and a large one touch from afar. Points merged into a badge have it touch others at once, and so on, so
/// that whole regions are merged at one scale: groups that do not depend on each other, as `MergeRound` has them, there
/// are hardly any.
struct BadgeMerging: ~Copyable {
  private(set) var merges: Merges
  private let monitor: BuildMonitor
  private let threads: Int
  private let sizes: MergeSizes
  private let curve: BadgeCurve
  private let live: LiveClusters
  private var search: BadgeSearch
  /// How many numbers of clusters are in use, some of which are free.
  private var count: Int
  private var liveCount: Int
  private var queue = PairHeap<BadgePair>()

  /// - Parameters:
  ///   - crossesSeam: whether clusters may be merged across it.
  ///   - leaves: the positions, none of them twice, in Z-order, and how many points they have.
  init(
    leafCount: Int, crossesSeam: Bool, _ curve: BadgeCurve, threads: Int, _ sizes: MergeSizes, _ monitor: BuildMonitor,
    leaves: @Sendable (Int) -> (position: PlanePoint, count: UInt32)
  ) {
    (self.monitor, self.threads, self.sizes, self.curve) = (monitor, threads, sizes, curve)
    (count, liveCount) = (leafCount, leafCount)
    let live = LiveClusters(capacity: leafCount, crossesSeam: crossesSeam, hasDiameters: true)
    nonisolated(unsafe) let cells = live
    let greatest = inChunks(of: leafCount, threads: threads) { chunk in
      var greatest: UInt16 = 0
      monitor.pass(over: chunk) { block in
        for leaf in block {
          let (position, count) = leaves(leaf)
          cells.initialize(leaf, at: position, count: count)
          let diameter = curve.units(of: count)
          (cells.diameters! + leaf).initialize(to: diameter)
          greatest = max(greatest, diameter)
        }
      }
      return greatest
    }
    self.live = live
    merges = Merges(leafCount: leafCount)
    search = BadgeSearch(
      live: live, diameters: live.diameters!,
      grid: MergeGrid(live.links, shift: 0, isCyclic: crossesSeam, tileCount: 0),
      curve: curve, leafCount: UInt32(leafCount), greatestDiameter: greatest.max() ?? 0)
  }

  deinit {
    nonisolated(unsafe) let (live, grid) = (live, search.grid)
    monitor.deallocate {
      live.deallocate()
      grid.deallocate()
    }
  }

  /// Merges all. Of no use once the build is cancelled.
  mutating func run() {
    if liveCount > 1 { placeAnew(shift: MergeGrid.firstShift(for: live, count: count, monitor)) }
    var round: UInt8 = 0
    while liveCount > 1 && !monitor.isCancelled {
      // The next round in which there is anything to be looked at.
      while !live.isAnyDue(0..<count, in: round) { round += 1 }
      search.begin(round)
      if search.cellShift > search.grid.shift { placeAnew(shift: search.cellShift) }
      lookAtDue(round)
      merge(round)
    }
  }

  private mutating func lookAtDue(_ round: UInt8) {
    var due: ContiguousArray<UInt32> = []
    live.forEachLive(0..<count, in: round) {
      due.append(UInt32($0))
      return true
    }
    let (search, monitor) = (search, monitor)
    let found = inChunks(of: due.count, threads: threads) { [due] chunk in
      var pairs: ContiguousArray<BadgePair> = []
      for index in chunk {
        if index & 0x3FF == 0 && monitor.isCancelled { break }
        if let pair = search.look(from: due[index]) { pairs.append(pair) }
      }
      return pairs
    }
    for pairs in found {
      for (number, pair) in pairs.enumerated() {
        if number & 0x3FFF == 0 && monitor.isCancelled { return }
        queue.insert(pair)
      }
    }
  }

  /// Merges all pairs that are close enough, the closest first.
  private mutating func merge(_ round: UInt8) {
    var steps = 0
    while let pair = queue.popFirst() {
      steps &+= 1
      if let next = queue.first { search.prefetch(next) }
      if steps & 0x3FF == 0 && monitor.isCancelled { return }
      let (cluster, nearest) = (Int(pair.cluster), Int(pair.nearest))
      guard live.isLive(cluster), live.nodes[cluster].number == pair.node else { continue }
      var next = pair.cluster
      if live.isLive(nearest) && live.nodes[nearest].number == pair.nearestNode {
        next = min(pair.cluster, pair.nearest)
        join(Int(next), max(cluster, nearest), pair.scaledDistance)
      }
      if let pair = search.look(from: next) { queue.insert(pair) }
    }
  }

  @inline(__always) private mutating func join(_ first: Int, _ second: Int, _ scaledDistance: UInt64) {
    live.join(first, second, SeparationCode(roundingDown: scaledDistance), in: &merges)
    let diameter = curve.units(of: live.sums[first].count)
    search.diameters[first] = diameter
    search.greatestDiameter = max(search.greatestDiameter, diameter)
    search.grid.remove(UInt32(second))
    search.grid.move(UInt32(first), to: live.sums[first].mean)
    liveCount -= 1
    if merges.count.isMultiple(of: Self.mergesBetweenReports) {
      monitor.advance(.merging, by: Self.mergesBetweenReports)
    }
  }

  private static var mergesBetweenReports: Int { 1 << 10 }

  /// Numbers the clusters anew and puts them into a new grid.
  private mutating func placeAnew(shift: UInt32) {
    if liveCount < count { count = live.renumber(count, monitor) }
    search.grid.deallocate()
    search.grid = MergeGrid(of: live, count: count, shift: shift, monitor)
    search.count = UInt32(count)
  }
}

/// Two clusters that are to be merged if both are still what they were.
struct BadgePair: Comparable {
  var scaledDistance: UInt64
  /// The one that has to know of the pair.
  var cluster: UInt32
  var nearest: UInt32
  /// What they are in the tree.
  var node: UInt32
  var nearestNode: UInt32

  /// The lesser least member first.
  @inline(__always) private var members: UInt64 { UInt64(min(cluster, nearest)) &<< 32 | UInt64(max(cluster, nearest)) }

  /// The closest pair first, of several the one with the least members.
  @inline(__always) static func < (a: BadgePair, b: BadgePair) -> Bool {
    a.scaledDistance != b.scaledDistance ? a.scaledDistance < b.scaledDistance : a.members < b.members
  }
}

/// Looks for the nearest of what a cluster has to know of.
struct BadgeSearch: @unchecked Sendable {
  let live: LiveClusters
  let diameters: UnsafeMutablePointer<UInt16>
  var grid: MergeGrid
  let curve: BadgeCurve
  let leafCount: UInt32
  /// No badge is larger.
  var greatestDiameter: UInt16
  private var round: UInt8 = 0
  /// The greatest scaled distance of pairs that are merged in the round.
  private var greatest: UInt64 = 0
  /// How many numbers of clusters are in use.
  var count: UInt32 = 0

  init(
    live: LiveClusters, diameters: UnsafeMutablePointer<UInt16>, grid: MergeGrid, curve: BadgeCurve, leafCount: UInt32,
    greatestDiameter: UInt16
  ) {
    (self.live, self.diameters, self.grid, self.curve) = (live, diameters, grid, curve)
    (self.leafCount, self.greatestDiameter) = (leafCount, greatestDiameter)
  }

  mutating func begin(_ round: UInt8) { (self.round, greatest) = (round, MergeRounds.greatest(of: round)) }

  /// Of cells at least as wide as the smallest badges in the round, mostly twice, up to an eighth of the world: a search
  /// for badges of all sizes then looks into few tiles.
  var cellShift: UInt32 {
    let least = reach(greatest, curve.width(curve.steps[0].diameter, curve.steps[0].diameter))
    return least < 0x1p28 ? UInt32(65 - UInt64(least).leadingZeroBitCount) : 29
  }

  /// How far one has to look to see all pairs up to a scaled distance, in units.
  ///
  /// - Parameter width: see `BadgeCurve.width`.
  @inline(__always) private func reach(_ scaledDistance: UInt64, _ width: UInt64) -> Double {
    (Double(scaledDistance) + 1).squareRoot() * (Double(width) / 1024) + 1
  }

  /// Farther than this a search looks at all clusters: there are a thousand at most, and the world is round.
  private static let wideReach = 0x1p29

  /// Looks for the nearest that a cluster has to know of. If that is too far away for the round, notes the round in
  /// which the cluster is to look again.
  func look(from cluster: UInt32) -> BadgePair? {
    let own = Own(number: cluster, node: live.nodes[Int(cluster)].number, diameter: diameters[Int(cluster)])
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
    if pair.scaledDistance <= greatest && pair.nearest != pair.cluster { return pair }
    let next = max(MergeRounds.round(of: min(pair.scaledDistance, bound)), round &+ 1)
    live.rounds[Int(pair.cluster)] = min(next, MergeRounds.last)
    return nil
  }

  /// Has the machine fetch what a pair that is soon to be merged will touch.
  @inline(__always) func prefetch(_ pair: BadgePair) {
    for cluster in [Int(pair.cluster), Int(pair.nearest)] {
      CPrefetch.prefetch(live.links + cluster)
      CPrefetch.prefetch(live.nodes + cluster)
      CPrefetch.prefetch(live.sums + cluster)
      CPrefetch.prefetch(live.rounds + cluster)
    }
  }

  /// A cluster that looks for others.
  private struct Own {
    var number: UInt32
    var node: UInt32
    var diameter: UInt16

    /// With itself, as long as there is none.
    var pair: BadgePair {
      BadgePair(scaledDistance: .max, cluster: number, nearest: number, node: node, nearestNode: node)
    }
  }

  private func nearest(to own: Own, _ width: UInt64, within reach: Int) -> BadgePair {
    var pair = own.pair
    var limit = UInt64(reach) &* UInt64(reach)
    let position = live.links[Int(own.number)].position
    for step in MergeGrid.Step.allCases { grid.prefetch(step, near: position, within: reach) }
    grid.forEach(near: position, within: reach) { other, otherPosition in
      if grid.squaredDistance(position, otherPosition) <= limit && take(other, own, &pair) {
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
    let new = BadgePair(
      scaledDistance: scaledDistance, cluster: own.number, nearest: other, node: own.node, nearestNode: node)
    guard pair.nearest == own.number || new < pair else { return false }
    pair = new
    return true
  }
}
