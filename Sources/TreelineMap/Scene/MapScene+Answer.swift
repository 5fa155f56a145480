import Treeline

/// An answer that is applied from the front, in tree order, and what it takes the place of.
struct PartialAnswer: Sendable {
  let answer: MapAnswer
  /// What is left of the badges of the answer before.
  var old: ArraySlice<MapBadge>
  /// What is left of the answer.
  var new: ArraySlice<ShownCluster>
  /// By how much the badges of a first answer come after each other; 0 for another answer.
  let delay: Double
  /// Whether both answers are of the same points of the same tree, so that a cluster of both is the same in both.
  let hasSamePoints: Bool

  init(of answer: MapAnswer, after old: [MapBadge], hasSamePoints: Bool) {
    (self.answer, self.old, new, self.hasSamePoints) = (answer, old[...], answer.shown[...], hasSamePoints)
    delay = old.isEmpty ? 1 / Double(max(answer.shown.count, 1)) : 0
  }
}

extension MapScene {
  /// Leaves the rest of an answer unapplied, as if it had never come.
  mutating func joinRest() {
    guard let rest else { return }
    shown += rest.old
    self.rest = nil
  }

  /// Walks along both answers, which are in tree order, until so many badges have come and gone.
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

  /// What begins to leave while an answer is applied has nothing to do with the rest of it.
  private mutating func lookAtLeaving() {
    (leavingByCluster, counting) = ([:], [])
    for (index, badge) in leaving.enumerated() where !badge.isForeign {
      leavingByCluster[badge.shown.cluster.id] = index
      if badge.willCount(at: now) { counting.append(index) }
    }
  }

  /// Before anything else changes: what is to be applied now and comes in gets its points from badges that leave.
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

  /// Makes the badges ready for an answer of another tree.
  ///
  /// Those that stand at the same place with the same number become badges of the new tree. The others leave at once,
  /// and without their numbers: the same points may be in other clusters of the new tree.
  mutating func adopt(_ answer: MapAnswer) {
    var byLook: [Look: Int] = [:]
    for (index, badge) in shown.enumerated() where badge.countsFrom <= now {
      byLook[Look(badge.cluster.plane, x: badge.targetX, y: badge.targetY, badge.pointCount)] = index
    }
    var isAdopted = Set<Int>()
    var adopted: [MapBadge] = []
    for new in answer.shown {
      let (x, y) = (new.place.x, new.place.y)
      guard let index = byLook[Look(new.cluster.plane, x: x, y: y, new.cluster.pointCount)],
        isAdopted.insert(index).inserted
      else { continue }
      var badge = shown[index]
      badge.renew(as: new)
      adopted.append(badge)
    }
    leaving += shown.indices.lazy.filter { !isAdopted.contains($0) }.map { shown[$0] }
    shown = adopted
    for index in leaving.indices {
      // What is not drawn yet never will be.
      if leaving[index].appearsAt > now { drop(leaving[index]) }
      leaving[index].abandon(at: now, for: pace * timing.fade)
    }
    leaving.removeAll { $0.appearsAt > now }
  }

  /// A number at a place, on whichever plane.
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
  /// Leaves at once and without its number, for its cluster's tree is no longer the scene's.
  fileprivate mutating func abandon(at now: Double, for duration: Double) {
    isForeign = true
    countsUntil = min(countsUntil, now)
    fade(at: now, for: duration)
  }
}

extension PartialAnswer {
  /// What becomes of the next clusters.
  enum Step {
    case kept, exited, entered
    /// The next badge into so many clusters.
    case split(Int)
    /// So many badges into the next cluster.
    case merge(Int)

    /// How many badges come and go.
    var count: Int {
      switch self {
      case .kept: 0
      case .exited, .entered: 1
      case .split(let parts), .merge(let parts): 1 + parts
      }
    }
  }

  /// Takes out what a step is of.
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
