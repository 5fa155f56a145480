import Synchronization

/// A clock whose time a test sets.
final class ManualClock: Clock {
  typealias Duration = Swift.Duration

  struct Instant: InstantProtocol {
    var elapsed = Duration.zero

    func advanced(by duration: Duration) -> Instant { Instant(elapsed: elapsed + duration) }
    func duration(to other: Instant) -> Duration { other.elapsed - elapsed }
    static func < (a: Instant, b: Instant) -> Bool { a.elapsed < b.elapsed }
  }

  private let time = Mutex(Instant())

  var now: Instant { time.withLock { $0 } }
  let minimumResolution = Duration.nanoseconds(1)

  func advance(by duration: Duration) { time.withLock { $0.elapsed += duration } }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws { fatalError("Nothing sleeps") }
}
