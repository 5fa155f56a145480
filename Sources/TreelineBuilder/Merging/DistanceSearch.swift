import CPrefetch
import Treeline

/// Two clusters at some distance.
struct DistancePair: MergePair {
  var squaredDistance: UInt64
  var clusters: PairOfClusters

  var scale: SeparationCode { SeparationCode(roundingDown: squaredDistance) }

  /// The closest pair first, of several the one with the least members.
  @inline(__always) static func < (a: DistancePair, b: DistancePair) -> Bool {
    a.squaredDistance != b.squaredDistance
      ? a.squaredDistance < b.squaredDistance : a.clusters.members < b.clusters.members
  }

  @inline(__always) static func == (a: DistancePair, b: DistancePair) -> Bool { !(a < b) && !(b < a) }
}

/// Looks for the two clusters whose positions are closest, of several such pairs the one with the lesser least members.
/// A cluster's position is the mean of its points, rounded to whole units, or one of them (see `ClusterStand`), and its
/// least member the first of its positions in Z-order. So the tree is a function of the set of points.
///
/// The scale of a merge is its distance, or the greatest scale of its parts if that is more, as where the means of two
/// clusters come closer to each other by being means: so scales never fall towards the root. For any distance T, look
/// at the clusters just before the first merge at T or more. All pairs are at least T apart. What was merged before has
/// a scale below T. What is merged later has T or more: it is T or farther apart, or one of its parts was merged later,
/// too, for those before were all T apart. So the clusters whose scale is below T while that of what they are merged
/// into is not
/// - are those that there are at that moment: every point is in exactly one, and any two are at least T apart;
/// - are united to others by a greater T, and split by a lesser one, for there is one order.
///
/// On the circle of longitudes two clusters may be closest across the seam. They are merged there if together they are
/// less than half a world wide; the mean is that of their points laid side by side. For wider ones the seam is the end
/// of the world.
///
/// The cluster that has to know of a pair is the younger: the one that was merged later, of two leaves the one behind
/// in Z-order. It is the one that looked for others when the other was there already. So once its nearest is gone it
/// never looks for what came after it, for that has looked for it.
struct DistanceSearch: PairSearch, @unchecked Sendable {
  let live: LiveClusters
  private var grid: MergeGrid
  private var round: UInt8 = 0
  /// The greatest squared distance of pairs that are merged in the round.
  private var greatest: UInt64 = 0
  /// How many numbers of clusters are in use.
  private var count: UInt32 = 0

  /// - Parameter live: leaves.
  init(_ live: LiveClusters) {
    self.live = live
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

  /// Of cells as wide as pairs of the round are apart at most, up to twice that, and up to an eighth of the world.
  private var cellShift: UInt32 { min(UInt32(Int.bitWidth - greatest.leadingZeroBitCount + 1) / 2, 29) }

  /// From here on a search looks at all clusters: there are some hundred at most, and the world is round.
  private static let wideDistance: UInt64 = 1 << 28

  @inline(__always) mutating func remove(_ cluster: UInt32) { grid.remove(cluster) }

  @inline(__always) mutating func update(_ cluster: UInt32, to position: PlanePoint, formerCount: UInt32) {
    grid.move(cluster, to: position)
  }

  func look(from cluster: UInt32) -> DistancePair? {
    var pair = pair(of: cluster)
    var bound = UInt64.max
    if let nearest = live.nearest(awaitedBy: Int(cluster)) {
      _ = pair.take(nearest, at: live.squaredDistance(Int(cluster), Int(nearest)), live)
    } else if greatest > Self.wideDistance * Self.wideDistance {
      findNearestOfAll(&pair)
    } else {
      bound = findNearest(&pair)
    }
    if pair.squaredDistance <= greatest && pair.clusters.hasOther { return pair }
    let next = max(MergeRounds.round(of: min(pair.squaredDistance, bound)), round &+ 1)
    live.wait(Int(cluster), for: pair.clusters.hasOther ? pair.clusters.nearest : MergeGrid.none, until: next)
    return nil
  }

  /// With itself, as long as there is none.
  private func pair(of cluster: UInt32) -> DistancePair {
    DistancePair(squaredDistance: .max, clusters: PairOfClusters(cluster, node: live.nodes[Int(cluster)].number))
  }

  /// Finds the nearest within the width of a cell: a cluster that is by itself looks again at a round of cells twice as
  /// wide. To look farther at once takes longer.
  ///
  /// - Returns: the square of that width.
  private func findNearest(_ pair: inout DistancePair) -> UInt64 {
    let cluster = Int(pair.clusters.cluster)
    let (position, reach) = (live.links[cluster].position, 1 << Int(grid.shift))
    let bound = UInt64(reach) &* UInt64(reach)
    var limit = bound
    let (live, grid) = (live, grid)
    grid.forEach(near: position, within: reach) { other, otherPosition in
      var squaredDistance = grid.squaredDistance(position, toNearby: otherPosition)
      guard squaredDistance <= limit, live.nodes[Int(other)].number < pair.clusters.node else { return }
      if live.crossesSeam {
        squaredDistance = live.squaredDistance(cluster, Int(other))
        if squaredDistance > limit { return }
      }
      if pair.take(other, at: squaredDistance, live) { limit = squaredDistance }
    }
    return bound
  }

  private func findNearestOfAll(_ pair: inout DistancePair) {
    for other in 0..<count where live.isLive(Int(other)) && live.nodes[Int(other)].number < pair.clusters.node {
      _ = pair.take(other, at: live.squaredDistance(Int(pair.clusters.cluster), Int(other)), live)
    }
  }
}

extension DistancePair {
  /// Takes another cluster as the nearest if that pair comes first.
  ///
  /// - Returns: whether it does.
  @inline(__always) fileprivate mutating func take(
    _ other: UInt32, at squaredDistance: UInt64, _ live: LiveClusters
  ) -> Bool {
    let new = DistancePair(
      squaredDistance: squaredDistance, clusters: clusters.with(other, node: live.nodes[Int(other)].number))
    if clusters.hasOther && !(new < self) { return false }
    self = new
    return true
  }
}
