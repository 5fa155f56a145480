import TreelineMapKit

/// A clock that a test sets.
final class TestClock: Clock, @unchecked Sendable {
  struct Instant: InstantProtocol {
    var offset: Duration
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
  }

  /// Set on the main actor, where frames are drawn; a feed may read it at any time, for how long a query has taken.
  nonisolated(unsafe) private(set) var now = Instant(offset: .zero)
  let minimumResolution = Duration.nanoseconds(1)

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {}

  func advance(by duration: Duration) { now = now.advanced(by: duration) }
}

/// Frames that a test draws.
@MainActor final class TestFrames: FrameSource {
  private var onFrame: (@MainActor () -> Void)?

  var isRunning: Bool { onFrame != nil }

  func start(_ onFrame: @escaping @MainActor () -> Void) {
    precondition(self.onFrame == nil, "Frames were started twice")
    self.onFrame = onFrame
  }

  func stop() { onFrame = nil }

  func draw() { onFrame?() }
}
