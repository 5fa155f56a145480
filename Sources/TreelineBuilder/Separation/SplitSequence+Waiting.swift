import Treeline

extension SplitSequence {
  /// Puts the next look at a fork off until r has fallen to a distance. At 0 it never does: any two nodes would be apart
  /// by then.
  @inline(__always)
  mutating func makeAppointment(_ number: UInt32, at squaredDistance: UInt64) {
    let fork = forks + Int(number)
    fork.pointee.stamp &+= 1
    guard squaredDistance > 0 else { return }
    queue.add(
      Appointment(squaredDistance: squaredDistance, fork: number, stamp: fork.pointee.stamp))
  }

  /// Puts a fork into the list of those that another one blocks, at a distance, and makes an appointment there.
  ///
  /// - Parameter blocker: `Fork.none` for a single position, for which nobody can wait.
  @inline(__always)
  mutating func wait(_ number: UInt32, for blocker: UInt32, orUntil squaredDistance: UInt64) {
    if blocker != Fork.none {
      let next = forks[Int(blocker)].firstWaiter
      forks[Int(number)].nextWaiter = next
      forks[Int(number)].previousWaiter = blocker | Fork.blockerMark
      if next != Fork.none { forks[Int(next)].previousWaiter = number }
      forks[Int(blocker)].firstWaiter = number
    }
    makeAppointment(number, at: squaredDistance)
  }

  /// Takes a fork out of the list that it is in, if any.
  @inline(__always)
  mutating func stopWaiting(_ number: UInt32) {
    let (previous, next) = (forks[Int(number)].previousWaiter, forks[Int(number)].nextWaiter)
    if previous == Fork.none { return }
    if previous & Fork.blockerMark != 0 {
      forks[Int(previous ^ Fork.blockerMark)].firstWaiter = next
    } else {
      forks[Int(previous)].nextWaiter = next
    }
    if next != Fork.none { forks[Int(next)].previousWaiter = previous }
    forks[Int(number)].previousWaiter = Fork.none
  }
}
