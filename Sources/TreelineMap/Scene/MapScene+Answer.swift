import Treeline

/// An answer that is being applied in tree order, and the badges that it replaces.
struct PartialAnswer: Sendable {
  let answer: MapAnswer
  /// Badges of the previous answer that have not been handled.
  var old: ArraySlice<MapBadge>
  /// Clusters of the new answer that have not been applied.
  var new: ArraySlice<ShownCluster>
  /// Delay between the appearances of two successive badges, as a fraction of `MapTiming.wave`; 0 unless the map was
  /// empty.
  let delay: Double
  /// Whether the previous and the new answer count the same points of the same tree. If so, a cluster that is in both
  /// answers keeps its points and its number.
  let hasSamePoints: Bool

  init(of answer: MapAnswer, after old: [MapBadge], hasSamePoints: Bool) {
    (self.answer, self.old, new, self.hasSamePoints) = (answer, old[...], answer.shown[...], hasSamePoints)
    delay = old.isEmpty ? 1 / Double(max(answer.shown.count, 1)) : 0
  }
}

extension MapScene {
  /// Discards the part of an answer that has not been applied. This part would have replaced badges of the previous
  /// answer. These badges stay.
  mutating func joinRest() {
    guard let rest else { return }
    shown += rest.old
    self.rest = nil
  }

  /// Replaces the badges of the previous answer in tree order, until at least `limit` badges have come or gone, or
  /// until the whole new answer is applied.
  mutating func applyRest(limit: Int) {
    guard var rest else { return }
    self.rest = nil
    lookAtLeaving()
    shown.reserveCapacity(shown.count + rest.new.count)
    if !counting.isEmpty { handOverToEntering(limit: limit, &rest) }
    var budget = limit
    while budget > 0, let step = rest.next() {
      apply(step, of: &rest)
      budget -= step.count
    }
    leaving.removeAll { $0.isGone }
    if !rest.old.isEmpty || !rest.new.isEmpty { self.rest = rest }
  }

  /// Fills `leavingByCluster` and `counting` from the leaving badges of the current tree, before the next part of the
  /// answer is applied. If a badge begins to leave while this part is applied, it is not included, because it does not
  /// affect this part.
  private mutating func lookAtLeaving() {
    (leavingByCluster, counting) = ([:], [])
    for (index, badge) in leaving.enumerated() where !badge.isForeign {
      leavingByCluster[badge.shown.cluster.id] = index
      if badge.willCount(at: now) { counting.append(index) }
    }
  }

  /// Looks ahead at the clusters that enter in the next part of the answer. If leaving badges still count points of
  /// such a cluster, these badges stop counting. This must happen before any other change of this part is applied.
  private mutating func handOverToEntering(limit: Int, _ rest: inout PartialAnswer) {
    var (ahead, budget) = (rest, limit)
    while budget > 0, let step = ahead.next() {
      let (_, new) = ahead.take(step)
      if case .entered = step { handOver(new.first!.cluster.range, remaining: &rest.old) }
      budget -= step.count
    }
  }

  private mutating func apply(_ step: PartialAnswer.Step, of rest: inout PartialAnswer) {
    let delay = rest.delay * Double(rest.new.startIndex) * timing.wave
    let (old, new) = rest.take(step)
    switch step {
    case .kept: keep(old.first!, as: new.first!, isSame: rest.hasSamePoints)
    case .exited: exit(old.first!)
    case .entered: enter(new.first!, after: delay)
    case .split: split(old.first!, into: new)
    case .merge: merge(old, into: new.first!)
    }
  }

  /// Prepares the badges for an answer of another tree.
  ///
  /// If a badge and a new cluster have the same position and the same number of points, the badge becomes the badge of
  /// this cluster. If the new tree is an edit of the old tree, a new cluster may continue the cluster of a badge (see
  /// `EditMatching`). The badge then becomes the badge of the new cluster. All other badges leave at once and lose
  /// their numbers, because their points may be in other clusters of the new tree.
  mutating func adopt(_ answer: MapAnswer) {
    var byLook: [Look: Int] = [:]
    for (index, badge) in shown.enumerated() where badge.countsFrom <= now {
      byLook[Look(badge.cluster.plane, x: badge.targetX, y: badge.targetY, badge.pointCount)] = index
    }
    var isAdopted = Set<Int>()
    // For each new cluster, the index of the badge that becomes the cluster's badge; nil if there is no such badge.
    var adoptions = answer.shown.map { new -> Int? in
      let look = Look(new.cluster.plane, x: new.place.x, y: new.place.y, new.cluster.pointCount)
      return byLook[look].flatMap { isAdopted.insert($0).inserted ? $0 : nil }
    }
    let others = byLook.values.filter { !isAdopted.contains($0) }.sorted()
    if let tree, let matching = EditMatching(from: tree, to: answer, isFree: { adoptions[$0] == nil }) {
      for index in others {
        guard let number = matching.number(for: shown[index].cluster, among: others.count) else { continue }
        adoptions[number] = index
        isAdopted.insert(index)
      }
    }
    let adopted = zip(answer.shown, adoptions).compactMap { new, index -> MapBadge? in
      guard let index else { return nil }
      var badge = shown[index]
      // The target is not changed here: `keep` will make the badge move to the new target.
      badge.renew(as: new)
      return badge
    }
    leaving += shown.indices.lazy.filter { !isAdopted.contains($0) }.map { shown[$0] }
    shown = adopted
    for index in leaving.indices {
      // A badge that has not been drawn yet is removed.
      if leaving[index].appearsAt > now { drop(leaving[index]) }
      leaving[index].abandon(at: now, for: pace * timing.fade)
    }
    leaving.removeAll { $0.appearsAt > now }
  }

  /// A key that is equal for badges that look alike. It consists of the point count and the position. On a world map,
  /// x is counted from longitude -180, because two planes may begin at different meridians.
  private struct Look: Hashable {
    let x: Int64
    let y: Int64
    let pointCount: Int

    init(_ plane: Plane, x: Double, y: Double, _ pointCount: Int) {
      let turn = plane.projection == .webMercator
      let eastwards = Int64(x.rounded()) + Int64(plane.seam)
      (self.x, self.y) = (turn ? eastwards & 0xFFFF_FFFF : eastwards, Int64(y.rounded()))
      self.pointCount = pointCount
    }
  }
}

extension MapBadge {
  /// Makes the badge leave at once, without a number, because the scene has another tree.
  fileprivate mutating func abandon(at now: Double, for duration: Double) {
    isForeign = true
    countsUntil = min(countsUntil, now)
    fade(at: now, for: duration)
  }
}

extension PartialAnswer {
  /// One step of the change between two answers. It concerns the next badges of the previous answer and the next
  /// clusters of the new answer.
  enum Step {
    case kept, exited, entered
    /// The next badge splits into this number of clusters.
    case split(Int)
    /// This number of badges merges into the next cluster.
    case merge(Int)

    /// Number of badges that come or go.
    var count: Int {
      switch self {
      case .kept: 0
      case .exited, .entered: 1
      case .split(let parts), .merge(let parts): 1 + parts
      }
    }
  }

  /// Removes the badges and clusters of a step, and returns them.
  mutating func take(_ step: Step) -> (old: ArraySlice<MapBadge>, new: ArraySlice<ShownCluster>) {
    let (oldCount, newCount) =
      switch step {
      case .kept: (1, 1)
      case .exited: (1, 0)
      case .entered: (0, 1)
      case .split(let parts): (1, parts)
      case .merge(let parts): (parts, 1)
      }
    defer {
      old = old.dropFirst(oldCount)
      new = new.dropFirst(newCount)
    }
    return (old.prefix(oldCount), new.prefix(newCount))
  }

  func next() -> Step? {
    guard let a = old.first?.range else { return new.isEmpty ? nil : .entered }
    guard let b = new.first?.cluster.range else { return .exited }
    if a == b { return .kept }
    if a.upperBound <= b.lowerBound { return .exited }
    if b.upperBound <= a.lowerBound { return .entered }
    if a.count > b.count { return .split(new.prefix { $0.cluster.range.lowerBound < a.upperBound }.count) }
    return .merge(old.prefix { $0.range.lowerBound < b.upperBound }.count)
  }
}
