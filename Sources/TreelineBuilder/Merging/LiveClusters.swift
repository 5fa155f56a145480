import CPrefetch
import Treeline

/// The sums of a cluster's points, and where they lie on the circle of longitudes.
struct MergeSums {
  /// Over its points, as they lie on the plane.
  var x: UInt64
  var y: UInt64
  var count: UInt32
  /// How many points lie west of the seam's other side: a world is added to their x.
  var countBeyond: UInt32 = 0

  /// To the nearest unit, halves up. 2^31 points and two worlds of 2^32 units fit.
  @inline(__always) var mean: PlanePoint {
    PlanePoint(x: Self.mean(x &+ UInt64(countBeyond) &<< 32, of: count), y: Self.mean(y, of: count))
  }

  @inline(__always) private static func mean(_ sum: UInt64, of count: UInt32) -> UInt32 {
    let (quotient, remainder) = sum.quotientAndRemainder(dividingBy: UInt64(count))
    return UInt32(truncatingIfNeeded: quotient &+ (2 &* remainder >= UInt64(count) ? 1 : 0))
  }

  /// Of both, where nothing is merged across the seam.
  @inline(__always) func joined(with other: MergeSums) -> MergeSums {
    MergeSums(x: x &+ other.x, y: y &+ other.y, count: count &+ other.count)
  }

  /// Of both, laid side by side.
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

/// The clusters that there are, in the order of their least members.
///
/// What is merged keeps the number of the part with the lesser least member; the other's is free then, until clusters
/// are numbered anew.
struct LiveClusters {
  /// What a cluster is in the tree: a leaf or a merge, and its scale.
  struct Node {
    var number: UInt32
    var scale: SeparationCode
  }

  let sums: UnsafeMutablePointer<MergeSums>
  let nodes: UnsafeMutablePointer<Node>
  let links: UnsafeMutablePointer<MergeGrid.LinkedPosition>
  /// No cluster is nearer than in this round, but for those that know so themselves.
  let rounds: UnsafeMutablePointer<UInt8>
  /// The nearest of those that a cluster has to know of, if it waits for the round of that pair; `MergeGrid.none` else.
  let nearests: UnsafeMutablePointer<UInt32>
  /// Known where clusters may be merged across the seam.
  let longitudes: UnsafeMutablePointer<Longitudes>?
  /// The diameters of badges, in 64ths of a pixel; known where these tell what is merged.
  let diameters: UnsafeMutablePointer<UInt16>?
  private let capacity: Int

  /// The round of a number that is free.
  static let gone = UInt8.max

  /// Of leaves.
  ///
  /// - Parameters:
  ///   - crossesSeam: whether clusters may be merged across it.
  ///   - curve: known where diameters of badges are to be.
  init(
    _ leaves: Leaves, crossesSeam: Bool, badges curve: BadgeCurve? = nil, threads: Int, _ monitor: BuildMonitor
  ) {
    let live = LiveClusters(capacity: leaves.leafCount, crossesSeam: crossesSeam, hasDiameters: curve != nil)
    nonisolated(unsafe) let cells = live
    _ = inChunks(of: leaves.leafCount, threads: threads) { chunk in
      monitor.pass(over: chunk) { block in
        for leaf in block {
          let count = leaves.count(of: leaf)
          cells.initialize(leaf, at: leaves.position(of: leaf), count: count)
          if let curve { (cells.diameters! + leaf).initialize(to: curve.units(of: count)) }
        }
      }
    }
    self = live
  }

  private init(capacity: Int, crossesSeam: Bool, hasDiameters: Bool) {
    self.capacity = capacity
    sums = .allocate(capacity: capacity)
    nodes = .allocate(capacity: capacity)
    links = .allocate(capacity: capacity)
    rounds = .allocate(capacity: capacity)
    nearests = .allocate(capacity: capacity)
    longitudes = crossesSeam ? .allocate(capacity: capacity) : nil
    diameters = hasDiameters ? .allocate(capacity: capacity) : nil
    for block in blocks { block.adviseLargePages() }
  }

  private var blocks: [MemoryBlock] {
    let blocks = [
      MemoryBlock(sums, count: capacity), MemoryBlock(nodes, count: capacity), MemoryBlock(links, count: capacity),
      MemoryBlock(rounds, count: capacity), MemoryBlock(nearests, count: capacity),
    ]
    return blocks + (longitudes.map { [MemoryBlock($0, count: capacity)] } ?? [])
      + (diameters.map { [MemoryBlock($0, count: capacity)] } ?? [])
  }

  func deallocate() {
    for block in blocks { block.deallocate() }
  }

  var crossesSeam: Bool { longitudes != nil }

  @inline(__always) func isLive(_ cluster: Int) -> Bool { rounds[cluster] != Self.gone }

  /// Whether a cluster is still what it was in the tree.
  @inline(__always) func isLive(_ cluster: UInt32, as node: UInt32) -> Bool {
    isLive(Int(cluster)) && nodes[Int(cluster)].number == node
  }

  /// Whom a cluster waits for, as long as that is what it was then: what was merged since has a greater number than all
  /// that there was, and leaves wait for leaves only.
  @inline(__always) func nearest(awaitedBy cluster: Int) -> UInt32? {
    let nearest = nearests[cluster]
    guard nearest != MergeGrid.none, isLive(Int(nearest)) else { return nil }
    return nodes[Int(nearest)].number < max(nodes[cluster].number, UInt32(capacity)) ? nearest : nil
  }

  /// Notes that a cluster is to look again in a round, for a pair that it knows of or for any.
  @inline(__always) func wait(_ cluster: Int, for nearest: UInt32 = MergeGrid.none, until round: UInt8) {
    rounds[cluster] = min(round, MergeRounds.last)
    nearests[cluster] = nearest
  }

  /// Has the machine fetch what merging a cluster will touch.
  @inline(__always) func prefetch(_ cluster: Int) {
    CPrefetch.prefetch(links + cluster)
    CPrefetch.prefetch(nodes + cluster)
    CPrefetch.prefetch(sums + cluster)
    CPrefetch.prefetch(rounds + cluster)
  }

  /// Makes a leaf a cluster, which is looked at in the first round.
  @inline(__always) func initialize(_ leaf: Int, at position: PlanePoint, count: UInt32) {
    (sums + leaf).initialize(
      to: MergeSums(x: UInt64(position.x) * UInt64(count), y: UInt64(position.y) * UInt64(count), count: count))
    (nodes + leaf).initialize(to: Node(number: UInt32(leaf), scale: .zero))
    (links + leaf).initialize(to: MergeGrid.LinkedPosition(position: position))
    (rounds + leaf).initialize(to: 0)
    (nearests + leaf).initialize(to: MergeGrid.none)
    if let longitudes { (longitudes + leaf).initialize(to: Longitudes(west: position.x, east: position.x)) }
  }

  /// Makes the first of two clusters both together, and the second's number free.
  @inline(__always) func join(_ first: Int, _ second: Int, _ scale: SeparationCode, in merges: inout Merges) {
    let (a, b) = (nodes[first], nodes[second])
    if let longitudes {
      let joined = longitudes[first].joined(with: longitudes[second])
      sums[first] = sums[first].joined(with: sums[second], longitudes: (longitudes[first], longitudes[second], joined))
      longitudes[first] = joined
    } else {
      sums[first] = sums[first].joined(with: sums[second])
    }
    // Scales never fall towards the root.
    let greatest = max(scale, a.scale, b.scale)
    let number = merges.add(a.number, b.number, count: sums[first].count, greatest)
    nodes[first] = Node(number: number, scale: greatest)
    (rounds[first], rounds[second]) = (0, Self.gone)
    nearests[first] = MergeGrid.none
  }

  /// The square of the distance of two clusters: across the seam only those are close that are less than half a world
  /// wide together.
  @inline(__always) func squaredDistance(_ a: Int, _ b: Int) -> UInt64 {
    let (from, to) = (links[a].position, links[b].position)
    let plain = Plane.Projection.planar.squaredDistance(from, to)
    guard let longitudes else { return plain }
    let around = Plane.Projection.webMercator.squaredDistance(from, to)
    return around == plain || longitudes[a].joined(with: longitudes[b]).isWide ? plain : around
  }

  /// Numbers those that there are of some clusters anew, in the same order.
  ///
  /// - Returns: how many there are.
  func renumber(_ count: Int, _ monitor: BuildMonitor) -> Int {
    // Links within cells are of no use from here on: new numbers are kept there until clusters have moved.
    var next = 0
    monitor.pass(over: 0..<count) { block in
      for cluster in block where isLive(cluster) {
        links[cluster].next = UInt32(next)
        next += 1
      }
    }
    monitor.pass(over: 0..<count) { block in
      for cluster in block where isLive(cluster) {
        nearests[cluster] = nearest(awaitedBy: cluster).map { links[Int($0)].next } ?? MergeGrid.none
      }
    }
    monitor.pass(over: 0..<count) { block in
      for cluster in block where isLive(cluster) { move(cluster, to: Int(links[cluster].next)) }
    }
    return next
  }

  /// Gives a cluster another number. No round is going on.
  @inline(__always) private func move(_ cluster: Int, to number: Int) {
    sums[number] = sums[cluster]
    nodes[number] = nodes[cluster]
    links[number] = links[cluster]
    rounds[number] = rounds[cluster]
    nearests[number] = nearests[cluster]
    if let longitudes { longitudes[number] = longitudes[cluster] }
    if let diameters { diameters[number] = diameters[cluster] }
  }
}

extension LiveClusters {
  /// Calls with clusters that are to be looked at in a round or before, in rising order, until told to stop.
  @inline(__always) func forEachLive(_ range: Range<Int>, in round: UInt8, _ body: (Int) -> Bool) {
    // Eight at a time: x <= y in bytes, whose highest bits are compared apart (H. S. Warren, Hacker's Delight, 2-18).
    let (y, highBits) = (UInt64(round) &* 0x0101_0101_0101_0101, 0x8080_8080_8080_8080 as UInt64)
    var cluster = range.lowerBound
    while cluster < range.upperBound {
      if cluster + 8 <= range.upperBound {
        let x = UnsafeRawPointer(rounds + cluster).loadUnaligned(as: UInt64.self)
        let difference = (y | highBits) &- (x & ~highBits)
        if ((y & ~x) | (~(x ^ y) & difference)) & highBits == 0 {
          cluster += 8
          continue
        }
      }
      for index in cluster..<min(cluster + 8, range.upperBound) where rounds[index] <= round {
        if !body(index) { return }
      }
      cluster += 8
    }
  }

  /// Whether any cluster is to be looked at in a round or before.
  func isAnyDue(_ range: Range<Int>, in round: UInt8) -> Bool {
    var isAny = false
    forEachLive(range, in: round) { _ in
      isAny = true
      return false
    }
    return isAny
  }
}
