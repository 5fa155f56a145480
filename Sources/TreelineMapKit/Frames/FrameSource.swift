import TreelineMap

/// Calls a closure once per frame while something moves.
@MainActor public protocol FrameSource: AnyObject {
  /// Calls the closure in each frame, beginning with the next frame, until `stop()` is called or the source is
  /// released. A caller always calls `stop()` before it calls `start` again.
  func start(_ onFrame: @escaping @MainActor () -> Void)

  /// Stops the calls.
  func stop()
}

extension MapAnimator {
  /// Draws frames whenever there is something to draw.
  ///
  /// - Parameters:
  ///   - frames: Source of frames. It is stopped while nothing moves.
  ///   - afterFrame: Called after each frame.
  public func drawFrames(of frames: some FrameSource, afterFrame: @escaping @MainActor () -> Void = {}) {
    onNeedsFrames = { [weak self] in
      // Only the animator holds a strong reference to the source. So no frame is drawn after the view and its animator
      // are gone.
      frames.start { [weak frames] in
        guard let self, let frames else { return }
        self.frame()
        if !self.needsFrames { frames.stop() }
        afterFrame()
      }
    }
  }
}

/// A source of about 60 frames per second, for all platforms. The system wakes a task for each frame, so the times are
/// not exact.
@MainActor public final class TimedFrames: FrameSource {
  private var task: Task<Void, Never>?

  /// Creates a source that is stopped.
  public init() {}

  public func start(_ onFrame: @escaping @MainActor () -> Void) {
    task = Task {
      let clock = ContinuousClock()
      var next = clock.now
      while !Task.isCancelled {
        onFrame()
        // Frames that were missed are skipped.
        next = max(next, clock.now).advanced(by: .seconds(1.0 / 60))
        try? await clock.sleep(until: next)
      }
    }
  }

  public func stop() {
    task?.cancel()
    task = nil
  }

  deinit { task?.cancel() }
}

#if canImport(UIKit)
  import UIKit

  /// A source of frames for a view. It follows the frames of the display that shows the view.
  ///
  /// An iOS app that runs on a Mac has no `UIUpdateLink`. In such an app, the frames come from `TimedFrames`.
  @MainActor public final class DisplayFrames: FrameSource {
    private weak var view: UIView?
    private let timed = TimedFrames()
    #if !targetEnvironment(macCatalyst)
      private var link: UIUpdateLink?
    #endif

    /// Creates a source that is stopped.
    public init(_ view: UIView) { self.view = view }

    public func start(_ onFrame: @escaping @MainActor () -> Void) {
      #if !targetEnvironment(macCatalyst)
        if !ProcessInfo.processInfo.isiOSAppOnMac { return startLink(onFrame) }
      #endif
      timed.start(onFrame)
    }

    #if !targetEnvironment(macCatalyst)
      private func startLink(_ onFrame: @escaping @MainActor () -> Void) {
        guard let view else { return }
        let link = UIUpdateLink(view: view) { [weak self] link, _ in
          if self == nil { link.isEnabled = false } else { onFrame() }
        }
        link.requiresContinuousUpdates = true
        link.isEnabled = true
        self.link = link
      }
    #endif

    public func stop() {
      timed.stop()
      #if !targetEnvironment(macCatalyst)
        link?.isEnabled = false
        link = nil
      #endif
    }
  }
#endif
