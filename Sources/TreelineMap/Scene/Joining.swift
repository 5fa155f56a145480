/// What leaves within a new whole, and is not on its way into another badge.
struct Joining {
  /// Of the whole.
  private let range: Range<Int>

  /// What goes to the whole, with its number.
  private(set) var badges: Set<MapBadge.ID> = []

  /// What was to take over from them, and never will.
  private(set) var replaced: Set<MapBadge.ID> = []

  init(_ range: Range<Int>) { self.range = range }

  /// - Parameters:
  ///   - leaving: All that leave and count points now or later.
  ///   - parts: Of the whole.
  /// - Complexity: O(k²) for k badges that leave within the whole; k is 0 where no change interrupts another.
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
