/// Decides at which priority the maps of a live index are made, and how long the thread rests between two maps. Each
/// map is a new version of the index.
///
/// Maps are made on a thread of low priority, so that answers come first. On a busy machine a thread of low priority
/// may wait for seconds. When a batch has waited too long for its map, maps are made at the usual priority for some
/// time.
struct MapPace {
  /// Longest acceptable time until queries see the changes in a batch. The time begins when the batch is answered. If
  /// a batch has waited longer, maps are made at the usual priority.
  static let longestWait = Duration.seconds(2)
  /// Time for which maps are made at the usual priority after a batch has waited longer than `longestWait`.
  static let hurryingTime = Duration.seconds(10)

  private var end: ContinuousClock.Instant?

  func isHurried(at now: ContinuousClock.Instant) -> Bool { end.map { now < $0 } ?? false }

  /// Notes that a map has been published.
  ///
  /// - Parameter time: Time for which the oldest batch of the map has waited.
  mutating func publish(after time: Duration, at now: ContinuousClock.Instant) {
    if time > Self.longestWait { end = now + Self.hurryingTime }
  }

  /// Returns the time to rest after a map, at most 1 second. If the map took at most 1 second, the thread uses at most
  /// half of one core. At the usual priority, the thread may already have waited for other threads. This waiting
  /// counts as rest. At the low priority, waiting does not count as rest, because the machine is busy with answers.
  ///
  /// - Parameters:
  ///   - duration: Time from the start to the end of the work on the map.
  ///   - processorTime: Processor time that the thread used meanwhile.
  static func rest(after duration: Duration, processorTime: Duration, isHurried: Bool) -> Duration {
    min(max(isHurried ? processorTime * 2 - duration : duration, .zero), .seconds(1))
  }
}
