import Treeline

/// The badges on a map and their motions when the answer changes. This value has no clock: its methods are given the
/// time.
///
/// ```swift
/// var scene = MapScene()
/// view.apply(scene.show(answer, at: now))           // the change: badges that come, go and set out
/// view.apply(scene.advance(to: now + 1.0 / 60))     // in each frame, as long as scene.isMoving
/// ```
///
/// A change starts from the current positions of the badges, so a change that interrupts another change continues from
/// there. At any moment at most one badge counts each point: while a badge of 5 points splits into badges of 2 and 3
/// points, the map never shows 10 points. A point that is counted stays counted as long as it is in the answers. The
/// rules are on the page *How badges move* of Treeline's documentation; the server's map follows the same rules.
///
/// Times are in seconds from any origin and never decrease.
public struct MapScene: Sendable {
  /// Durations of changes.
  public let timing: MapTiming

  /// The badges of the answer in tree order: first the applied part of the latest answer, and then badges of the
  /// previous answer.
  var shown: [MapBadge] = []

  /// Badges that are no longer in the answer.
  var leaving: [MapBadge] = []

  /// The part of an answer that is not applied yet.
  var rest: PartialAnswer?

  /// The tree of the latest answer; nil until an answer is shown. The clusters of all badges belong to it, except those
  /// of foreign badges.
  public internal(set) var tree: ClusterTree?

  /// The latest time.
  private(set) var now = -Double.infinity

  /// Time at which all badges have arrived.
  var until = -Double.infinity

  /// Factor of all durations: 0 if nothing moves.
  var pace = 1.0

  /// Indices in `leaving` by cluster, while an answer is applied.
  var leavingByCluster: [ClusterID: Int] = [:]

  /// Indices of the leaving badges that count points now or later, as of the start of the answer's application.
  var counting: [Int] = []

  /// Changes that the view does not know yet.
  var change = MapChange()

  private var nextNumber = 0

  /// Creates a map that shows nothing yet.
  public init(timing: MapTiming = .standard) { self.timing = timing }

  /// Shows another answer.
  ///
  /// - Parameters:
  ///   - answer: Answer of any tree. If the tree is not the same as before, a badge that keeps its position and number
  ///     stays. All other badges leave without a number, since their clusters mean nothing in the new tree.
  ///   - time: Current time.
  ///   - isInstant: Whether badges jump, for example because reduced motion is preferred.
  ///   - limit: Approximate number of badges that may come and go at once. It may be exceeded, since a split or a merge
  ///     is never divided. `resume(at:limit:)` continues with the rest of the answer. Until then, badges of the
  ///     previous answer stay.
  /// - Returns: All changes since a method of this scene last returned a change, including moves.
  /// - Complexity: O(k), the number of badges of both answers.
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

  /// Continues with an answer that was shown in part.
  ///
  /// - Parameters:
  ///   - time: Current time.
  ///   - limit: Approximate number of badges that may come and go.
  /// - Returns: The changes, as `show` returns them.
  public mutating func resume(at time: Double, limit: Int = .max) -> MapChange {
    bring(to: time)
    applyRest(limit: limit)
    return tell()
  }

  /// Brings all badges to their positions at a time.
  ///
  /// - Returns: All changes since a method of this scene last returned a change; empty if nothing moves.
  /// - Complexity: O(k); O(1) if nothing moves.
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

  /// Whether any change is in progress, so that the next frame differs.
  public var isMoving: Bool { now < until || !leaving.isEmpty || rest != nil }

  /// Returns whether the scene shows this tree, under any filter.
  public func shows(_ tree: ClusterTree) -> Bool { self.tree?.isSame(as: tree) ?? false }

  /// Whether all of the latest answer has been applied, even if badges are still moving.
  public var isComplete: Bool { rest == nil }

  /// All badges. Leaving badges come first, except leaving badges that are drawn above all other badges. These come
  /// last.
  public var badges: [MapBadge] {
    leaving.filter { !$0.isAbove } + answerBadges + leaving.filter(\.isAbove)
  }

  /// The badges of the answer, in tree order.
  public var answerBadges: [MapBadge] { shown + (rest?.old ?? []) }

  /// Returns the badge of the answer that contains a point, given its index in tree order. With it, a selection
  /// survives splits and merges.
  ///
  /// - Complexity: O(log k)
  public func badge(containingTreeIndex treeIndex: Int) -> MapBadge? {
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
    // NaN is not later than any time.
    if time > now { now = time }
  }

  /// Returns what has changed in the scene since the previous call.
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

  /// Brings all badges to their targets at once.
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
