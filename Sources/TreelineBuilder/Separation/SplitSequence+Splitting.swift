import Treeline

extension SplitSequence {
  /// Splits a fork if it can be split now that r has fallen to a distance; sees otherwise when it has to be looked at again.
  @inline(__always)
  mutating func look(at number: UInt32, squaredDistance: UInt64) {
    let fork = forks[Int(number)]
    let nearest = nearestNeighbour(of: number, fork, nearerThan: squaredDistance)
    if nearest.squaredDistance < squaredDistance {
      wait(number, for: nearest.fork, orUntil: nearest.squaredDistance)
    } else {
      split(number, fork, at: squaredDistance)
    }
  }

  /// The node shown that is nearest to one of a fork's children, the fork itself apart.
  @inline(__always)
  private mutating func nearestNeighbour(
    of number: UInt32, _ fork: Fork, nearerThan squaredDistance: UInt64
  ) -> NeighbourGrid.Neighbour {
    work.looks += 1
    var nearest = NeighbourGrid.Neighbour(squaredDistance: squaredDistance)
    let reach = Self.reach(squaredDistance)
    if let area = grid.area(around: fork.left, fork.right, reach: reach) {
      find(fork.left, fork.right, in: area, but: number, &nearest)
    } else {
      for child in [fork.left, fork.right] {
        find(child, child, in: grid.area(around: child, child, reach: reach)!, but: number, &nearest)
      }
    }
    return nearest
  }

  @inline(__always)
  private mutating func find(
    _ a: PlanePoint, _ b: PlanePoint, in area: NeighbourGrid.Area, but number: UInt32,
    _ nearest: inout NeighbourGrid.Neighbour
  ) {
    let seen = grid.findNearest(to: a, b, in: area, but: number, &nearest)
    work.cells += seen.cells
    piecesSinceGrid += seen.pieces
  }

  /// No less than a distance, in whole units.
  @inline(__always)
  static func reach(_ squaredDistance: UInt64) -> UInt32 {
    UInt32(min(Double(squaredDistance).squareRoot() + 1, 0x1p31))
  }

  private mutating func split(_ number: UInt32, _ fork: Fork, at squaredDistance: UInt64) {
    separations[Int(number)] = SeparationCode(roundingDown: squaredDistance).rawValue
    forks[Int(number)].setSplit()
    grid.replace(number, at: fork.position, by: fork)
    shownCount += 1
    work.splits += 1
    note?(number, squaredDistance)
    if work.splits.isMultiple(of: Self.splitsBetweenReports) {
      monitor.advance(.separating, by: Self.splitsBetweenReports)
    }
    show(fork.leftFork, besides: fork.right, fork.rightFork, squaredDistance)
    show(fork.rightFork, besides: fork.left, fork.leftFork, squaredDistance)
    callWaiters(for: fork, squaredDistance)
  }

  static var splitsBetweenReports: Int { 1 << 10 }

  /// Makes the first appointment of a fork that is shown from now on. Its sibling is what blocks it most often.
  @inline(__always)
  private mutating func show(
    _ number: UInt32, besides sibling: PlanePoint, _ siblingFork: UInt32, _ squaredDistance: UInt64
  ) {
    if number == Fork.none { return }
    let (left, right) = (forks[Int(number)].left, forks[Int(number)].right)
    let own = min(forks[Int(number)].squaredOwnDistance, squaredDistance)
    let toSibling = metric.squaredDistance(sibling, toNearerOf: left, right)
    if toSibling < own {
      wait(number, for: siblingFork, orUntil: toSibling)
    } else {
      makeAppointment(number, at: own)
    }
  }

  /// Calls all that a fork blocked: one of its children blocks them now, or they may split at once.
  @inline(__always)
  private mutating func callWaiters(for fork: Fork, _ squaredDistance: UInt64) {
    var waiter = fork.firstWaiter
    while waiter != Fork.none {
      let (left, right) = (forks[Int(waiter)].left, forks[Int(waiter)].right)
      let next = forks[Int(waiter)].nextWaiter
      forks[Int(waiter)].previousWaiter = Fork.none
      let own = min(forks[Int(waiter)].squaredOwnDistance, squaredDistance)
      let toLeft = metric.squaredDistance(fork.left, toNearerOf: left, right)
      let toRight = metric.squaredDistance(fork.right, toNearerOf: left, right)
      if min(toLeft, toRight) < own {
        wait(waiter, for: toLeft <= toRight ? fork.leftFork : fork.rightFork, orUntil: min(toLeft, toRight))
      } else {
        makeAppointment(waiter, at: own)
      }
      waiter = next
    }
  }
}
