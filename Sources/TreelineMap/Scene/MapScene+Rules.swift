import Treeline

// These rules define how badges split, merge, enter and exit. Each badge counts its points during one interval of
// time, in which its number is shown. If badges share a point, their intervals do not overlap: when one badge stops
// counting the point, the next badge begins. When a badge splits, this badge is called the whole, and the badges that
// come out of it are called its parts. When badges merge, the merging badges are the parts, and the new badge is the
// whole.

extension MapScene {
  mutating func keep(_ badge: MapBadge, as new: ShownCluster, isSame: Bool) {
    var badge = badge
    let isElsewhere = new.place.x != badge.targetX || new.place.y != badge.targetY
    if isElsewhere {
      move(&badge, to: new)
    } else if !isSame || new.diameter != badge.diameter {
      badge.renew(as: new)
    }
    shown.append(badge)
  }

  mutating func split(_ badge: MapBadge, into parts: ArraySlice<ShownCluster>) {
    var whole = badge
    // The badge that splits may have no number yet, because other badges still count its points. In that case it never
    // gets a number. The badges that come out of it begin to count the points as soon as the other badges stop.
    let hasNumber = whole.countsFrom <= now
    let length = pace * timing.move * MapTiming.takeover
    let takeover = hasNumber ? now + length : whole.countsFrom
    for new in parts {
      var part = recall(new, takeover: takeover) ?? badgeComing(outOf: whole, new)
      if part.countsUntil < .infinity { part.countsFrom = takeover }
      part.countsUntil = .infinity
      move(&part, to: new)
      shown.append(part)
    }
    guard hasNumber else { return drop(whole) }
    whole.countsUntil = takeover
    whole.isAbove = true
    whole.go(at: now, for: length, scale: MapTiming.arriving, scaleCurve: .linear)
    whole.isLeaving = true
    leaving.append(whole)
  }

  mutating func merge(_ parts: ArraySlice<MapBadge>, into new: ShownCluster) {
    let range = new.cluster.range
    let counting = counting.filter { leaving[$0].willCount(at: now) && leaving[$0].range.overlaps(range) }
    if let last = counting.filter({ leaving[$0].countsUntil < .infinity && leaving[$0].holds(range) })
      .max(by: { leaving[$0].countsUntil < leaving[$1].countsUntil })
    {
      return callBack(new, outOf: last, insteadOf: parts, counting)
    }
    let length = pace * timing.move
    let takeover = now + length
    var joining = Joining(range)
    if !counting.isEmpty { joining.find(among: counting.map { leaving[$0] }, parts) }
    // A leaving badge in `joining.badges` moves to the badge of the merged cluster, and keeps its number until it
    // arrives there. A badge in `joining.replaced` would have begun to count points of this cluster later. Such a
    // badge fades, and never gets a number. All other leaving badges continue their motions.
    for index in counting {
      if joining.replaced.contains(leaving[index].id) {
        withdrawLeaving(index, into: new)
      } else if joining.badges.contains(leaving[index].id) {
        leaving[index].arrive(at: new, now: now, takeover: takeover)
      }
    }
    for var part in parts {
      if joining.replaced.contains(part.id) {
        withdraw(part, into: new)
      } else {
        part.arrive(at: new, now: now, takeover: takeover)
        leaving.append(part)
      }
    }
    var whole = MapBadge(id: makeID(), of: new)
    (whole.countsFrom, whole.appearsAt) = (takeover, takeover)
    whole.motion.from.scale = MapTiming.formed
    (whole.motion.start, whole.motion.duration) = (takeover, pace * timing.grow)
    until = max(until, whole.motion.end)
    shown.append(whole)
  }

  /// Merges badges into the badge of the cluster `new`. At this time, one leaving badge still counts all points of the
  /// merging badges. So the merging badges have no numbers yet, and never get any. If the leaving badge shows the
  /// cluster `new` itself, the leaving badge comes back. If the leaving badge shows a larger cluster, the badge of
  /// `new` comes out of the leaving badge.
  ///
  /// - Parameters:
  ///   - last: Index of the leaving badge that counts all points of `new`. Several leaving badges may count all these
  ///     points, one badge at a time. Then `last` is the badge that stops counting last.
  ///   - counting: Indices of the leaving badges that count points of `new`, now or later.
  private mutating func callBack(
    _ new: ShownCluster, outOf last: Int, insteadOf parts: ArraySlice<MapBadge>, _ counting: [Int]
  ) {
    let takeover = leaving[last].countsUntil
    for index in counting where index != last && leaving[index].isWithin(new.cluster.range) {
      if leaving[index].countsFrom >= takeover { withdrawLeaving(index, into: new) }
    }
    for part in parts { withdraw(part, into: new) }
    var whole: MapBadge
    if leaving[last].cluster.id == new.cluster.id {
      whole = takeFromLeaving(last)
    } else {
      whole = recall(new, takeover: takeover) ?? badgeComing(outOf: leaving[last], new)
      if whole.countsUntil < .infinity { whole.countsFrom = takeover }
    }
    whole.countsUntil = .infinity
    move(&whole, to: new)
    shown.append(whole)
  }

  /// Moves a badge that has no number to the badge of a larger cluster, `whole`. The moving badge fades on its way and
  /// never gets a number. If it has not been drawn yet, it is removed at once instead.
  private mutating func withdraw(_ badge: MapBadge, into whole: ShownCluster) {
    if badge.appearsAt > now { return drop(badge) }
    var badge = badge
    badge.withdraw(into: whole, at: now, for: pace * timing.move)
    leaving.append(badge)
  }

  private mutating func withdrawLeaving(_ index: Int, into whole: ShownCluster) {
    if leaving[index].appearsAt > now {
      leaving[index].isGone = true
      return drop(leaving[index])
    }
    leaving[index].withdraw(into: whole, at: now, for: pace * timing.move)
  }

  mutating func enter(_ new: ShownCluster, after delay: Double) {
    if let index = leavingByCluster[new.cluster.id], !leaving[index].isGone {
      var badge = takeFromLeaving(index)
      if !badge.counts(at: now) { badge.countsFrom = now }
      badge.countsUntil = .infinity
      badge.appearsAt = min(badge.appearsAt, now)
      move(&badge, to: new)
      return shown.append(badge)
    }
    var badge = MapBadge(id: makeID(), of: new)
    badge.motion.from.scale = 0
    badge.motion.scaleCurve = .bounce
    (badge.motion.start, badge.motion.duration) = (now + pace * delay, pace * timing.appear)
    until = max(until, badge.motion.end)
    shown.append(badge)
  }

  /// Called for a cluster that enters. If leaving badges count points of this cluster, the leaving badges stop
  /// counting at once. Other badges may be waiting to count points of these leaving badges. The waiting badges begin
  /// now.
  ///
  /// - Parameter remaining: Badges of the previous answer to which no rule has been applied yet.
  mutating func handOver(_ range: Range<Int>, remaining: inout ArraySlice<MapBadge>) {
    var outermost = range
    var isCounted = false
    for index in counting where leaving[index].willCount(at: now) && leaving[index].range.overlaps(range) {
      isCounted = true
      if leaving[index].range.count > outermost.count { outermost = leaving[index].range }
    }
    guard isCounted else { return }
    for index in counting where leaving[index].willCount(at: now) && leaving[index].isWithin(outermost) {
      leaving[index].countsUntil = min(leaving[index].countsUntil, now)
      leaving[index].fade(at: now, for: pace * timing.fade)
    }
    for index in shown.indices where shown[index].isWithin(outermost) { shown[index].takeOver(at: now) }
    for index in remaining.indices where remaining[index].isWithin(outermost) { remaining[index].takeOver(at: now) }
  }

  mutating func exit(_ badge: MapBadge) {
    var badge = badge
    if badge.countsFrom > now {
      // The exiting badge has no number yet, and never gets one. If other badges are still merging into the exiting
      // badge, they fade, because their target leaves.
      for index in counting
      where leaving[index].countsUntil == badge.countsFrom && leaving[index].isWithin(badge.range) {
        leaving[index].fade(at: now, for: pace * timing.fade)
      }
      badge.countsUntil = -.infinity
      if badge.appearsAt > now { return drop(badge) }
    }
    badge.fade(at: now, for: pace * timing.fade)
    leaving.append(badge)
  }
}

// MARK: - Motions

extension MapScene {
  private mutating func move(_ badge: inout MapBadge, to new: ShownCluster) {
    badge.isLeaving = false
    badge.renew(as: new)
    badge.go(at: now, to: new, for: pace * timing.move)
    until = max(until, badge.motion.end)
  }

  /// Creates a badge that comes out of another badge. The new badge has no number at first.
  private mutating func badgeComing(outOf whole: MapBadge, _ new: ShownCluster) -> MapBadge {
    var badge = MapBadge(id: makeID(), of: new)
    let place = whole.motion.place(at: now)
    badge.motion = MapMotion(at: place)
    badge.motion.to.scale = min(1, MapTiming.part * whole.diameter * place.scale / new.diameter)
    badge.motion.to.opacity = 1
    badge.countsUntil = -.infinity
    return badge
  }

  /// Returns a badge for a cluster whose earlier badge is leaving. The returned badge begins at the current position
  /// of the leaving badge, so that nothing jumps. Returns nil if the cluster has no leaving badge.
  ///
  /// There are three cases. If the leaving badge counts its points until exactly the time `takeover`, it is returned
  /// and keeps its number. If the leaving badge no longer counts points, it is returned without a number. If the
  /// leaving badge counts its points until another time, it continues to leave, and a new badge is returned.
  private mutating func recall(_ new: ShownCluster, takeover: Double) -> MapBadge? {
    guard let index = leavingByCluster[new.cluster.id], !leaving[index].isGone else { return nil }
    let badge = leaving[index]
    let keepsNumber = badge.willCount(at: now)
    if keepsNumber && badge.countsUntil != takeover {
      var twin = badgeComing(outOf: badge, new)
      twin.motion.to = badge.motion.place(at: now)
      return twin
    }
    var recalled = takeFromLeaving(index)
    recalled.countsUntil = keepsNumber ? .infinity : -.infinity
    return recalled
  }

  private mutating func takeFromLeaving(_ index: Int) -> MapBadge {
    var badge = leaving[index]
    leaving[index].isGone = true
    (badge.isAbove, badge.isLeaving) = (false, false)
    return badge
  }
}

extension MapBadge {
  /// Starts a motion from the current position of the badge.
  fileprivate mutating func go(
    at now: Double, to target: ShownCluster? = nil, from start: Double? = nil, for duration: Double,
    scale: Double = 1, opacity: Double = 1, scaleCurve: MapMotion.Curve = .settle
  ) {
    let from = motion.place(at: now)
    var to = MapMotion.Place(x: from.x, y: from.y, scale: scale, opacity: opacity)
    if let target {
      (targetX, targetY) = (target.place.x, target.place.y)
      to.x = from.x + target.cluster.plane.difference(target.place.x - from.x)
      to.y = target.place.y
    }
    motion = MapMotion(from: from, to: to, start: start ?? now, duration: duration, scaleCurve: scaleCurve)
    news.insert(.isRetargeted)
    isSettled = false
  }

  /// Makes the badge leave by fading at its position.
  mutating func fade(at now: Double, for duration: Double) {
    isLeaving = true
    go(at: now, for: duration, scale: MapTiming.faded, opacity: 0)
  }

  /// Moves the badge to the place of `whole`, the cluster into which it merges. The badge keeps its number until it
  /// arrives there. If the badge is not drawn yet, other badges are still merging into it. In that case it begins to
  /// move when these other badges have arrived.
  fileprivate mutating func arrive(at whole: ShownCluster, now: Double, takeover: Double) {
    let start = max(appearsAt, now)
    countsUntil = takeover
    (isLeaving, isAbove) = (true, false)
    go(at: now, to: whole, from: start, for: takeover - start, scale: MapTiming.arriving)
  }

  /// Moves the badge to the place of the cluster `whole`, which contains the badge's points. The badge fades on its
  /// way and never gets a number.
  fileprivate mutating func withdraw(into whole: ShownCluster, at now: Double, for duration: Double) {
    countsFrom = .infinity
    isLeaving = true
    go(at: now, to: whole, for: duration, scale: MapTiming.withdrawn, opacity: 0)
  }

  /// Gives the badge its number now, unless the badge already has a number.
  fileprivate mutating func takeOver(at now: Double) {
    guard countsFrom > now else { return }
    countsFrom = now
    if appearsAt > now { (appearsAt, motion.start) = (now, now) }
    isSettled = false
  }

  /// Makes the badge show a cluster of the new answer.
  mutating func renew(as new: ShownCluster) {
    if cluster != new.cluster || diameter != new.diameter || pointCount < range.count {
      news.insert(.isRenewed)
      isSettled = false
    }
    shown = new
  }

  /// Returns whether the badge's cluster contains all points in a range of tree indices.
  func holds(_ range: Range<Int>) -> Bool {
    !isForeign && self.range.lowerBound <= range.lowerBound && range.upperBound <= self.range.upperBound
  }

  func counts(at time: Double) -> Bool { !isGone && countsFrom <= time && time < countsUntil }

  /// Returns whether the badge counts its points at this time or later.
  func willCount(at time: Double) -> Bool { !isGone && !isForeign && time < countsUntil && countsFrom < countsUntil }

  func isWithin(_ range: Range<Int>) -> Bool {
    !isForeign && range.lowerBound <= self.range.lowerBound && self.range.upperBound <= range.upperBound
  }
}

extension Plane {
  /// Given the difference between two x coordinates, returns the difference along the shorter way around the world.
  fileprivate func difference(_ x: Double) -> Double {
    projection == .webMercator ? x - (x / 0x1p32 + 0.5).rounded(.down) * 0x1p32 : x
  }
}
