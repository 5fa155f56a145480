/// Decides at which priority the maps of a live index are made, and how long to rest between two maps.
///
/// Maps are made on a thread of low priority, so that answers come first. On a busy machine such a thread may wait for
/// seconds. When a batch has waited too long for its map, maps are made at the usual priority for some time.
struct MapPace {
  /// Longest time from the answer to a batch until queries show the batch, after which maps are made at the usual
  /// priority.
  static let longestWait = Duration.seconds(2)
  /// Time for which maps are made at the usual priority.
  static let hurryingTime = Duration.seconds(10)

  private var end: ContinuousClock.Instant?

  func isHurried(at now: ContinuousClock.Instant) -> Bool { end.map { now < $0 } ?? false }

  /// Notes that a map has been published.
  ///
  /// - Parameter time: Time for which the oldest batch of the map has waited.
  mutating func publish(after time: Duration, at now: ContinuousClock.Instant) {
    if time > Self.longestWait { end = now + Self.hurryingTime }
  }

  /// Returns the rest after a map with which the thread uses at most half of one core. At the usual priority, time in
  /// which the thread had to wait for other threads counts as rest. At the low priority it does not, because the
  /// machine is busy with answers.
  ///
  /// - Parameters:
  ///   - duration: Time in which the map was made.
  ///   - processorTime: Processor time of the thread meanwhile.
  static func rest(after duration: Duration, processorTime: Duration, isHurried: Bool) -> Duration {
    min(max(isHurried ? processorTime * 2 - duration : duration, .zero), .seconds(1))
  }
}
