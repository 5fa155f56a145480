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
/// In a round all pairs are merged that are no farther apart than some distance. Merges in different places do not
/// depend on each other, so they are made place by place, by several threads, and in an order that is kind to caches:
/// see `MergeRound`. Of each cluster is known up to what distance it has no neighbour, or for which of two neighbours
/// that is known. Only those that may have one are looked at in a round.
///
/// On the circle of longitudes two clusters may be closest across the seam. They are merged there if together they are
/// less than half a world wide; the mean is that of their points laid side by side. For wider ones the seam is the end
/// of the world.
struct MergeSequence: ~Copyable {
  private(set) var merges: Merges
  private let monitor: BuildMonitor
  private let threads: Int
  private let sizes: MergeSizes
  private let live: LiveClusters
  private var grid: MergeGrid
  /// How many numbers of clusters are in use, some of which are free.
  private var count: Int
  private var liveCount: Int
  /// What is found in a round, by the threads and at the end.
  private var parts: ContiguousArray<MergeRound> = []
  private var rest: MergeRound
  /// Clusters whose clearances are to be measured.
  private var changed: ContiguousArray<UInt32> = []

  /// - Parameter live: leaves, all of which there are.
  init(_ live: LiveClusters, leafCount: Int, threads: Int, _ sizes: MergeSizes, _ monitor: BuildMonitor) {
    (self.live, self.monitor, self.threads, self.sizes) = (live, monitor, threads, sizes)
    (count, liveCount) = (leafCount, leafCount)
    monitor.pass(over: 0..<leafCount) { block in
      (live.groups + block.lowerBound).initialize(repeating: LiveClusters.noGroup, count: block.count)
    }
    merges = Merges(leafCount: leafCount)
    grid = MergeGrid(live.links, shift: 0, isCyclic: live.crossesSeam, tileCount: 0)
    rest = MergeRound(live, grid, number: Self.greatestPartCount, monitor)
  }

  deinit {
    nonisolated(unsafe) let (live, grid) = (live, grid)
    monitor.deallocate {
      live.deallocate()
      grid.deallocate()
    }
  }

  /// Merges all. Of no use once the build is cancelled.
  mutating func run() {
    if liveCount > sizes.fewClusters {
      placeAnew(shift: MergeGrid.firstShift(for: live, count: count, monitor))
      measureClearances(0..<count) { UInt32($0) }
    }
    var round: UInt8 = 0
    while liveCount > 1 && !monitor.isCancelled {
      if liveCount <= sizes.fewClusters {
        mergeAsOneGroup(upTo: .max, isOnGrid: false)
        return
      }
      // The next round in which there is anything to be looked at.
      while !live.isAnyDue(0..<count, in: round) { round += 1 }
      let greatest = MergeRounds.greatest(of: round)
      if greatest > Self.wideDistance * Self.wideDistance {
        mergeAsOneGroup(upTo: greatest, isOnGrid: false)
        // The next round comes next, whoever is close.
        for cluster in 0..<count where live.isLive(cluster) { live.rounds[cluster] = round + 1 }
      } else {
        let shift = UInt32(Int.bitWidth - greatest.leadingZeroBitCount + 1) / 2
        if shift > grid.shift { placeAnew(shift: shift) }
        merge(round)
      }
    }
  }

  /// From here on all clusters are one group: there are some hundred, and the world is round.
  private static var wideDistance: UInt64 { 1 << 28 }
  /// If most clusters are postponed, and so many, they are one group.
  private static var manyPostponed: Int { 1 << 12 }
  private static var greatestPartCount: Int { 63 }
}

/// How work is divided, which does not change the tree.
struct MergeSizes: Hashable, Sendable {
  /// How many clusters a thread looks at, or more.
  var leastPart = 1 << 13
  /// So few clusters, or fewer, are merged in one go. At least 2.
  var fewClusters = 32
}

// MARK: - Rounds

extension MergeSequence {
  private mutating func merge(_ round: UInt8) {
    let partCount = max(min(4 * threads, Self.greatestPartCount, count / sizes.leastPart), 1)
    let (monitor, count) = (monitor, count)
    nonisolated(unsafe) let grid = grid
    while parts.count < partCount { parts.append(MergeRound(live, grid, number: parts.count, monitor)) }
    parts.removeSubrange(partCount...)
    parts.withUnsafeMutableBufferPointer { parts in
      nonisolated(unsafe) let parts = parts
      WorkQueue(Array(0..<partCount)).run(threads: min(threads, partCount)) { part in
        parts[part].begin(round, grid, part: count * part / partCount..<count * (part + 1) / partCount)
        parts[part].findGroups()
        return []
      }
    }
    rest.begin(round, grid, part: 0..<count)
    let postponedCount = parts.reduce(0) { $0 + $1.postponed.count }
    let isOneGroup = postponedCount > max(count / 2, Self.manyPostponed)
    if !isOneGroup { rest.findPostponedGroups(among: &parts) }
    if monitor.isCancelled { return }
    if isOneGroup || rest.isOneGroup || parts.contains(where: \.isOneGroup) {
      for cluster in 0..<count { live.groups[cluster] = LiveClusters.noGroup }
      mergeAsOneGroup(upTo: MergeRounds.greatest(of: round), isOnGrid: true)
      changed.removeAll(keepingCapacity: true)
      for cluster in 0..<count where live.rounds[cluster] <= round { changed.append(UInt32(cluster)) }
      measureClearances(changed.indices, after: round) { [changed] in changed[$0] }
      return
    }
    changed.removeAll(keepingCapacity: true)
    for number in 0...partCount { noteUntouched(number < partCount ? parts[number] : rest, round) }
    for number in 0...partCount { apply(number < partCount ? parts[number] : rest, round) }
    measureClearances(changed.indices, after: round) { [changed] in changed[$0] }
  }

  private mutating func noteUntouched(_ part: MergeRound, _ round: UInt8) {
    for untouched in part.untouched where live.groups[Int(untouched.cluster)] == untouched.group {
      if untouched.next != 0 {
        live.rounds[Int(untouched.cluster)] = max(untouched.next, round + 1)
      } else if untouched.group == LiveClusters.noGroup {
        changed.append(untouched.cluster)
      }
    }
  }

  /// Makes all merges that were found in a part.
  private mutating func apply(_ part: MergeRound, _ round: UInt8) {
    for group in part.groups where !group.isGivenUp {
      if merges.count & 0xFFF == 0 && monitor.isCancelled { return }
      prefetchSoon(part.merges[group.merges.upperBound...])
      for merge in part.merges[group.merges] { apply(merge) }
      for member in part.members[group.members] {
        live.groups[Int(member)] = LiveClusters.noGroup
        if live.rounds[Int(member)] <= round { changed.append(member) }
      }
    }
  }

  /// Merges all clusters as far as a round goes, wherever they are.
  ///
  /// - Parameter isOnGrid: whether the grid is needed any more.
  private mutating func mergeAsOneGroup(upTo greatest: UInt64, isOnGrid: Bool) {
    var merging = GroupMerging()
    merging.run(
      ContiguousArray((0..<UInt32(count)).filter { live.isLive(Int($0)) }), of: live, upTo: greatest, monitor)
    if monitor.isCancelled { return }
    for merge in merging.merges {
      if merges.count & 0xFFF == 0 && monitor.isCancelled { return }
      apply(merge, isOnGrid: isOnGrid)
    }
  }

  @inline(__always) private mutating func apply(_ merge: RoundMerge, isOnGrid: Bool = true) {
    let (first, second) = (Int(merge.first), Int(merge.second))
    live.join(first, second, merge.scale, in: &merges)
    if isOnGrid {
      grid.remove(merge.second)
      grid.move(merge.first, to: merge.position)
    } else {
      live.links[first].position = merge.position
    }
    liveCount -= 1
    if merges.count.isMultiple(of: Self.mergesBetweenReports) {
      monitor.advance(.merging, by: Self.mergesBetweenReports)
    }
  }

  /// Has the machine fetch what merges that are soon to be applied will touch.
  @inline(__always) private func prefetchSoon(_ merges: ContiguousArray<RoundMerge>.SubSequence) {
    if merges.count > 16 {
      let later = merges[merges.startIndex + 16]
      for cluster in [Int(later.first), Int(later.second)] {
        prefetch(live.nodes + cluster)
        prefetch(live.sums + cluster)
        prefetch(live.links + cluster)
      }
      grid.prefetch(.entries, near: later.position, within: 0)
      grid.prefetch(.tiles, near: merges[merges.startIndex + 8].position, within: 0)
    }
  }

  private static var mergesBetweenReports: Int { 1 << 10 }
}

// MARK: - Places

extension MergeSequence {
  /// Finds out for some clusters in which round they are to be looked at next.
  ///
  /// - Parameter last: the round that is over, if one is.
  private func measureClearances(
    _ range: Range<Int>, after last: UInt8? = nil, cluster: @Sendable (Int) -> UInt32
  ) {
    nonisolated(unsafe) let (live, grid) = (live, grid)
    let (monitor, next) = (monitor, last.map { $0 + 1 } ?? 0)
    _ = inChunks(of: range.count, threads: threads) { chunk in
      for block in chunk.blocks(of: 16) {
        if (block.lowerBound &- chunk.lowerBound) & 0xFFF == 0 && monitor.isCancelled { return }
        for step in MergeGrid.Step.allCases {
          for index in block {
            let position = live.links[Int(cluster(range.lowerBound + index))].position
            grid.prefetch(step, near: position, within: 1 << Int(grid.shift))
          }
        }
        for index in block {
          let cluster = cluster(range.lowerBound + index)
          guard live.isLive(Int(cluster)) else { continue }
          // Some are close across the seam and never merged there.
          live.rounds[Int(cluster)] = max(MergeRounds.round(of: grid.clearance(of: cluster)), next)
        }
      }
    }
  }

  /// Numbers the clusters anew and puts them into a new grid.
  private mutating func placeAnew(shift: UInt32) {
    if liveCount < count { count = live.renumber(count, monitor) }
    grid.deallocate()
    grid = MergeGrid(of: live, count: count, shift: shift, monitor)
  }
}
