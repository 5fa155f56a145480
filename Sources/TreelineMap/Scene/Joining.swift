/// The leaving badges that lie within a new whole and are not on their way into another badge.
struct Joining {
  /// Range of the whole's points.
  private let range: Range<Int>

  /// Badges that move to the whole, with their numbers.
  private(set) var badges: Set<MapBadge.ID> = []

  /// Badges that would have taken over from `badges` later, but now never will.
  private(set) var replaced: Set<MapBadge.ID> = []

  init(_ range: Range<Int>) { self.range = range }

  /// - Parameters:
  ///   - leaving: All leaving badges that count points now or later.
  ///   - parts: Parts of the whole.
  /// - Complexity: O(k²) for k badges that leave within the whole; k is 0 unless a change interrupts another change.
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
