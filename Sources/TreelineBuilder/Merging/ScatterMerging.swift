import Synchronization
import Treeline

/// Merges clusters. The next pair is always the pair whose union adds the least scatter (J. H. Ward, 1963). The union
/// of two clusters with n1 and n2 points adds n1 n2 / (n1 + n2) times the squared distance of their exact means. If
/// several pairs add the least scatter, they are ordered by the least members of their clusters (see `MergeTree`).
///
/// Let a, b and c be three clusters, and ab the union of a and b. The distance d of two clusters is the scatter that
/// their union adds. In the following formula, the factors a, b and c are the clusters' numbers of points (Lance and
/// Williams):
///
///     (a + b + c) d(ab, c) = (a + c) d(a, c) + (b + c) d(b, c) - c d(a, b)
///
/// If d(a, b) is the least of the three distances, then d(ab, c) is at least the lesser of d(a, c) and d(b, c). So two
/// clusters that are nearest to each other stay nearest to each other, whatever else is merged, and they will be
/// merged. The tree does not depend on the order in which such pairs are merged. The plane is divided into parts. In
/// each part, a pair is merged only if it is certain: its two clusters are nearest to each other, and no cluster
/// beyond the border of the part can be nearer to either of them. The remaining clusters are merged in the next larger
/// part.
///
/// Within a part, the pair that adds the least scatter is merged first. Each band merges the pairs whose scatter is
/// in one range. In each pair, only the cluster with more points looks for the other cluster. If both have the same
/// number of points, only the cluster with the greater least member looks. In a band that begins at scatter s, a
/// cluster of n points is farther from every other cluster than the square root of s / n. So clusters with at most n
/// points are far apart from each other, and a search finds few of them. Clusters with more points may lie close
/// together. The usual algorithm, chains of nearest neighbors, also looks for larger clusters, and therefore takes
/// several times as long. After a search, the found cluster stays the nearest one until it is merged: according to the
/// formula, no union is nearer than both of its parts.
struct ScatterMerging {
  let tree: MergeTree
  let threads: Int
  let leavesInPart: Int
  let monitor: BuildMonitor

  /// Merges all clusters.
  ///
  /// - Returns: the root; nil if the build is cancelled.
  func run() -> UInt32? {
    let plan = MergePlan(tree.leaves, leavesInPart: leavesInPart)
    let rest = Mutex<[Int: [MergeCluster]]>([:])
    plan.forEachPart(threads: threads, monitor) { number, part in
      var clusters = rest.withLock { rest in
        part.border == nil
          ? [] : rest.removeValue(forKey: part.halves.first)! + rest.removeValue(forKey: part.halves.second)!
      }
      clusters.sort { $0.leastMember < $1.leastMember }
      let (first, count) = (part.leaves.lowerBound, part.border == nil ? part.leaves.count : clusters.count)
      var merging = ScatterBands(count, in: part.rect, tree, monitor) {
        part.border == nil ? tree.cluster(UInt32(first + $0)) : clusters[$0]
      }
      merging.run()
      if monitor.isCancelled { return }
      let left = merging.clusters
      rest.withLock { $0[number] = left }
    }
    return monitor.isCancelled ? nil : rest.withLock { $0[0]![0].node }
  }
}

/// Merges the clusters of a rectangle, except clusters whose nearest cluster may be outside the rectangle.
///
/// Merging takes place in bands, so that clusters grow evenly. A band merges the pairs that add less scatter than
/// the bound of the band. In each band, only clusters that may have such a pair look for other clusters.
private struct ScatterBands: ~Copyable {
  private let live: LiveClusters
  private let tree: MergeTree
  private let rect: PlaneRect
  private let monitor: BuildMonitor
  /// Tiles of clusters, with two layers for each range of point counts (see `layer`). Each range begins at four times
  /// the start of the previous range. The ranges have separate tiles, because clusters with fewer points are farther
  /// apart. Clusters that must wait also have separate tiles (see `isStuck`), because they do not look for each other.
  private var tiles: [MergeTiles] = []
  /// Upper bound of cluster numbers. Numbers below this bound may be free.
  private var count: Int
  private var liveCount: Int
  private var stuckCount = 0
  private var band: UInt8 = 0
  /// Pairs that add less scatter than this bound are merged in the current band.
  private var bound = ScatterBound(band: 0)
  /// Each search covers at least the pairs that add this scatter. Two points that add it are a quarter of a tile apart.
  private var horizon = 0.0
  private var queue = PairHeap<ScatterPair>()
  private var nextAge: UInt32
  private var mergeCount = 0

  private static let layerCount = 32

  init(
    _ count: Int, in rect: PlaneRect, _ tree: MergeTree, _ monitor: BuildMonitor, _ cluster: (Int) -> MergeCluster
  ) {
    live = LiveClusters(capacity: count, crossesSeam: false)
    (self.tree, self.rect, self.monitor) = (tree, rect, monitor)
    (self.count, liveCount, nextAge) = (count, count, UInt32(count))
    for block in (0..<count).blocks(of: 1 << 16) where !monitor.isCancelled {
      for number in block { live.initialize(number, to: cluster(number), age: UInt32(number), diameter: 0) }
    }
  }

  deinit {
    live.deallocate()
    for tiles in tiles { tiles.deallocate() }
  }

  /// The clusters that exist at the end.
  var clusters: [MergeCluster] { (0..<count).filter { live.isLive($0) }.map { live[$0] } }

  mutating func run() {
    while liveCount > 1 && stuckCount < liveCount && !monitor.isCancelled {
      // The next band in which any cluster looks for a pair.
      guard let next = live.nextBand(0..<count, from: band) else { return }
      (band, bound) = (next, ScatterBound(band: next))
      placeAnewIfNeeded()
      lookAtDue()
      merge()
      band += 1
    }
  }

  private mutating func placeAnewIfNeeded() {
    let shift = shift(0)
    if !tiles.isEmpty && tiles[0].shift >= shift { return }
    if liveCount < count { count = live.renumber(count, monitor) }
    let first = tiles.isEmpty ? UInt32(live.firstShift(count, monitor)) : 0
    var byLayer = (0..<Self.layerCount).map { _ in [Int]() }
    for cluster in 0..<count { byLayer[layer(of: UInt32(cluster))].append(cluster) }
    let old = tiles
    tiles = byLayer.enumerated().map { layer, clusters in
      MergeTiles(
        clusters, shift: max(self.shift(layer), first), isCyclic: false, slots: live.slots,
        replacing: old.isEmpty ? nil : old[layer], monitor
      ) { [live] in Self.entry(UInt32($0), live) }
    }
    let width = Double(1 << Int(tiles[0].shift))
    horizon = width * width / 32
  }

  /// Returns the base-2 logarithm of the width of the tiles in `tiles[layer]`. The width is a few times the least
  /// distance between the clusters in these tiles.
  private func shift(_ layer: Int) -> UInt32 {
    let least = (bound.value * 2 * Self.greatestRadius(layer)).squareRoot()
    return least < 0x1p26 ? UInt32(66 - UInt64(least + 1).leadingZeroBitCount) : 29
  }

  /// Returns the index in `tiles` for a cluster of `count` points: the even numbers are for clusters that must wait.
  @inline(__always) private static func layer(_ count: UInt32, isStuck: Bool) -> Int {
    (31 &- count.leadingZeroBitCount) & ~1 | (isStuck ? 0 : 1)
  }

  @inline(__always) private func layer(of cluster: UInt32) -> Int {
    Self.layer(live.sums[Int(cluster)].count, isStuck: isStuck(cluster))
  }

  /// The radius (see `MergeTiles.Range`) of the smallest clusters in a layer.
  @inline(__always) private static func greatestRadius(_ layer: Int) -> Double { 1 / Double(1 << (layer & ~1)) }

  @inline(__always) private static func radius(_ count: UInt32) -> Float { 1 / Float(count) }

  @inline(__always) private static func entry(_ cluster: UInt32, _ live: LiveClusters) -> MergeTiles.Entry {
    MergeTiles.Entry(position: live.positions[Int(cluster)], radius: radius(live.sums[Int(cluster)].count))
  }

  private mutating func lookAtDue() {
    live.forEachLive(0..<count, in: band) { cluster in
      if let pair = look(from: UInt32(cluster)) { queue.insert(pair) }
      // If many clusters lie close together, each search takes long. So cancellation is checked often.
      return cluster & 0x1F != 0 || !monitor.isCancelled
    }
  }

  /// Merges all pairs that belong to the band, in the order of `ScatterPair`.
  private mutating func merge() {
    var steps = 0
    while let pair = queue.popFirst() {
      steps &+= 1
      if steps & 0x1F == 0 && monitor.isCancelled { return }
      guard live.isLive(pair.cluster, age: pair.age) else { continue }
      var next = pair.cluster
      if live.isLive(pair.other, age: pair.otherAge) {
        if isSure(pair) {
          next = min(pair.cluster, pair.other)
          join(Int(next), Int(max(pair.cluster, pair.other)), pair.scale)
        } else {
          stick(pair.cluster)
          stick(pair.other)
        }
      }
      if let pair = look(from: next) { queue.insert(pair) }
    }
  }

  /// Whether a cluster must wait until a larger rectangle is merged. This is so if the nearest cluster in this
  /// rectangle must wait, or if a cluster outside this rectangle may be nearer. A waiting cluster still looks for
  /// other clusters, and each cluster that it finds must wait, too.
  @inline(__always) private func isStuck(_ cluster: UInt32) -> Bool { live.nodes[Int(cluster)].diameter != 0 }

  private mutating func stick(_ cluster: UInt32) {
    if isStuck(cluster) { return }
    tiles[layer(of: cluster)].remove(cluster)
    live.nodes[Int(cluster)].diameter = 1
    tiles[layer(of: cluster)].insert(cluster, Self.entry(cluster, live))
    stuckCount += 1
  }

  /// Whether the two clusters of the next pair are certainly nearest to each other. This is so if neither of them must
  /// wait (see `isStuck`), and if no cluster outside `rect` can be nearer to either of them.
  private func isSure(_ pair: ScatterPair) -> Bool {
    !isStuck(pair.cluster) && !isStuck(pair.other) && isSure(pair, of: pair.cluster) && isSure(pair, of: pair.other)
  }

  /// Whether `cluster` is certainly nearer to the other cluster of the pair than to any cluster outside `rect`.
  private func isSure(_ pair: ScatterPair, of cluster: UInt32) -> Bool {
    let position = live.positions[Int(cluster)]
    func room(_ place: UInt32, _ least: UInt32, _ greatest: UInt32) -> UInt32 {
      min(least == 0 ? .max : place &- least, greatest == .max ? .max : greatest &- place)
    }
    let least = min(room(position.x, rect.minX, rect.maxX), room(position.y, rect.minY, rect.maxY))
    if least == .max { return true }
    let (distance, n) = (max(Double(least) - 2, 0), Double(live.sums[Int(cluster)].count))
    return pair.added * (1 + 0x1p-40) < distance * distance * n / (n + 1)
  }

  /// Replaces the first of two clusters by their union, and frees the number of the second.
  private mutating func join(_ first: Int, _ second: Int, _ scale: SeparationCode) {
    let (a, b) = (live[first], live[second])
    let sums = a.sums.joined(with: b.sums)
    let union = MergeCluster(
      sums: sums, position: sums.mean, node: UInt32(tree.leafCount) + b.leastMember, leastMember: a.leastMember,
      scale: max(scale, a.scale, b.scale), longitudes: a.longitudes)
    let former = layer(of: UInt32(first))
    tiles[layer(of: UInt32(second))].remove(UInt32(second))
    live.bands[second] = LiveClusters.gone
    live.initialize(first, to: union, age: nextAge, diameter: 0)
    nextAge += 1
    let (layer, entry) = (layer(of: UInt32(first)), Self.entry(UInt32(first), live))
    if former == layer {
      tiles[layer].move(UInt32(first), to: entry)
    } else {
      tiles[former].remove(UInt32(first))
      tiles[layer].insert(UInt32(first), entry)
    }
    liveCount -= 1
    tree.add(Merge(left: a.node, right: b.node, anchorsRight: false, band: 0, cluster: union))
    mergeCount += 1
    if mergeCount.isMultiple(of: 1 << 10) { monitor.advance(.merging, by: 1 << 10) }
  }
}

// MARK: - Searching

// As in `TouchMerging`, methods that are called for each cluster are mutating.
extension ScatterBands {
  /// Finds the cluster whose union with a given cluster adds the least scatter, among all clusters that are not larger
  /// than the given cluster. Returns the pair of both clusters if it belongs to the current band. If not, returns nil
  /// and stores a later band, in which the given cluster looks again.
  private mutating func look(from cluster: UInt32) -> ScatterPair? {
    let own = live.sums[Int(cluster)]
    if let nearest = live.nearest(awaitedBy: Int(cluster)), !isStuck(cluster) || !isStuck(nearest) {
      return noted(cluster, pair(cluster, own, nearest), upTo: .infinity)
    }
    // Usually no pair of the cluster belongs to this band. So the search also covers pairs above the bound. The pair
    // that adds the least scatter determines in which band the cluster looks again.
    let farthest = max(8 * bound.value, horizon)
    return noted(cluster, nearest(to: cluster, own, adding: farthest), upTo: farthest)
  }

  /// Returns the pair if it belongs to the current band. If not, returns nil and stores a later band, in which
  /// `cluster` looks for other clusters again.
  ///
  /// - Parameter farthest: Each pair of the cluster that the search could not find adds more scatter than this.
  private mutating func noted(_ cluster: UInt32, _ pair: ScatterPair?, upTo farthest: Double) -> ScatterPair? {
    if let pair, pair.addsLess(than: bound) { return pair }
    let nearest = pair.flatMap { $0.added <= farthest ? $0.other : nil }
    let next = ScatterBound.band(above: min(pair?.added ?? .infinity, farthest) * Self.lessThanAnyError)
    live.wait(Int(cluster), for: nearest ?? LiveClusters.none, until: max(next, band &+ 1))
    return nil
  }

  @inline(__always) private func pair(_ cluster: UInt32, _ own: MergeSums, _ other: UInt32) -> ScatterPair {
    ScatterPair(
      cluster, own, age: live.nodes[Int(cluster)].age, other, live.sums[Int(other)], age: live.nodes[Int(other)].age)
  }

  /// Returns the pair that adds the least scatter. Only pairs with clusters that are not larger than `cluster` are
  /// considered. Nil if each of these pairs adds more than `greatest`.
  private mutating func nearest(to cluster: UInt32, _ own: MergeSums, adding greatest: Double) -> ScatterPair? {
    let (position, ownInverse, radius) = (live.positions[Int(cluster)], 1 / Double(own.count), Self.radius(own.count))
    let isOwnStuck = isStuck(cluster)
    var best: ScatterPair?
    var greatest = greatest
    for layer in (0...Self.layer(own.count, isStuck: false)).reversed() where !tiles[layer].isEmpty {
      if isOwnStuck && layer & 1 == 0 { continue }
      let least = Self.greatestRadius(layer)
      // The reach has a margin, because each position is a mean that was rounded, and because the reach itself is
      // rounded, too.
      let reach = min((greatest * (ownInverse + least)).squareRoot() * Self.moreThanAnyError + 2, 0x1p33)
      // Positions are rounded, so a distance between two positions has an error of up to two units.
      var range = MergeTiles.Range(limit: Self.limit(greatest), slack: Float(4 * reach + 4), isSquared: false)
      tiles[layer].forEach(near: position, radius: radius, within: Int(reach), widest: radius + Float(least), &range) {
        other, limit in
        if other == cluster || (live.sums[Int(other)].count, other) > (own.count, cluster) { return }
        let pair = pair(cluster, own, other)
        if let best, !(pair < best) { return }
        if pair.added > greatest * Self.moreThanAnyError { return }
        best = pair
        greatest = min(pair.added, greatest)
        limit = min(limit, Self.limit(greatest))
      }
    }
    return best
  }

  /// Returns a scatter in single precision, increased so that rounding errors exclude no pair.
  @inline(__always) private static func limit(_ added: Double) -> Float { Float(added) * (1 + 0x1p-18) }

  private static var moreThanAnyError: Double { 1 + 0x1p-40 }
  private static var lessThanAnyError: Double { 1 - 0x1p-40 }
}

/// The bound of a band: each pair of the band adds less scatter than this bound. There are two bounds for each
/// doubling of the scatter, up to 2^96 in band 192. No scatter is as large as 2^96.
struct ScatterBound {
  let value: Double
  fileprivate let doubled: UInt128

  init(band: UInt8) {
    doubled = (band % 2 == 0 ? 2 : 3) << UInt128(min(band, 240) / 2)
    value = Double(doubled) / 2
  }

  /// Returns the first band whose bound is above the given scatter, but at most `DistanceBands.last`.
  static func band(above added: Double) -> UInt8 {
    if added < 1 { return 0 }
    return UInt8(min(2 * Int(added.exponent) + (added.significand < 1.5 ? 1 : 2), Int(DistanceBands.last)))
  }
}

/// Two clusters and the scatter that their union adds.
struct ScatterPair: Comparable {
  /// Scatter that the union adds, with a relative error of less than 2^-50.
  let added: Double
  /// Data for the exact scatter, which is `squares` / `divisor`. `count` and `otherCount` are the point counts of both
  /// clusters. For x, each cluster's sum of x coordinates is multiplied by the other cluster's point count. The
  /// difference of the two products, without its sign, is stored in `xLow` and `xHigh`. The difference for
  /// y is stored in `yLow` and `yHigh`.
  private let (xLow, yLow): (UInt64, UInt64)
  private let (xHigh, yHigh): (UInt32, UInt32)
  private let (count, otherCount): (UInt32, UInt32)
  /// `cluster` is the number of the cluster that found the pair, and `other` is the number of the other cluster. `age`
  /// and `otherAge` are the places of these two clusters in the order in which all clusters were made.
  let (cluster, other): (UInt32, UInt32)
  let (age, otherAge): (UInt32, UInt32)

  @inline(__always) init(
    _ cluster: UInt32, _ own: MergeSums, age: UInt32, _ other: UInt32, _ others: MergeSums, age otherAge: UInt32
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
    (self.cluster, self.other, self.age, self.otherAge) = (cluster, other, age, otherAge)
    let (dx, dy) = (Double(xHigh) * 0x1p64 + Double(xLow), Double(yHigh) * 0x1p64 + Double(yLow))
    let (n, m) = (Double(own.count), Double(others.count))
    added = (dx * dx + dy * dy) / (n * m * (n + m))
  }

  /// The numbers of both clusters, the smaller number first. The cluster with the smaller number also has the smaller
  /// least member.
  @inline(__always) private var members: UInt64 { UInt64(min(cluster, other)) &<< 32 | UInt64(max(cluster, other)) }

  /// Code of the square root of the scatter. The scatter itself may be too large for a code.
  var scale: SeparationCode { SeparationCode(roundingDown: UInt64(added.squareRoot())) }

  /// Orders pairs by the scatter that they add. Pairs that add the same scatter are ordered by the least members of
  /// their clusters (see `MergeTree`).
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
    return left != right ? left < right : a.members < b.members
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
