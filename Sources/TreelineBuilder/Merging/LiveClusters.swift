import CPrefetch
import Treeline

/// A cluster: a leaf, or the result of a merge.
struct MergeCluster {
  var sums: MergeSums
  /// Position that represents the cluster, see `ClusterAnchor`.
  var position: PlanePoint
  /// Node of the cluster, a leaf or a merge; see `MergeTree`.
  var node: UInt32
  /// Least member: the first of the cluster's leaves in Z-order.
  var leastMember: UInt32
  var scale: SeparationCode
  /// Extent of the cluster in longitude. It is used only if clusters may be merged across the seam.
  var longitudes: Longitudes
}

extension MergeCluster {
  /// Returns the merge of this cluster with another cluster. The least member of a cluster is the first of its leaves
  /// in Z-order. The least member of the other cluster must come after the least member of this cluster.
  ///
  /// - Parameters:
  ///   - scaledDistance: Scaled distance between the two clusters.
  ///   - leafCount: Number of leaves of the tree, see `MergeTree`.
  @inline(__always) func merged(
    with other: MergeCluster, at scaledDistance: UInt64, band: UInt8, _ anchor: ClusterAnchor, crossesSeam: Bool,
    leafCount: Int
  ) -> Merge {
    var (sums, around) = (sums.joined(with: other.sums), longitudes)
    if crossesSeam {
      around = longitudes.joined(with: other.longitudes)
      sums = self.sums.joined(with: other.sums, longitudes: (longitudes, other.longitudes, around))
    }
    let mean = sums.mean
    let anchorsRight =
      anchor == .member
      && mean.isNearer(to: other.position, than: position, isAcrossSeam: crossesSeam && around.isAcrossSeam)
    // Scales never fall towards the root.
    let scale = max(SeparationCode(roundingDown: scaledDistance), scale, other.scale)
    return Merge(
      left: node, right: other.node, anchorsRight: anchorsRight, band: band,
      cluster: MergeCluster(
        sums: sums, position: anchor == .mean ? mean : anchorsRight ? other.position : position,
        node: UInt32(leafCount) + other.leastMember, leastMember: leastMember, scale: scale, longitudes: around))
  }

  /// Returns the squared distance to another cluster. The distance is measured across the seam only if the union of
  /// both clusters is less than half a world wide.
  func squaredDistance(to other: MergeCluster, crossesSeam: Bool) -> UInt64 {
    let plain = Plane.Projection.planar.squaredDistance(position, other.position)
    if !crossesSeam { return plain }
    let around = Plane.Projection.webMercator.squaredDistance(position, other.position)
    return around == plain || longitudes.joined(with: other.longitudes).isWide ? plain : around
  }
}

/// The sums of a cluster's coordinates, and the number of the cluster's points beyond the seam.
struct MergeSums {
  /// Sums of the points' coordinates on the plane.
  var x: UInt64
  var y: UInt64
  var count: UInt32
  /// Number of points beyond the seam. `mean` adds the width of the world to the x of each of these points.
  var countBeyond: UInt32 = 0

  /// Mean of the points, rounded to the nearest unit; halves are rounded up. The sums do not overflow 64 bits: each is
  /// a sum of at most 2^31 coordinates below 2^33. Two worlds are 2^33 units wide.
  @inline(__always) var mean: PlanePoint {
    PlanePoint(x: Self.mean(x &+ UInt64(countBeyond) &<< 32, of: count), y: Self.mean(y, of: count))
  }

  @inline(__always) private static func mean(_ sum: UInt64, of count: UInt32) -> UInt32 {
    let (quotient, remainder) = sum.quotientAndRemainder(dividingBy: UInt64(count))
    return UInt32(truncatingIfNeeded: quotient &+ (2 &* remainder >= UInt64(count) ? 1 : 0))
  }

  /// Returns the sums of the union of two clusters that do not lie across the seam.
  @inline(__always) func joined(with other: MergeSums) -> MergeSums {
    MergeSums(x: x &+ other.x, y: y &+ other.y, count: count &+ other.count)
  }

  /// Returns the sums of the union of two clusters. If the union lies across the seam, the result also contains the
  /// number of the union's points beyond the seam.
  func joined(
    with other: MergeSums, longitudes: (own: Longitudes, others: Longitudes, joined: Longitudes)
  ) -> MergeSums {
    var sums = joined(with: other)
    if longitudes.joined.isAcrossSeam {
      sums.countBeyond =
        countBeyond(longitudes.own, in: longitudes.joined) + other.countBeyond(longitudes.others, in: longitudes.joined)
    }
    return sums
  }

  private func countBeyond(_ own: Longitudes, in joined: Longitudes) -> UInt32 {
    if own.isAcrossSeam { return countBeyond }
    return own.west < joined.west ? count : 0
  }
}

/// The existing clusters, numbered in the order of their least members. The least member of a cluster is the first of
/// its leaves in Z-order.
///
/// When two clusters are merged, the new cluster keeps the smaller of their two numbers. It also keeps the least
/// member of the cluster that had this number. The greater number is free until clusters are renumbered.
struct LiveClusters: @unchecked Sendable {
  struct Node {
    var number: UInt32
    var leastMember: UInt32
    /// Rank of the cluster in the order in which clusters are made. A newer cluster has a greater value.
    var age: UInt32
    var scale: SeparationCode
    /// Diameter of the cluster's badge, in 64ths of a pixel.
    var diameter: UInt16
  }

  let nodes: UnsafeMutablePointer<Node>
  let sums: UnsafeMutablePointer<MergeSums>
  let positions: UnsafeMutablePointer<PlanePoint>
  /// For each cluster, its slot in the tiles.
  let slots: UnsafeMutablePointer<UInt32>
  /// For each cluster, the band in which it looks for other clusters again. Before this band, the cluster is merged
  /// only if another cluster finds it.
  let bands: UnsafeMutablePointer<UInt8>
  /// For each waiting cluster, its nearest cluster; `none` if the nearest cluster is not known. A cluster waits if it
  /// looks for other clusters in a later band, not in the current band.
  let nearests: UnsafeMutablePointer<UInt32>
  /// For each cluster, its extent in longitude; nil if clusters are not merged across the seam.
  let longitudes: UnsafeMutablePointer<Longitudes>?
  /// Number of initial clusters.
  let capacity: Int

  /// Value in `bands` for a number that belongs to no cluster.
  static let gone = UInt8.max
  /// Value in `nearests` if the nearest cluster is not known.
  static let none = UInt32.max

  /// - Parameter crossesSeam: Whether clusters may be merged across the seam.
  init(capacity: Int, crossesSeam: Bool) {
    self.capacity = capacity
    nodes = .allocate(capacity: capacity)
    sums = .allocate(capacity: capacity)
    positions = .allocate(capacity: capacity)
    slots = .allocate(capacity: capacity)
    bands = .allocate(capacity: capacity)
    nearests = .allocate(capacity: capacity)
    longitudes = crossesSeam ? .allocate(capacity: capacity) : nil
    for block in blocks { block.adviseLargePages() }
  }

  private var blocks: [MemoryBlock] {
    [
      MemoryBlock(nodes, count: capacity), MemoryBlock(sums, count: capacity), MemoryBlock(positions, count: capacity),
      MemoryBlock(slots, count: capacity), MemoryBlock(bands, count: capacity), MemoryBlock(nearests, count: capacity),
    ] + (longitudes.map { [MemoryBlock($0, count: capacity)] } ?? [])
  }

  func deallocate() {
    for block in blocks { block.deallocate() }
  }

  /// Stores a cluster under its number. The cluster looks for other clusters in the first band.
  @inline(__always) func initialize(_ number: Int, to cluster: MergeCluster, age: UInt32, diameter: UInt16) {
    (nodes + number).initialize(
      to: Node(
        number: cluster.node, leastMember: cluster.leastMember, age: age, scale: cluster.scale,
        diameter: diameter))
    (sums + number).initialize(to: cluster.sums)
    (positions + number).initialize(to: cluster.position)
    (bands + number).initialize(to: 0)
    (nearests + number).initialize(to: Self.none)
    if let longitudes { (longitudes + number).initialize(to: cluster.longitudes) }
  }

  subscript(_ number: Int) -> MergeCluster {
    let node = nodes[number]
    return MergeCluster(
      sums: sums[number], position: positions[number], node: node.number, leastMember: node.leastMember,
      scale: node.scale, longitudes: longitudes?[number] ?? Longitudes(west: 0, east: 0))
  }

  var crossesSeam: Bool { longitudes != nil }

  @inline(__always) func isLive(_ cluster: Int) -> Bool { bands[cluster] != Self.gone }

  /// Whether the number `cluster` still belongs to the cluster with the age `age`. If so, this cluster has not been
  /// merged.
  @inline(__always) func isLive(_ cluster: UInt32, age: UInt32) -> Bool {
    isLive(Int(cluster)) && nodes[Int(cluster)].age == age
  }

  /// A cluster waits if it looks for other clusters in a later band, not in the current band. Returns the cluster
  /// that was nearest to a given cluster when the given cluster began to wait. Returns nil if the nearest cluster is
  /// not known, or has been merged since then.
  ///
  /// After such a merge, the union may have the number of the nearest cluster. The union is recognized by its `age`.
  /// Newer clusters have greater ages, and the union is newer than the given cluster. If the given cluster is an
  /// initial cluster, the age is compared with `capacity` instead: initial clusters have ages below `capacity`, and
  /// unions have ages of `capacity` or more. If the nearest cluster was itself a newer union when the given cluster
  /// began to wait, the result is nil, too.
  @inline(__always) func nearest(awaitedBy cluster: Int) -> UInt32? {
    let nearest = nearests[cluster]
    guard nearest != Self.none, isLive(Int(nearest)) else { return nil }
    return nodes[Int(nearest)].age < max(nodes[cluster].age, UInt32(capacity)) ? nearest : nil
  }

  /// Sets the band in which a cluster looks for other clusters again. Also stores the cluster that is nearest to it,
  /// or `none` if the nearest cluster is not known.
  @inline(__always) func wait(_ cluster: Int, for nearest: UInt32, until band: UInt8) {
    bands[cluster] = min(band, DistanceBands.last)
    nearests[cluster] = nearest
  }

  /// Prefetches the memory that is needed for merging a cluster.
  @inline(__always) func prefetch(_ cluster: Int) {
    CPrefetch.prefetch(nodes + cluster)
    CPrefetch.prefetch(sums + cluster)
    CPrefetch.prefetch(positions + cluster)
    CPrefetch.prefetch(bands + cluster)
    CPrefetch.prefetch(slots + cluster)
  }

  /// Returns the squared distance of two clusters.
  @inline(__always) func squaredDistance(_ a: Int, _ b: Int) -> UInt64 {
    if crossesSeam { return self[a].squaredDistance(to: self[b], crossesSeam: true) }
    return Plane.Projection.planar.squaredDistance(positions[a], positions[b])
  }

  /// Renumbers the live clusters that have numbers below `count`, without changing their order.
  ///
  /// - Returns: the number of live clusters.
  func renumber(_ count: Int, _ monitor: BuildMonitor) -> Int {
    // Slots are not needed during renumbering. So their array holds the new numbers until the clusters have moved.
    var next = 0
    monitor.pass(over: 0..<count) { block in
      for cluster in block where isLive(cluster) {
        slots[cluster] = UInt32(next)
        next += 1
      }
    }
    monitor.pass(over: 0..<count) { block in
      for cluster in block where isLive(cluster) {
        nearests[cluster] = nearest(awaitedBy: cluster).map { slots[Int($0)] } ?? Self.none
      }
    }
    monitor.pass(over: 0..<count) { block in
      for cluster in block where isLive(cluster) { move(cluster, to: Int(slots[cluster])) }
    }
    return next
  }

  /// Gives a cluster another number. Must not be called while a band of merges is in progress.
  @inline(__always) private func move(_ cluster: Int, to number: Int) {
    nodes[number] = nodes[cluster]
    sums[number] = sums[cluster]
    positions[number] = positions[cluster]
    bands[number] = bands[cluster]
    nearests[number] = nearests[cluster]
    if let longitudes { longitudes[number] = longitudes[cluster] }
  }
}

extension LiveClusters {
  /// Calls the body with each cluster whose band in `bands` is at most `band`. The clusters come in rising order of
  /// their numbers. Stops when the body returns false.
  @inline(__always) func forEachLive(_ range: Range<Int>, in band: UInt8, _ body: (Int) -> Bool) {
    // Checks x <= y for eight bytes in one step. The highest bit of each byte is treated separately (H. S. Warren,
    // Hacker's Delight, 2-18).
    let (y, highBits) = (UInt64(band) &* 0x0101_0101_0101_0101, 0x8080_8080_8080_8080 as UInt64)
    var cluster = range.lowerBound
    while cluster < range.upperBound {
      if cluster + 8 <= range.upperBound {
        let x = UnsafeRawPointer(bands + cluster).loadUnaligned(as: UInt64.self)
        let difference = (y | highBits) &- (x & ~highBits)
        if ((y & ~x) | (~(x ^ y) & difference)) & highBits == 0 {
          cluster += 8
          continue
        }
      }
      for index in cluster..<min(cluster + 8, range.upperBound) where bands[index] <= band {
        if !body(index) { return }
      }
      cluster += 8
    }
  }

  /// Returns the first band, from `band` on, in which any cluster of the range looks for other clusters; nil if the
  /// range has no cluster.
  func nextBand(_ range: Range<Int>, from band: UInt8) -> UInt8? {
    var least = Self.gone
    for cluster in range { least = min(least, bands[cluster]) }
    return least == Self.gone ? nil : max(least, band)
  }

  /// A search for near clusters divides the plane into square tiles, and looks at the clusters of a few tiles. This
  /// method finds the widest tiles with which a search looks at few clusters on average. It returns the base-2
  /// logarithm of the width of these tiles. Clusters must be in Z-order.
  func firstShift(_ count: Int, _ monitor: BuildMonitor) -> Int {
    // Element i of `widths` is for square tiles with a width of 2^i units. Its `square` is the sum of n^2 over all
    // tiles, where n is the number of clusters in a tile. The clusters of a tile are adjacent in Z-order, and `start`
    // is the first cluster of the current tile.
    withUnsafeTemporaryAllocation(of: (square: Int, start: Int).self, capacity: 33) { widths in
      widths.initialize(repeating: (0, 0))
      func endRuns(below width: Int, at cluster: Int) {
        for width in 0..<width {
          let size = cluster &- widths[width].start
          widths[width].square &+= size &* size
          widths[width].start = cluster
        }
      }
      var last = ZOrder.code(of: positions[0])
      for block in (1..<count).blocks(of: 1 << 18) where !monitor.isCancelled {
        for cluster in block {
          let code = ZOrder.code(of: positions[cluster])
          endRuns(below: (Int.bitWidth - (code ^ last).leadingZeroBitCount + 1) / 2, at: cluster)
          last = code
        }
      }
      endRuns(below: 33, at: count)
      return widths[...28].lastIndex { $0.square <= Self.clustersInTile * count } ?? 0
    }
  }

  private static var clustersInTile: Int { 24 }
}
