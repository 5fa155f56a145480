import Treeline

/// What a map shows, and how it moves when the answer changes: a value without a clock, which is told the time.
///
/// ```swift
/// var scene = MapScene()
/// view.apply(scene.show(answer, at: now))           // the difference: which badges come, go and set out
/// view.apply(scene.advance(to: now + 1.0 / 60))     // in each frame, as long as scene.isMoving
/// ```
///
/// A change starts from where badges are at that moment, so one that comes in the middle of another goes on from there.
/// At any moment each point is in the number of one badge at most: 2 and 3 that come out of 5 never look like 10. A
/// point that is in a number stays in one as long as it is in the answers. The rules are on the page *How badges move*
/// of Treeline's documentation; the server's map moves by the same.
///
/// Times are in seconds from whenever you like, and never fall.
public struct MapScene: Sendable {
  /// How long changes take.
  public let timing: MapTiming

  /// The badges of the answer in tree order: as far as it is applied of the latest, then those of the one before.
  var shown: [MapBadge] = []

  /// Those that are in the answer no longer.
  var leaving: [MapBadge] = []

  /// The rest of an answer that is not applied yet.
  var rest: PartialAnswer?

  /// The tree of the latest answer, which has the clusters of all badges but those that are foreign; nil as long as
  /// nothing was shown.
  public internal(set) var tree: ClusterTree?

  /// The latest time.
  private(set) var now = -Double.infinity

  /// When all has arrived.
  var until = -Double.infinity

  /// What durations are multiplied by: 0 where nothing moves.
  var pace = 1.0

  /// Where those that leave are, by their cluster, while an answer is applied.
  var leavingByCluster: [ClusterID: Int] = [:]

  /// Which of those that leave count points now or later, as of the beginning of that.
  var counting: [Int] = []

  /// What has changed since the view was told.
  var change = MapChange()

  private var nextNumber = 0

  /// A map that shows nothing yet.
  public init(timing: MapTiming = .standard) { self.timing = timing }

  /// Shows another answer.
  ///
  /// - Parameters:
  ///   - answer: Of whatever tree. Where it is another tree than before, a badge that stands at the same place with the
  ///     same number stays; others leave without a number, since their clusters mean nothing in the new tree.
  ///   - time: When.
  ///   - isInstant: Whether nothing moves, as where reduced motion is preferred.
  ///   - limit: How many badges may come and go at once; `resume(at:limit:)` goes on with the rest, and the badges of
  ///     the answer before stay until then. Each part is whole in itself: a split or a merge is never divided.
  /// - Returns: The difference from what was told last, with all that has moved since.
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

  /// Goes on with an answer that was shown in part.
  ///
  /// - Parameters:
  ///   - time: When.
  ///   - limit: How many badges may come and go.
  /// - Returns: As `show` does.
  public mutating func resume(at time: Double, limit: Int = .max) -> MapChange {
    bring(to: time)
    applyRest(limit: limit)
    return tell()
  }

  /// Brings all badges to where they are at a time.
  ///
  /// - Returns: What differs from what was told last: nothing where nothing moves.
  /// - Complexity: O(k); O(1) where nothing moves.
  public mutating func advance(to time: Double) -> MapChange {
    let wasMoving = isMoving
    bring(to: time)
    return wasMoving ? tell() : MapChange()
  }

  /// Takes all badges off the map.
  public mutating func clear() -> MapChange {
    joinRest()
    (shown + leaving).forEach { drop($0) }
    (shown, leaving, tree, until) = ([], [], nil, now)
    return tell()
  }

  /// Whether anything is under way, so that the next frame differs.
  public var isMoving: Bool { now < until || !leaving.isEmpty || rest != nil }

  /// Whether what is shown is of a tree, by whatever filter.
  public func shows(_ tree: ClusterTree) -> Bool { self.tree?.isSame(as: tree) ?? false }

  /// Whether all of the latest answer is shown, whatever is still on its way.
  public var isComplete: Bool { rest == nil }

  /// All badges, those that leave first but for those that are above the others.
  public var badges: [MapBadge] {
    leaving.filter { !$0.isAbove } + answerBadges + leaving.filter(\.isAbove)
  }

  /// The badges of the answer, in tree order.
  public var answerBadges: [MapBadge] { shown + (rest?.old ?? []) }

  /// The badge of the answer that holds a point, by its index in tree order. So what is selected stays selected,
  /// whatever splits and merges.
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
    // NaN is no later than any time.
    if time > now { now = time }
  }

  /// Lists what differs from what was told last.
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

  /// Brings all to where it goes, at once.
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
