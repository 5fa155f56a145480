import Treeline

/// Finds out what is merged in a round, group by group, and changes nothing yet.
///
/// A group is some clusters with all that are close enough to one of them to be merged in this round. Its clusters are
/// merged as if there were no others. That is what happens as long as no cluster that ever was in one group is close
/// enough to one that ever was in another; where that is not certain, the groups are made one and begin anew.
///
/// Means of points lie between them: let C and D be clusters, each a mean of clusters of the round's beginning. The
/// square of the distance between C and D is the mean of the squared distances between those of C and those of D, less
/// the spread of C and that of D. So two groups stay apart if the squared distances between their clusters exceed the
/// round's greatest by the spreads of both. A cluster in no group has no spread; to it the distances from all clusters
/// of a group are measured.
///
/// Threads look for the groups that begin in their part of the clusters, and leave those that may reach beyond to the
/// end of the round.
struct MergeRound {
  struct Group {
    var members: Range<Int>
    var merges: Range<Int>
    /// See `GroupMerging.spread`.
    var spread: Double
    /// It has become part of another.
    var isGivenUp = false
  }

  /// A cluster that is not merged if that is its group in the end, and the round in which it is to be looked at next.
  struct Untouched {
    var cluster: UInt32
    var group: UInt32
    /// 0 if it is not known.
    var next: UInt8
  }

  private(set) var groups: ContiguousArray<Group> = []
  private(set) var members: ContiguousArray<UInt32> = []
  private(set) var merges: ContiguousArray<RoundMerge> = []
  /// Clusters that are not merged.
  private(set) var untouched: ContiguousArray<Untouched> = []
  /// Clusters whose groups may reach beyond the part.
  private(set) var postponed: ContiguousArray<UInt32> = []
  /// Of all groups.
  private(set) var greatestSpread = 0.0
  /// Whether all clusters have to be one group.
  private(set) var isOneGroup = false

  private let live: LiveClusters
  private var grid: MergeGrid
  private var round: UInt8 = 0
  private var greatest: UInt64 = 0
  /// The part of the clusters that is looked at.
  private var part: Range<UInt32> = 0..<0
  /// Of the part, and of groups in it.
  private let number: UInt32
  private let monitor: BuildMonitor

  /// Clusters that are looked at next.
  private var due: ContiguousArray<UInt32> = []
  // Of the group in hand.
  private var group: ContiguousArray<UInt32> = []
  private var searchedCount = 0
  private var joinsAll = false
  private var neighbours: ContiguousArray<Neighbour> = []
  private var merging = GroupMerging()

  /// A cluster that may be close to a member of the group later on.
  private struct Neighbour {
    var member: UInt32
    var cluster: UInt32
    var squaredDistance: UInt64
  }

  /// In groups of so many each of the untouched is measured.
  private static let fewMembers = 16
  /// A group of more is large, and if it is a quarter of all clusters, it is made that of all.
  private static let manyMembers = 1 << 9

  /// Of the number of a group, behind that of its part.
  private static let groupBits: UInt32 = 26

  /// - Parameter number: of the part, below 64.
  init(_ live: LiveClusters, _ grid: MergeGrid, number: Int, _ monitor: BuildMonitor) {
    (self.live, self.grid, self.monitor, self.number) = (live, grid, monitor, UInt32(number))
  }

  /// Forgets the round before; the memory for what it found is used again.
  ///
  /// - Parameter part: the numbers of the clusters to be looked at.
  mutating func begin(_ round: UInt8, _ grid: MergeGrid, part: Range<Int>) {
    (self.round, self.grid, greatest) = (round, grid, MergeRounds.greatest(of: round))
    self.part = UInt32(part.lowerBound)..<UInt32(part.upperBound)
    groups.removeAll(keepingCapacity: true)
    members.removeAll(keepingCapacity: true)
    merges.removeAll(keepingCapacity: true)
    untouched.removeAll(keepingCapacity: true)
    postponed.removeAll(keepingCapacity: true)
    (greatestSpread, isOneGroup) = (0, false)
  }
}

// MARK: - Groups

extension MergeRound {
  /// Looks for the groups of a part by itself.
  mutating func findGroups() {
    var looks = 0
    let (live, monitor) = (live, monitor)
    due.removeAll(keepingCapacity: true)
    live.forEachLive(Int(part.lowerBound)..<Int(part.upperBound), in: round) { cluster in
      due.append(UInt32(cluster))
      if due.count < Self.dueCount { return true }
      findGroupsOfDue()
      due.removeAll(keepingCapacity: true)
      looks &+= 1
      return !isOneGroup && (looks & 0x3F != 0 || !monitor.isCancelled)
    }
    if !isOneGroup { findGroupsOfDue() }
  }

  /// So many clusters are looked at together, while the memory of all is on its way.
  private static let dueCount = 16

  private mutating func findGroupsOfDue() {
    var none: ContiguousArray<MergeRound> = []
    let reach = Int(Self.reach(greatest, 2 * Self.usualSpread(greatest))) + 1
    for step in MergeGrid.Step.allCases {
      for cluster in due { grid.prefetch(step, near: live.links[Int(cluster)].position, within: reach) }
    }
    for index in due.indices where live.groups[Int(due[index])] == LiveClusters.noGroup && !isOneGroup {
      findGroup(of: due[index], among: &none)
    }
  }

  /// Looks for the groups that were postponed.
  ///
  /// - Parameter others: the rounds of all parts.
  mutating func findPostponedGroups(among others: inout ContiguousArray<MergeRound>) {
    for other in others {
      for cluster in other.postponed { live.groups[Int(cluster)] = LiveClusters.noGroup }
    }
    for other in others.indices where !isOneGroup {
      for cluster in others[other].postponed
      where live.groups[Int(cluster)] == LiveClusters.noGroup && !isOneGroup && !monitor.isCancelled {
        findGroup(of: cluster, among: &others)
      }
    }
  }

  /// - Parameter others: the rounds of all parts; none if this is one of them.
  private mutating func findGroup(of cluster: UInt32, among others: inout ContiguousArray<MergeRound>) {
    group.removeAll(keepingCapacity: true)
    neighbours.removeAll(keepingCapacity: true)
    searchedCount = 0
    let isWhole = !others.isEmpty
    let usual = Self.usualSpread(greatest)
    let greatestSpread = others.reduce(max(usual, greatestSpread)) { max($0, $1.greatestSpread) }
    var ownSpread = usual
    // A large group that begins anew takes all in that may ever come close: then it need not again.
    joinsAll = false
    join(cluster)
    while true {
      let reach = Self.reach(greatest, ownSpread + greatestSpread)
      if reach > Double(8 << UInt64(grid.shift)) {
        isOneGroup = true
        return
      }
      guard searchNeighbours(within: reach, among: &others) else { return postpone() }
      if group.count == 1 {
        live.groups[Int(cluster)] = LiveClusters.noGroup
        noteUntouched(cluster)
        return
      }
      if isWhole && group.count > max(part.count / 4, Self.manyMembers) {
        isOneGroup = true
        return
      }
      if group.count > 2 || group[0] > group[1] { group.sort() }
      merging.run(group, of: live, upTo: greatest, monitor)
      if merging.hasJumped || monitor.isCancelled {
        isOneGroup = true
        return
      }
      if merging.spread > ownSpread {
        if !isWhole { return postpone() }
        // Farther neighbours count.
        ownSpread = 1.5 * merging.spread
        joinsAll = group.count > Self.manyMembers
        searchedCount = 0
        neighbours.removeAll(keepingCapacity: true)
        continue
      }
      let count = group.count
      guard joinAllInReach(among: &others) else { return postpone() }
      if group.count == count { break }
      joinsAll = joinsAll || group.count > Self.manyMembers
      // Sorting has moved members that were searched.
      searchedCount = 0
      neighbours.removeAll(keepingCapacity: true)
    }
    keepGroup()
  }

  /// What few groups exceed; of a pair it is a quarter of the squared distance or less.
  private static func usualSpread(_ greatest: UInt64) -> Double {
    let edge = Double(greatest).squareRoot() + 2 * GroupMerging.rounding
    return edge * edge * 0.36
  }

  /// How far apart clusters are at least that stay apart whatever becomes of them.
  private static func reach(_ greatest: UInt64, _ spread: Double) -> Double {
    let edge = Double(greatest).squareRoot() + 2 * GroupMerging.rounding
    return (edge * edge + spread).squareRoot() + 2 * GroupMerging.rounding
  }

  @inline(__always) private mutating func join(_ cluster: UInt32) {
    live.groups[Int(cluster)] = number &<< Self.groupBits | UInt32(groups.count)
    group.append(cluster)
  }

  private mutating func postpone() {
    for member in group { live.groups[Int(member)] = LiveClusters.postponed }
    postponed.append(contentsOf: group)
  }

  private mutating func noteUntouched(_ cluster: UInt32) {
    let nearest = neighbours.reduce(UInt64.max) { $1.member == cluster ? min($0, $1.squaredDistance) : $0 }
    untouched.append(
      Untouched(
        cluster: cluster, group: live.groups[Int(cluster)], next: nearest == .max ? 0 : MergeRounds.round(of: nearest)))
  }

  private mutating func keepGroup() {
    if group.count > 2 && group.count <= Self.fewMembers {
      for member in group where !merging.merges.contains(where: { $0.first == member || $0.second == member }) {
        noteUntouched(member)
      }
    }
    let (firstMember, firstMerge) = (members.count, merges.count)
    members.append(contentsOf: group)
    merges.append(contentsOf: merging.merges)
    groups.append(
      Group(
        members: firstMember..<members.count, merges: firstMerge..<merges.count, spread: merging.spread))
    greatestSpread = max(greatestSpread, merging.spread)
  }

  /// Lets all join that are close to a member, and to these, and so on, and notes what else is near.
  ///
  /// - Returns: whether all members are of this part.
  private mutating func searchNeighbours(within reach: Double, among others: inout ContiguousArray<MergeRound>) -> Bool
  {
    let (distance, square) = (Int(reach) + 1, UInt64(reach * reach) + 1)
    let own = number &<< Self.groupBits | UInt32(groups.count)
    let (live, grid) = (live, grid)
    var (isInPart, absorbed) = (true, LiveClusters.noGroup)
    while searchedCount < group.count && isInPart {
      if searchedCount & 0xFFF == 0xFFF && monitor.isCancelled { return false }
      let member = group[searchedCount]
      let position = live.links[Int(member)].position
      searchedCount += 1
      grid.forEach(near: position, within: distance) { cluster, otherPosition in
        if cluster == member { return }
        let squaredDistance = grid.squaredDistance(position, otherPosition)
        if squaredDistance > square { return }
        if squaredDistance > greatest && !joinsAll {
          neighbours.append(Neighbour(member: member, cluster: cluster, squaredDistance: squaredDistance))
        } else if !part.contains(cluster) || live.groups[Int(cluster)] == LiveClusters.postponed {
          isInPart = false
        } else if live.groups[Int(cluster)] == LiveClusters.noGroup {
          join(cluster)
        } else if live.groups[Int(cluster)] != own {
          absorbed = live.groups[Int(cluster)]
        }
      }
      if absorbed != LiveClusters.noGroup {
        absorb(absorbed, among: &others)
        absorbed = LiveClusters.noGroup
      }
    }
    return isInPart
  }

  /// Lets those join that may be close to a cluster of the group at some moment.
  ///
  /// - Returns: whether all are of this part.
  private mutating func joinAllInReach(among others: inout ContiguousArray<MergeRound>) -> Bool {
    let own = number &<< Self.groupBits | UInt32(groups.count)
    let areFew = merging.merges.count <= Self.fewMembers
    if !areFew && !joinAllClose(own) { return false }
    for neighbour in neighbours {
      let cluster = Int(neighbour.cluster)
      guard part.contains(neighbour.cluster), live.groups[cluster] != LiveClusters.postponed else {
        // Another thread may merge it: it may be looked at in this round, or may join a group as this member did.
        let mayMove =
          part.contains(neighbour.cluster) || live.rounds[cluster] <= round
          || live.rounds[Int(neighbour.member)] > round
        if mayMove && isInReach(neighbour, spread: Self.usualSpread(greatest))
          || areFew && isClose(neighbour.cluster)
        {
          return false
        }
        continue
      }
      let group = live.groups[cluster]
      if group == own { continue }
      if group == LiveClusters.noGroup {
        if areFew && isClose(neighbour.cluster) { join(neighbour.cluster) }
      } else if isInReach(neighbour, spread: self.group(group, among: others).spread) {
        absorb(group, among: &others)
      }
    }
    return true
  }

  /// Lets those join that are in no group and close to one of those that the group's were merged into.
  ///
  /// - Returns: whether all are of this part.
  private mutating func joinAllClose(_ own: UInt32) -> Bool {
    let (live, grid, distance) = (live, grid, Int(Double(greatest).squareRoot()) + 1)
    var isInPart = true
    for merge in merging.merges where isInPart {
      grid.forEach(near: merge.position, within: distance) { cluster, position in
        let group = live.groups[Int(cluster)]
        if group == own || grid.squaredDistance(merge.position, position) > greatest { return }
        if !part.contains(cluster) || group == LiveClusters.postponed {
          isInPart = false
        } else if group == LiveClusters.noGroup {
          join(cluster)
        }
      }
    }
    return isInPart
  }

  /// Whether a cluster of a group of some spread may come close to a cluster of this one.
  @inline(__always) private func isInReach(_ neighbour: Neighbour, spread: Double) -> Bool {
    let reach = Self.reach(greatest, merging.spread + spread)
    return Double(neighbour.squaredDistance) <= reach * reach
  }

  /// Whether a cluster is close to one of those that the group's were merged into.
  @inline(__always) private func isClose(_ cluster: UInt32) -> Bool {
    let position = live.links[Int(cluster)].position
    return merging.merges.contains { grid.squaredDistance($0.position, position) <= greatest }
  }

  private func group(_ number: UInt32, among others: ContiguousArray<MergeRound>) -> Group {
    let (part, index) = (number >> Self.groupBits, Int(number & (1 << Self.groupBits - 1)))
    return part == self.number ? groups[index] : others[Int(part)].groups[index]
  }

  /// Makes another group part of this one.
  private mutating func absorb(_ number: UInt32, among others: inout ContiguousArray<MergeRound>) {
    let (part, index) = (number >> Self.groupBits, Int(number & (1 << Self.groupBits - 1)))
    if part == self.number {
      groups[index].isGivenUp = true
      for member in groups[index].members { join(members[member]) }
    } else {
      for member in others[Int(part)].giveUp(index) { join(member) }
    }
  }

  /// - Returns: the members of a group that is no more.
  private mutating func giveUp(_ index: Int) -> ContiguousArray<UInt32>.SubSequence {
    groups[index].isGivenUp = true
    return members[groups[index].members]
  }
}
