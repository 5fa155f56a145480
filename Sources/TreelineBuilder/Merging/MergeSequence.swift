import CPrefetch
import Treeline

/// Merges clusters until one is left: always the two whose positions are closest, of several such pairs the one with
/// the lesser least members. A cluster's position is the mean of its points, rounded to whole units, and its least
/// member the first of its positions in Z-order. So the tree is a function of the set of points.
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
/// The closest pair is found from the side of the younger cluster: when a cluster is made, the nearest of all others is
/// searched for; and anew, when the pair is due and the other is gone. No cluster that was there before can be nearer
/// then, and for a younger one the pair is known from its side. So the closest pair is always in the queue.
///
/// On the circle of longitudes two clusters may be closest across the seam. They are merged there if together they are
/// less than half a world wide; the mean is that of their points laid side by side. For wider ones the seam is the end
/// of the world.
struct MergeSequence: ~Copyable {
  /// What is known of a cluster, by its least member.
  struct Cluster {
    /// Over its points, as they lie on the plane.
    var sumX: UInt64
    var sumY: UInt64
    var count: UInt32
    /// What it is in the tree: a leaf or a merge.
    var node: UInt32
    var place: UInt32
    var scale: SeparationCode
  }

  /// What is known besides where clusters may be merged across the seam.
  struct Reach {
    var longitudes: Longitudes
    /// How many points lie west of the seam's other side: a world is added to their x.
    var countBeyond: UInt32 = 0
  }

  let monitor: BuildMonitor
  let clusters: UnsafeMutablePointer<Cluster>
  private let reaches: UnsafeMutablePointer<Reach>?
  let leafCount: Int
  var merges: Merges
  private var tree: NeighbourTree
  private var queue = MergeQueue()
  private var liveCount: Int
  /// As the tree was made.
  private var placedCount: Int

  /// - Parameters:
  ///   - leaves: the positions, none of them twice, in Z-order, and how many points they have.
  ///   - crossesSeam: whether clusters may be merged across it.
  init(
    leafCount: Int, crossesSeam: Bool, _ monitor: BuildMonitor,
    leaves: (Int) -> (position: PlanePoint, count: UInt32)
  ) {
    (self.leafCount, self.monitor) = (leafCount, monitor)
    clusters = .allocate(capacity: leafCount)
    reaches = crossesSeam ? .allocate(capacity: leafCount) : nil
    for leaf in 0..<leafCount {
      let (position, count) = leaves(leaf)
      (clusters + leaf).initialize(
        to: Cluster(
          sumX: UInt64(position.x) * UInt64(count), sumY: UInt64(position.y) * UInt64(count), count: count,
          node: UInt32(leaf), place: UInt32(leaf), scale: .zero))
      reaches.map { ($0 + leaf).initialize(to: Reach(longitudes: Longitudes(west: position.x, east: position.x))) }
    }
    merges = Merges(leafCount: leafCount)
    (liveCount, placedCount) = (leafCount, leafCount)
    let clusters = clusters
    tree = Self.tree(of: leafCount, clusters, monitor) { body in
      for leaf in 0..<leafCount { body(UInt32(leaf), leaves(leaf).position) }
    }
  }

  deinit {
    MemoryBlock(clusters, count: leafCount).deallocate()
    if let reaches { MemoryBlock(reaches, count: leafCount).deallocate() }
  }

  /// Merges all. Of no use once the build is cancelled.
  mutating func run(threads: Int) {
    queueLeaves(threads: threads)
    var looks = 0
    while liveCount > 1, let pair = queue.popFirst() {
      looks &+= 1
      if looks & 1023 == 0 && monitor.isCancelled { return }
      prefetchSoon()
      let isFirstThere = clusters[Int(pair.first)].node == pair.firstNode
      let isSecondThere = clusters[Int(pair.second)].node == pair.secondNode
      if isFirstThere && isSecondThere {
        merge(pair)
      } else if pair.isOwnedBySecond ? isSecondThere : isFirstThere {
        enqueue(pair.isOwnedBySecond ? pair.second : pair.first)
      }
    }
  }

  @inline(__always) private func prefetchSoon() {
    queue.forEachSoon { pair in
      prefetch(clusters + Int(pair.first))
      prefetch(clusters + Int(pair.second))
    }
  }

  private mutating func merge(_ pair: QueuedMerge) {
    let (first, second) = (Int(pair.first), Int(pair.second))
    let (a, b) = (clusters[first], clusters[second])
    let scale = max(SeparationCode(roundingDown: pair.squaredDistance), a.scale, b.scale)
    let node = merges.add(a.node, b.node, scale)
    let merged = Cluster(
      sumX: a.sumX &+ b.sumX, sumY: a.sumY &+ b.sumY, count: a.count + b.count, node: node,
      place: a.count < b.count ? b.place : a.place, scale: scale)
    let free = a.count < b.count ? a.place : b.place
    let countBeyond = mergeReaches(first, second, a.count, b.count)
    clusters[first] = merged
    clusters[second].node = Self.noNode
    clusters[first] = merged
    tree.merge(
      pair.first,
      at: PlanePoint(
        x: Self.mean(merged.sumX, beyond: countBeyond, of: merged.count),
        y: Self.mean(merged.sumY, beyond: 0, of: merged.count)),
      into: merged.place, freeing: free)
    liveCount -= 1
    if merges.count.isMultiple(of: Self.mergesBetweenReports) {
      monitor.advance(.merging, by: Self.mergesBetweenReports)
    }
    if liveCount > 1 {
      if liveCount * 2 < placedCount && placedCount > Self.leastToPlaceAnew { placeAnew() }
      enqueue(pair.first)
    }
  }

  static var mergesBetweenReports: Int { 1 << 10 }
  private static var leastToPlaceAnew: Int { 64 }
  private static var noNode: UInt32 { .max }

  /// To the nearest unit, halves up. 2^31 points and two worlds of 2^32 units fit.
  @inline(__always) private static func mean(_ sum: UInt64, beyond: UInt32, of count: UInt32) -> UInt32 {
    let (quotient, remainder) = (sum &+ UInt64(beyond) << 32).quotientAndRemainder(dividingBy: UInt64(count))
    return UInt32(truncatingIfNeeded: quotient &+ (2 &* remainder >= UInt64(count) ? 1 : 0))
  }

  /// - Returns: to how many points of the merged cluster a world is to be added.
  @inline(__always) private func mergeReaches(
    _ first: Int, _ second: Int, _ firstCount: UInt32, _ secondCount: UInt32
  ) -> UInt32 {
    guard let reaches else { return 0 }
    let (a, b) = (reaches[first], reaches[second])
    let longitudes = a.longitudes.joined(with: b.longitudes)
    func countBeyond(_ part: Reach, _ count: UInt32) -> UInt32 {
      if part.longitudes.isAcrossSeam { return part.countBeyond }
      return part.longitudes.west < longitudes.west ? count : 0
    }
    let count = longitudes.isAcrossSeam ? countBeyond(a, firstCount) + countBeyond(b, secondCount) : 0
    reaches[first] = Reach(longitudes: longitudes, countBeyond: count)
    return count
  }
}

// MARK: - Neighbours

extension MergeSequence {
  /// Finds the nearest neighbour of every leaf.
  private mutating func queueLeaves(threads: Int) {
    let count = leafCount
    nonisolated(unsafe) let nearest = UnsafeMutablePointer<NeighbourTree.Nearest>.allocate(capacity: count)
    defer { MemoryBlock(nearest, count: count).deallocate() }
    if count < 2 { return }
    findNearest(nearest, threads: threads)
    for leaf in 0..<UInt32(count) where nearest[Int(leaf)].cluster != NeighbourTree.none && !monitor.isCancelled {
      let found = nearest[Int(leaf)]
      queue.insert(
        QueuedMerge(leaf, node: leaf, with: found.cluster, node: found.cluster, squaredDistance: found.squaredDistance))
    }
  }

  private borrowing func findNearest(_ nearest: UnsafeMutablePointer<NeighbourTree.Nearest>, threads: Int) {
    nonisolated(unsafe) let nearest = nearest
    // A structure that cannot be copied cannot be captured either; it lives until all threads have returned.
    withUnsafePointer(to: self) { sequence in
      nonisolated(unsafe) let sequence = sequence
      _ = inChunks(of: leafCount, threads: threads) { chunk in
        for block in chunk.blocks(of: 1 << 12) where !sequence.pointee.monitor.isCancelled {
          for leaf in block { (nearest + leaf).initialize(to: sequence.pointee.nearest(to: UInt32(leaf))) }
        }
      }
    }
  }

  @inline(__always) private borrowing func nearest(to cluster: UInt32) -> NeighbourTree.Nearest {
    let place = clusters[Int(cluster)].place
    var nearest = tree.nearest(to: cluster, at: place)
    guard let reaches else { return nearest }
    let own = reaches[Int(cluster)].longitudes
    if !own.isWide {
      tree.searchAround(cluster, at: place, &nearest) { other in
        !own.joined(with: reaches[Int(other)].longitudes).isWide
      }
    }
    return nearest
  }

  @inline(__always) private mutating func enqueue(_ cluster: UInt32) {
    let found = nearest(to: cluster)
    if found.cluster == NeighbourTree.none { return }
    queue.insert(
      QueuedMerge(
        cluster, node: clusters[Int(cluster)].node, with: found.cluster, node: clusters[Int(found.cluster)].node,
        squaredDistance: found.squaredDistance))
  }

  /// Makes the tree of neighbours anew, once half of its places are free.
  private mutating func placeAnew() {
    tree = Self.tree(of: liveCount, clusters, monitor) { tree.forEach($0) }
    placedCount = liveCount
  }

  /// Makes a tree of some clusters, and notes their places.
  private static func tree(
    of count: Int, _ clusters: UnsafeMutablePointer<Cluster>, _ monitor: BuildMonitor,
    forEach: ((_ cluster: UInt32, _ position: PlanePoint) -> Void) -> Void
  ) -> NeighbourTree {
    struct Placed {
      var cluster: UInt32
      var position: PlanePoint
    }
    let codes = UnsafeMutableBufferPointer<PlacedNumber>.allocate(capacity: count)
    let placed = UnsafeMutablePointer<Placed>.allocate(capacity: count)
    defer {
      MemoryBlock(codes.baseAddress!, count: count).deallocate()
      MemoryBlock(placed, count: count).deallocate()
    }
    var index = 0
    forEach { cluster, position in
      codes.initializeElement(at: index, to: PlacedNumber(code: HilbertCurve.code(of: position), number: UInt32(index)))
      (placed + index).initialize(to: Placed(cluster: cluster, position: position))
      index += 1
    }
    codes.sortByCode(monitor)
    return NeighbourTree(count: count) { place in
      let next = placed[Int(codes[place].number)]
      clusters[Int(next.cluster)].place = UInt32(place)
      return (next.cluster, next.position)
    }
  }
}
