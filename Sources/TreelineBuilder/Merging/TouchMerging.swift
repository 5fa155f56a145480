import Treeline

/// Merges clusters. The next pair is always the pair that touches first as badges grow. This is the pair with the
/// least scaled distance (`BadgeCurve.scaled`). If several pairs have the least scaled distance, these pairs are
/// ordered by their *least members*, as defined below: first by the lesser of a pair's two least members, then by the
/// greater.
///
/// A cluster's position is the mean of its points, rounded to whole units, or one of its points (see `ClusterAnchor`).
/// The *least member* of a cluster is the position that comes first in Z-order among the positions of its points.
/// Positions and least members do not depend on the order of the input, so the same set of points always gives the
/// same tree. Merging by distance is the special case in which all badges have the same diameter
/// (`BadgeCurve.distances`).
///
/// A merge unites two clusters, its *parts*. The scale of a merge is the greatest of three numbers: its scaled
/// distance and the scales of both parts. The scale of a part can be the greatest of the three: the mean of a merged
/// cluster may be closer to a third cluster than the means of its parts were. Because the scale of a merge is the
/// greatest of the three, scales never fall towards the root. For any distance T, consider the moment just before the
/// first merge whose scaled distance is T or more. At that moment, all clusters are at least T apart. Every earlier
/// merge has a scale below T. Every later merge has a scale of T or more, for one of two reasons. If both of its parts
/// existed at that moment, they are at least T apart. If one part did not exist yet, this part was made by another
/// later merge. So the scale of this part is T or more. The scale of a merge is never below the scales of its parts.
/// Now take every cluster that has a scale below T and is merged into a cluster with a scale of T or more:
/// - These clusters are exactly the clusters that existed at that moment. So every point is in exactly one of them,
///   and any two of them are at least T apart.
/// - As T grows, these clusters are only united. As T falls, they are only split. The reason is that the order of
///   merges is the same for all T.
///
/// On the circle of longitudes, the shortest way between two clusters may lead across the seam, where the plane begins
/// and ends. Such clusters are merged across the seam if together they are less than half a world wide. To take their
/// mean, the points of one cluster are moved by the width of the world, so that they lie next to the other cluster.
/// Wider pairs are never merged across the seam.
///
/// In each pair, only the younger cluster looks for the other cluster. The younger cluster is the cluster that was
/// made later. Of two initial clusters, the cluster with the larger badge counts as younger. If both badges are equal,
/// the cluster with the greater least member counts as younger. So a cluster looks only for clusters that exist
/// already. If the found cluster is merged with a third cluster, the cluster that found it looks again. This time it
/// need not find clusters that were made in the meantime: those clusters are younger, and look for it themselves. Each
/// cluster keeps the first of its pairs. So no pair is missed. To see this, let P be the first of all pairs. The
/// younger cluster of P either keeps P, or keeps a pair with a cluster that no longer exists. That pair comes before P
/// in the order. So the cluster looks again and finds P. This happens before any pair that follows P is merged.
///
/// In each band (`DistanceBands`), only clusters that may have a pair in this band look for other clusters.
struct TouchMerging: ~Copyable {
  /// The merges, in the order in which they were made.
  var merges: MergeList { MergeList(array: array, endIndex: mergeCount) }

  private let array: BuildArray<Merge>
  private var mergeCount = 0
  private let live: LiveClusters
  private let curve: BadgeCurve
  private let anchor: ClusterAnchor
  private let leafCount: Int
  private let monitor: BuildMonitor
  /// Whether merges are reported to the monitor.
  private let reports: Bool
  private var tiles: MergeTiles?
  private var queue = PairHeap<TouchingPair>()
  /// Upper bound of cluster numbers. Numbers below this bound may be free.
  private var count: Int
  private var liveCount: Int
  private var nextAge: UInt32
  /// Upper bound of badge diameters.
  private(set) var greatestDiameter: UInt16 = 0
  /// Greatest scaled distance of the pairs that are merged in this band.
  private var greatest: UInt64 = 0
  private var band: UInt8 = 0
  /// Distance up to which searches look for clusters, in units.
  private var horizon = 0.0
  /// The scope of the last search. Most searches of a band have the same scope.
  private var scope = SearchScope(width: 0)

  /// - Parameters:
  ///   - count: Number of clusters.
  ///   - anchor: Rule for the positions of clusters: means or members. Distances are measured between positions.
  ///   - leafCount: Number of leaves of the tree, see `MergeTree`.
  ///   - reports: Whether merges are reported to the monitor.
  ///   - cluster: Returns the cluster with a given number. Clusters are numbered in the order of their least members.
  init(
    _ count: Int, curve: BadgeCurve, anchor: ClusterAnchor, crossesSeam: Bool, leafCount: Int, reports: Bool = true,
    _ monitor: BuildMonitor, _ cluster: (Int) -> MergeCluster
  ) {
    live = LiveClusters(capacity: count, crossesSeam: crossesSeam)
    (self.curve, self.anchor, self.leafCount, self.reports, self.monitor) = (curve, anchor, leafCount, reports, monitor)
    (self.count, liveCount, nextAge) = (count, count, UInt32(count))
    array = BuildArray(inMainMemory: count)
    for block in (0..<count).blocks(of: 1 << 16) where !monitor.isCancelled {
      for number in block {
        let cluster = cluster(number)
        let diameter = curve.units(of: cluster.sums.count)
        greatestDiameter = max(greatestDiameter, diameter)
        live.initialize(number, to: cluster, age: UInt32(number), diameter: diameter)
      }
    }
  }

  deinit {
    let (live, tiles) = (live, tiles)
    let deallocate: @Sendable () -> Void = {
      live.deallocate()
      tiles?.deallocate()
    }
    // Most instances are small. The memory of a small instance is deallocated at once, on this thread.
    if live.capacity > 1 << 18 { monitor.deallocate(deallocate) } else { deallocate() }
  }

  /// Merges all pairs that belong to a range of bands. If the build is cancelled, the result is unusable.
  mutating func run(_ bands: ClosedRange<UInt8> = 0...DistanceBands.last) {
    band = bands.lowerBound
    while liveCount > 1 && !monitor.isCancelled {
      // The next band in which any cluster looks for other clusters.
      guard let next = live.nextBand(0..<count, from: band), next <= bands.upperBound else { return }
      band = next
      greatest = DistanceBands.greatest(of: band)
      placeAnewIfNeeded()
      scope = SearchScope(width: 0)
      // A search takes up to a microsecond, so that a block takes a few milliseconds.
      for block in (0..<count).blocks(of: 1 << 13) where !monitor.isCancelled { lookAtDue(block) }
      merge()
      if band == bands.upperBound { return }
      band += 1
    }
  }

  private mutating func placeAnewIfNeeded() {
    let reach = BadgeCurve.reach(greatest, width: curve.width(greatestDiameter, greatestDiameter))
    if let tiles, tiles.shift == Self.greatestShift || reach * Self.leastReaches <= Double(1 << Int(tiles.shift)) {
      return
    }
    if liveCount < count { count = live.renumber(count, monitor) }
    let width = UInt64(min(reach * Self.reaches, Double(1 << Int(Self.greatestShift))))
    var shift = UInt32(UInt64.bitWidth - (width - 1).leadingZeroBitCount)
    if tiles == nil { shift = max(shift, UInt32(live.firstShift(count, monitor))) }
    tiles = MergeTiles(
      0..<count, shift: shift, isCyclic: live.crossesSeam, slots: live.slots, replacing: tiles, monitor
    ) { [live, curve] in
      MergeTiles.Entry(position: live.positions[$0], radius: Self.radius(live.nodes[$0].diameter, curve))
    }
    horizon = Double(1 << Int(shift)) / Self.leastReaches
  }

  /// `leastReaches` is the least width of tiles, and `reaches` is the width of newly made tiles. Both widths are
  /// measured in reaches. The reach of a search is the greatest distance at which the search must find clusters.
  private static var leastReaches: Double { 4 }
  private static var reaches: Double { 6 }
  /// Base-2 logarithm of the greatest width of tiles in units. The greatest width is an eighth of the world.
  private static var greatestShift: UInt32 { 29 }

  /// Returns the radius of a badge, including half of the gap around the badge, in units of 8 px. Let s be the squared
  /// scaled distance of two clusters, as returned by `BadgeCurve.scaled`. Then the distance between the clusters, in
  /// units of the plane, is the sum of their radii times the square root of s.
  @inline(__always) private static func radius(_ diameter: UInt16, _ curve: BadgeCurve) -> Float {
    Float(UInt32(diameter) + UInt32(curve.gap)) * 0x1p-10
  }

  private mutating func lookAtDue(_ clusters: Range<Int>) {
    live.forEachLive(clusters, in: band) { cluster in
      if let pair = look(from: UInt32(cluster)) { queue.insert(pair) }
      return true
    }
  }

  /// Merges all pairs that belong to the band, in the order of `TouchingPair`.
  private mutating func merge() {
    var steps = 0
    while let pair = queue.popFirst() {
      steps &+= 1
      if let next = queue.first {
        live.prefetch(Int(next.cluster))
        live.prefetch(Int(next.nearest))
      }
      if steps & 0x7F == 0 && monitor.isCancelled { return }
      guard live.isLive(pair.cluster, age: pair.age) else { continue }
      var next = pair.cluster
      if live.isLive(pair.nearest, age: pair.nearestAge) {
        next = min(pair.cluster, pair.nearest)
        join(Int(next), Int(max(pair.cluster, pair.nearest)), at: pair.scaledDistance)
      }
      if let pair = look(from: next) { queue.insert(pair) }
    }
  }

  /// Replaces the first of two clusters by their union, and frees the number of the second cluster.
  private mutating func join(_ first: Int, _ second: Int, at scaledDistance: UInt64) {
    let merge = live[first].merged(
      with: live[second], at: scaledDistance, band: band, anchor, crossesSeam: live.crossesSeam, leafCount: leafCount)
    let diameter = curve.units(of: merge.cluster.sums.count)
    greatestDiameter = max(greatestDiameter, diameter)
    tiles!.remove(UInt32(second))
    live.bands[second] = LiveClusters.gone
    live.initialize(first, to: merge.cluster, age: nextAge, diameter: diameter)
    nextAge += 1
    tiles!.move(
      UInt32(first), to: MergeTiles.Entry(position: merge.cluster.position, radius: Self.radius(diameter, curve)))
    liveCount -= 1
    (array.start + mergeCount).initialize(to: merge)
    mergeCount += 1
    if reports && mergeCount.isMultiple(of: Self.mergesBetweenReports) {
      monitor.advance(.merging, by: Self.mergesBetweenReports)
    }
  }

  private static var mergesBetweenReports: Int { 1 << 10 }
}

/// The merges of a `TouchMerging`. The list keeps their memory, which is freed together with the last copy of the
/// list.
struct MergeList: RandomAccessCollection {
  fileprivate let array: BuildArray<Merge>
  let endIndex: Int

  var startIndex: Int { 0 }

  subscript(index: Int) -> Merge { array.start[index] }
}

/// Two clusters that will be merged, unless one of them is merged with a third cluster first.
struct TouchingPair: Comparable {
  var scaledDistance: UInt64
  /// The cluster that found the pair.
  var cluster: UInt32
  /// The cluster that `cluster` found: the other cluster of the pair. Equal to `cluster` if `cluster` has not found
  /// another cluster.
  var nearest: UInt32
  var age: UInt32
  var nearestAge: UInt32

  @inline(__always) var hasOther: Bool { cluster != nearest }

  /// The numbers of both clusters, the smaller number first. Clusters are numbered in the order of their least members
  /// (see `TouchMerging`), so the pair with the smaller least members has the smaller value.
  @inline(__always) private var members: UInt64 {
    UInt64(min(cluster, nearest)) &<< 32 | UInt64(max(cluster, nearest))
  }

  @inline(__always) static func < (a: TouchingPair, b: TouchingPair) -> Bool {
    a.scaledDistance != b.scaledDistance ? a.scaledDistance < b.scaledDistance : a.members < b.members
  }
}

// MARK: - Searching

// A call of a nonmutating method copies the whole structure, which took 5 % of a build. So methods that are called for
// each cluster are mutating, even if they change nothing.
extension TouchMerging {
  /// A cluster that looks for other clusters.
  private struct Own {
    let number: UInt32
    let age: UInt32
    let diameter: UInt16

    /// The pair of this cluster with itself, as long as no other cluster has been found.
    var pair: TouchingPair {
      TouchingPair(scaledDistance: .max, cluster: number, nearest: number, age: age, nearestAge: age)
    }
  }

  /// Looks for the first of a cluster's pairs, in the order of `TouchingPair`. Returns this pair if it belongs to the
  /// current band. If not, returns nil and stores a later band, in which the cluster looks for its first pair again.
  @inline(__always) private mutating func look(from cluster: UInt32) -> TouchingPair? {
    let node = live.nodes[Int(cluster)]
    let own = Own(number: cluster, age: node.age, diameter: node.diameter)
    if let nearest = live.nearest(awaitedBy: Int(cluster)) {
      var pair = own.pair
      _ = take(nearest, own, &pair)
      return noted(pair, .max)
    }
    // An initial cluster looks only for clusters whose badges are not larger than its own.
    let width = curve.width(own.diameter, own.age < live.capacity ? own.diameter : greatestDiameter)
    if scope.width != width { scope = SearchScope(width: width, upTo: greatest, horizon: horizon) }
    if scope.isWide { return noted(nearestOfAll(to: own), .max) }
    return noted(nearest(to: own), scope.bound)
  }

  /// Returns the pair if it belongs to the current band. If not, returns nil and stores a later band, in which
  /// `pair.cluster` looks for other clusters again.
  ///
  /// - Parameter bound: Lower bound of the scaled distance from `pair.cluster` to any cluster that the search could
  ///   not find.
  @inline(__always) private mutating func noted(_ pair: TouchingPair, _ bound: UInt64) -> TouchingPair? {
    if pair.scaledDistance <= greatest && pair.hasOther { return pair }
    let next = max(DistanceBands.band(of: min(pair.scaledDistance, bound)), band &+ 1)
    let isNearest = pair.hasOther && pair.scaledDistance <= bound
    live.wait(Int(pair.cluster), for: isNearest ? pair.nearest : LiveClusters.none, until: next)
    return nil
  }

  @inline(__always) private mutating func nearest(to own: Own) -> TouchingPair {
    var pair = own.pair
    var range = MergeTiles.Range(limit: SearchScope.limit(scope.bound))
    tiles!.forEach(
      near: live.positions[Int(own.number)], radius: Self.radius(own.diameter, curve), within: scope.reach,
      widest: Float(scope.width) * 0x1p-10, &range
    ) { other, limit in
      if take(other, own, &pair) { limit = min(limit, SearchScope.limit(pair.scaledDistance)) }
    }
    return pair
  }

  private mutating func nearestOfAll(to own: Own) -> TouchingPair {
    var pair = own.pair
    for other in 0..<UInt32(count) where live.isLive(Int(other)) { _ = take(other, own, &pair) }
    return pair
  }

  /// Replaces `pair` by the pair of `own` and `other` if `other` is older than `own`, and nearer than the nearest
  /// cluster so far. Here `own` is the cluster that looks for other clusters. Returns whether `pair` was replaced.
  @inline(__always) private func take(_ other: UInt32, _ own: Own, _ pair: inout TouchingPair) -> Bool {
    let node = live.nodes[Int(other)]
    let first = UInt32(live.capacity)
    let isOlder =
      own.age >= first ? node.age < own.age : node.age < first && (node.diameter, node.age) < (own.diameter, own.age)
    guard isOlder else { return false }
    let squaredDistance = live.squaredDistance(Int(own.number), Int(other))
    let new = TouchingPair(
      scaledDistance: BadgeCurve.scaled(squaredDistance, width: curve.width(own.diameter, node.diameter)),
      cluster: own.number, nearest: other, age: own.age, nearestAge: node.age)
    if pair.hasOther && !(new < pair) { return false }
    pair = new
    return true
  }
}

/// How far a search looks for other clusters. The scope depends only on the width of badges, and on the band.
private struct SearchScope {
  /// The greatest width of a pair (see `BadgeCurve.width`); 0 before the first search of a band.
  let width: UInt64
  /// If a search must reach farther than `greatestReach`, it looks at all clusters one by one, and does not use tiles.
  let isWide: Bool
  /// Lower bound of the scaled distance to any cluster that the search does not find.
  let bound: UInt64
  /// Greatest distance of the clusters that the search finds, in units.
  let reach: Int

  init(width: UInt64) { (self.width, isWide, bound, reach) = (width, false, 0, 0) }

  /// - Parameters:
  ///   - greatest: Greatest scaled distance that the search must cover.
  ///   - horizon: Distance that the search covers in any case, in units.
  init(width: UInt64, upTo greatest: UInt64, horizon: Double) {
    self.width = width
    let needed = BadgeCurve.reach(greatest, width: width)
    isWide = needed > Self.greatestReach
    let covered = isWide ? 0 : UInt64(max(horizon, needed))
    bound = BadgeCurve.scaled(covered &* covered, width: width)
    reach = Int(BadgeCurve.reach(bound, width: width)) + 1
  }

  /// Only about a thousand clusters can be this far apart from each other. So tiles would not save time.
  private static var greatestReach: Double { 0x1p27 }

  /// Returns the factor with which a search for pairs compares distances. The search takes a pair if its squared
  /// distance is at most the factor times the square of the sum of both radii. The factor is slightly too large. So
  /// rounding errors in single precision never exclude a pair whose scaled distance is `scaledDistance` or less.
  @inline(__always) static func limit(_ scaledDistance: UInt64) -> Float {
    Float(scaledDistance &>> 1) * (2 * (1 + 0x1p-18)) + 4
  }
}
