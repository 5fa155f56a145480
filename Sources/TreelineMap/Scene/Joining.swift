/// Finds the leaving badges that must move into the badge of a merged cluster, the *whole*. A badge is leaving if the
/// answer no longer contains its cluster. A leaving badge counts its points until its time `countsUntil`. After that
/// time, other badges may count these points. The leaving badge must move into the whole if two conditions are met.
/// First, the whole contains all points of the leaving badge. Second, no other badge would begin to count all these
/// points at `countsUntil`.
struct Joining {
  /// Tree indices (places in the tree) of all points of the merged cluster.
  private let range: Range<Int>

  /// Badges that disappear: each moves into the badge of the merged cluster, and keeps its number until it arrives.
  private(set) var badges: Set<MapBadge.ID> = []

  /// Badges that would later have counted points of a badge in `badges`. Because of the merge, they never get numbers.
  private(set) var replaced: Set<MapBadge.ID> = []

  init(_ range: Range<Int>) { self.range = range }

  /// Finds the leaving badges that must move into the whole.
  ///
  /// - Parameters:
  ///   - leaving: All leaving badges that count points now or will count points later.
  ///   - parts: Badges that merge into the whole.
  /// - Complexity: O(k · (k + m)) for k leaving badges within the whole, and m parts. k is 0 unless this change
  ///   interrupts another change.
  mutating func find(among leaving: [MapBadge], _ parts: ArraySlice<MapBadge>) {
    let within = leaving.filter { $0.isWithin(range) }
    if within.isEmpty { return }
    let all = within + parts
    let joining = within.filter { badge in
      !all.contains { $0.id != badge.id && $0.countsFrom == badge.countsUntil && $0.holds(badge.range) }
    }
    badges = Set(joining.map(\.id))
    replaced = Set(
      all.filter { badge in
        joining.contains { $0.id != badge.id && $0.countsUntil <= badge.countsFrom && $0.holds(badge.range) }
      }.map(\.id))
  }
}
