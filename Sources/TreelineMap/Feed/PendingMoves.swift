/// Moves that have not been passed on yet. Only the latest move of each badge is kept. The badge that has waited
/// longest comes first.
struct PendingMoves {
  private var order: [MapBadge.ID] = []
  private var latest: [MapBadge.ID: MapChange.Move] = [:]

  var isEmpty: Bool { latest.isEmpty }

  mutating func add(_ moves: [MapChange.Move]) {
    for move in moves where latest.updateValue(move, forKey: move.id) == nil { order.append(move.id) }
  }

  mutating func remove(_ badges: [MapBadge.ID]) {
    guard !latest.isEmpty else { return }
    for id in badges { latest[id] = nil }
    order.removeAll { latest[$0] == nil }
  }

  /// Removes and returns the first `count` moves, or all moves if there are fewer than `count`.
  mutating func next(_ count: Int) -> [MapChange.Move] {
    let ids = order.prefix(count)
    order.removeFirst(ids.count)
    return ids.compactMap { latest.removeValue(forKey: $0) }
  }
}
