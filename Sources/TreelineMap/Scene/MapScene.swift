import Treeline

/// The badges on a map, and their motions when the answer changes. A scene has no clock; each call passes the current
/// time.
///
/// ```swift
/// var scene = MapScene()
/// layer.apply(scene.show(answer, at: now))           // badges that appear, disappear or begin to move
/// layer.apply(scene.advance(to: now + 1.0 / 60))     // in each frame, as long as scene.isMoving
/// ```
/// A change starts from the current positions of the badges, even if it interrupts another change. At any moment, each
/// point is counted by at most one badge. For example, while a badge of 5 points splits into badges of 2 and 3 points,
/// the numbers never add up to 10. A counted point remains counted as long as the answers contain it. The page *How
/// badges move* of the documentation states the rules. The map of the server follows the same rules.
///
/// Times are in seconds since an arbitrary moment, and never decrease.
public struct MapScene: Sendable {
  /// Durations of changes.
  public let timing: MapTiming

  /// The badges of the answer, in tree order. While the answer is only partly applied, the remaining badges of the
  /// previous answer are in `rest`.
  var shown: [MapBadge] = []

  /// Badges that the answer no longer contains.
  var leaving: [MapBadge] = []

  /// The part of the answer that has not been applied; nil if the whole answer is applied.
  var rest: PartialAnswer?

  /// The tree of the latest answer; nil if no answer was shown. The clusters of all badges belong to this tree, except
  /// the clusters of badges whose `isForeign` is true.
  public internal(set) var tree: ClusterTree?

  /// The current time.
  private(set) var now = -Double.infinity

  /// Time at which all motions of badges in the answer have ended.
  var until = -Double.infinity

  /// Factor for all durations: 0 to let badges jump, otherwise 1.
  var pace = 1.0

  /// For each cluster with a leaving badge, the index of this badge in `leaving`. The dictionary is made when
  /// `applyRest(limit:)` begins.
  var leavingByCluster: [ClusterID: Int] = [:]

  /// Indices of the badges in `leaving` that count points now or later. The list is made when `applyRest(limit:)`
  /// begins.
  var counting: [Int] = []

  /// Changes that have not been reported to the view yet.
  var change = MapChange()

  private var nextNumber = 0

  /// Creates a scene without badges.
  public init(timing: MapTiming = .standard) { self.timing = timing }

  /// Shows an answer.
  ///
  /// - Parameters:
  ///   - answer: Answer of any tree. When the tree changes, a badge stays if a cluster of the new tree has the same
  ///     position and the same number of points as the badge. After an edit, a badge also stays if its cluster and a
  ///     cluster of the new tree share more than half of their points. All other badges leave without a number,
  ///     because their clusters belong to the old tree.
  ///   - time: Current time.
  ///   - isInstant: Whether badges jump, for example because of reduced motion.
  ///   - limit: Approximate number of badges that may come or go in this call. It may be exceeded, because a split or a
  ///     merge is never divided. `resume(at:limit:)` applies the rest of the answer. Until then, badges of the previous
  ///     answer stay.
  /// - Returns: All changes since the scene last returned changes, including moves.
  /// - Complexity: O(k) if the old and the new answer together have k badges.
  public mutating func show(
    _ answer: MapAnswer, at time: Double, isInstant: Bool = false, limit: Int = .max
  ) -> MapChange {
    bring(to: time)
    joinRest()
    pace = isInstant ? 0 : 1
    if isInstant { settle() }
    var hasSamePoints = true
    if let tree {
      hasSamePoints = tree.isSame(as: answer.tree) && tree.countsSamePoints(as: answer.tree)
      if !tree.isSame(as: answer.tree) { adopt(answer) }
    }
    tree = answer.tree
    rest = PartialAnswer(of: answer, after: shown, hasSamePoints: hasSamePoints)
    shown = []
    return resume(at: time, limit: limit)
  }

  /// Applies the next part of an answer that is only partly shown.
  ///
  /// - Parameters:
  ///   - time: Current time.
  ///   - limit: Approximate number of badges that may come or go in this call.
  /// - Returns: The changes, as for `show`.
  public mutating func resume(at time: Double, limit: Int = .max) -> MapChange {
    bring(to: time)
    applyRest(limit: limit)
    return tell()
  }

  /// Moves all badges to their positions at the given time.
  ///
  /// - Returns: All changes since the scene last returned changes; empty if nothing moves.
  /// - Complexity: O(k) for k badges; O(1) if nothing moves.
  public mutating func advance(to time: Double) -> MapChange {
    let wasMoving = isMoving
    bring(to: time)
    return wasMoving ? tell() : MapChange()
  }

  /// Removes all badges from the map.
  public mutating func clear() -> MapChange {
    joinRest()
    (shown + leaving).forEach { drop($0) }
    (shown, leaving, tree, until) = ([], [], nil, now)
    return tell()
  }

  /// Whether the next frame will differ from the current frame, because a change is in progress.
  public var isMoving: Bool { now < until || !leaving.isEmpty || rest != nil }

  /// Returns whether the scene shows this tree. The filter of the tree does not matter.
  public func shows(_ tree: ClusterTree) -> Bool { self.tree?.isSame(as: tree) ?? false }

  /// Whether the latest answer has been applied completely. Badges may still be moving.
  public var isComplete: Bool { rest == nil }

  /// All badges in the order in which they are drawn: leaving badges, then badges of the answer, then leaving badges
  /// that are drawn above all others.
  public var badges: [MapBadge] {
    leaving.filter { !$0.isAbove } + answerBadges + leaving.filter(\.isAbove)
  }

  /// The badges of the answer, in tree order.
  public var answerBadges: [MapBadge] { shown + (rest?.old ?? []) }

  /// Given the tree index of a point, returns the badge whose cluster contains the point. Returns nil if the answer
  /// has no such badge. Call this function to keep a point selected through splits and merges.
  ///
  /// - Complexity: O(log k) for k badges.
  public func badge(containing index: TreeIndex) -> MapBadge? { badge(containingTreeIndex: index.rawValue) }

  /// Given the number of a point in tree order, returns the badge whose cluster contains the point. Returns nil if the
  /// answer has no such badge.
  package func badge(containingTreeIndex treeIndex: Int) -> MapBadge? {
    for badges in [shown[...], rest?.old ?? []] {
      let index = firstIndex(in: badges.indices) { badges[$0].range.upperBound > treeIndex }
      if index < badges.endIndex, badges[index].range.contains(treeIndex) { return badges[index] }
    }
    return nil
  }
}

// MARK: - Time

extension MapScene {
  private mutating func bring(to time: Double) {
    // If `time` is NaN, the comparison is false, and `now` does not change.
    if time > now { now = time }
  }

  /// Returns the changes since the last call.
  private mutating func tell() -> MapChange {
    for index in shown.indices where !shown[index].isSettled { shown[index].tell(at: now, in: &change) }
    if rest != nil {
      for index in rest!.old.indices where !rest!.old[index].isSettled { rest!.old[index].tell(at: now, in: &change) }
    }
    if !leaving.isEmpty {
      for index in leaving.indices {
        if now < leaving[index].motion.end { leaving[index].tell(at: now, in: &change) } else { drop(leaving[index]) }
      }
      leaving.removeAll { $0.motion.end <= now }
    }
    defer { change = MapChange() }
    return change
  }

  /// Moves all badges to their targets at once.
  private mutating func settle() {
    leaving.forEach { drop($0) }
    leaving = []
    for index in shown.indices { shown[index].settle() }
  }

  mutating func drop(_ badge: MapBadge) { if !badge.isNew { change.removed.append(badge.id) } }

  mutating func makeID() -> MapBadge.ID {
    defer { nextNumber += 1 }
    return MapBadge.ID(number: nextNumber)
  }
}

extension MapBadge {
  fileprivate mutating func tell(at now: Double, in change: inout MapChange) {
    let (before, news) = (appearance, self.news)
    appearance = appearance(at: now)
    isSettled = motion.end <= now && countsFrom <= now && appearsAt <= now && countsUntil == .infinity
    self.news = []
    if news.contains(.isNew) { return change.added.append(self) }
    if news.contains(.isRenewed) || before.isVisible != appearance.isVisible
      || before.showsCount != appearance.showsCount
    {
      change.updated.append(self)
    }
    if news.contains(.isRetargeted) { change.retargeted.append(self) }
    if before.place != appearance.place {
      change.moved.append(MapChange.Move(id: id, place: appearance.place, plane: cluster.plane))
    }
  }

  fileprivate mutating func settle() {
    (motion.from, motion.start, motion.duration) = (motion.to, -.infinity, 0)
    (countsFrom, countsUntil, appearsAt) = (-.infinity, .infinity, -.infinity)
    isSettled = false
  }
}
