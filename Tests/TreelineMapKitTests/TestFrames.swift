import TreelineMapKit

/// A source of frames that a test draws.
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
