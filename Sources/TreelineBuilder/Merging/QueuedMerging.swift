import Treeline

/// Merges clusters until one is left: always the pair that comes first by some order, which is exact and the same for
/// any rows and threads. `PairSearch` says which order that is and looks for pairs.
///
/// Of each pair one cluster has to know: it keeps the first of those pairs that it has to know of. Once the other one
/// is gone it looks again. So at any moment the first of all pairs is that of some cluster, or of one that is to look
/// again and had an earlier one before.
///
/// That takes place in rounds: in each only clusters are looked at that may have a pair that comes so early, in the
/// order of their pairs. Threads share the looks that a round begins with.
struct QueuedMerging<Search: PairSearch>: ~Copyable {
  private(set) var merges: Merges
  private let monitor: BuildMonitor
  private let threads: Int
  private let live: LiveClusters
  private var search: Search
  /// How many numbers of clusters are in use, some of which are free.
  private var count: Int
  private var liveCount: Int
  private var queue = PairHeap<Search.Pair>()

  /// - Parameters:
  ///   - search: of leaves, all of which there are.
  ///   - stand: between which positions distances are.
  init(_ search: Search, stand: ClusterStand = .mean, leafCount: Int, threads: Int, _ monitor: BuildMonitor) {
    (self.search, self.monitor, self.threads) = (search, monitor, threads)
    (live, count, liveCount) = (search.live, leafCount, leafCount)
    merges = Merges(leafCount: leafCount, standsAtMembers: stand == .member)
  }

  deinit {
    let search = search
    monitor.deallocate {
      search.live.deallocate()
      search.deallocateGrids()
    }
  }

  /// Merges all. Of no use once the build is cancelled.
  mutating func run() {
    if liveCount > 1 { search.placeLeaves(count, monitor) }
    var round: UInt8 = 0
    while liveCount > 1 && !monitor.isCancelled {
      // The next round in which there is anything to be looked at.
      while !live.isAnyDue(0..<count, in: round) { round += 1 }
      search.begin(round)
      if search.needsWiderCells {
        if liveCount < count { count = live.renumber(count, monitor) }
        search.placeAnew(count, monitor)
      }
      for block in (0..<count).blocks(of: 1 << 18) { lookAtDue(block, in: round) }
      merge()
    }
  }

  private mutating func lookAtDue(_ clusters: Range<Int>, in round: UInt8) {
    var due: ContiguousArray<UInt32> = []
    live.forEachLive(clusters, in: round) {
      due.append(UInt32($0))
      return true
    }
    let (search, monitor) = (search, monitor)
    let found = inChunks(of: due.count, threads: threads) { [due] chunk in
      var pairs: ContiguousArray<Search.Pair> = []
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

  /// Merges all pairs that belong to the round, the first of them first.
  private mutating func merge() {
    var steps = 0
    while let pair = queue.popFirst() {
      steps &+= 1
      if let next = queue.first?.clusters {
        live.prefetch(Int(next.cluster))
        live.prefetch(Int(next.nearest))
      }
      if steps & 0x3FF == 0 && monitor.isCancelled { return }
      let clusters = pair.clusters
      guard live.isLive(clusters.cluster, as: clusters.node) else { continue }
      var next = clusters.cluster
      if live.isLive(clusters.nearest, as: clusters.nearestNode) {
        next = min(clusters.cluster, clusters.nearest)
        join(next, max(clusters.cluster, clusters.nearest), pair.scale)
      }
      if let pair = search.look(from: next) { queue.insert(pair) }
    }
  }

  @inline(__always) private mutating func join(_ first: UInt32, _ second: UInt32, _ scale: SeparationCode) {
    search.remove(second)
    let former = live.sums[Int(first)].count
    live.join(Int(first), Int(second), scale, in: &merges)
    search.update(first, to: position(ofJoined: Int(first), Int(second)), formerCount: former)
    liveCount -= 1
    if merges.count.isMultiple(of: Self.mergesBetweenReports) {
      monitor.advance(.merging, by: Self.mergesBetweenReports)
    }
  }

  /// Where two clusters stand that the first of them is now, both of which are still where they were.
  @inline(__always) private mutating func position(ofJoined first: Int, _ second: Int) -> PlanePoint {
    let mean = live.sums[first].mean
    guard merges.standsAtMembers else { return mean }
    let (left, right) = (live.links[first].position, live.links[second].position)
    let isAcrossSeam = live.longitudes?[first].isAcrossSeam ?? false
    let isRight = mean.isNearer(to: right, than: left, isAcrossSeam: isAcrossSeam)
    merges.stand(right: isRight)
    return isRight ? right : left
  }

  private static var mergesBetweenReports: Int { 1 << 10 }
}

/// Looks for pairs of clusters to be merged. It can be copied: its grids are those of the first.
protocol PairSearch: Sendable {
  associatedtype Pair: MergePair

  var live: LiveClusters { get }

  /// Puts all leaves into the grids, in Z-order.
  mutating func placeLeaves(_ count: Int, _ monitor: BuildMonitor)

  /// - Parameter round: Rounds only rise. Pairs beyond the last are found in the last one.
  mutating func begin(_ round: UInt8)

  /// Whether cells should be wider in this round.
  var needsWiderCells: Bool { get }

  /// Puts all clusters into grids that suit the round.
  mutating func placeAnew(_ count: Int, _ monitor: BuildMonitor)

  /// Looks for the first pair that a cluster has to know of. If it does not belong to the round, notes the round in
  /// which the cluster is to look again.
  func look(from cluster: UInt32) -> Pair?

  /// Takes a cluster from the grids.
  mutating func remove(_ cluster: UInt32)

  /// Moves a cluster that has more points than before.
  mutating func update(_ cluster: UInt32, to position: PlanePoint, formerCount: UInt32)

  func deallocateGrids()
}

/// Two clusters that are to be merged if both are still what they were, in the order in which pairs are merged.
protocol MergePair: Comparable, Sendable {
  var clusters: PairOfClusters { get }

  /// At which they are merged.
  var scale: SeparationCode { get }
}

/// Two clusters by their numbers, and what they were in the tree.
struct PairOfClusters {
  /// The one that has to know of the pair.
  var cluster: UInt32
  /// With itself, as long as no other is known.
  var nearest: UInt32
  var node: UInt32
  var nearestNode: UInt32

  init(_ cluster: UInt32, node: UInt32) {
    (self.cluster, nearest, self.node, nearestNode) = (cluster, cluster, node, node)
  }

  @inline(__always) var hasOther: Bool { cluster != nearest }

  /// The lesser least member first.
  @inline(__always) var members: UInt64 { UInt64(min(cluster, nearest)) &<< 32 | UInt64(max(cluster, nearest)) }

  @inline(__always) func with(_ nearest: UInt32, node: UInt32) -> PairOfClusters {
    var pair = self
    (pair.nearest, pair.nearestNode) = (nearest, node)
    return pair
  }
}
