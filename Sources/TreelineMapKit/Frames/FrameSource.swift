import TreelineMap

/// Calls once a frame as long as something moves.
@MainActor public protocol FrameSource: AnyObject {
  /// Calls in each frame from the next one on, until it is stopped or gone. It is not started twice.
  func start(_ onFrame: @escaping @MainActor () -> Void)

  /// Calls no more.
  func stop()
}

extension MapAnimator {
  /// Draws the frames of a source, as long as there is anything to draw.
  ///
  /// - Parameters:
  ///   - frames: Stands still in between.
  ///   - afterFrame: Called when a frame has been handed over.
  public func drawFrames(of frames: some FrameSource, afterFrame: @escaping @MainActor () -> Void = {}) {
    onNeedsFrames = { [weak self] in
      // The frames are kept by the animator alone: no frame may come of a view that is not shown any more.
      frames.start { [weak frames] in
        guard let self, let frames else { return }
        self.frame()
        if !self.needsFrames { frames.stop() }
        afterFrame()
      }
    }
  }
}

/// Frames of any platform: 60 a second, as near as tasks are woken.
@MainActor public final class TimedFrames: FrameSource {
  private var task: Task<Void, Never>?

  /// Frames of nothing yet.
  public init() {}

  public func start(_ onFrame: @escaping @MainActor () -> Void) {
    task = Task {
      let clock = ContinuousClock()
      var next = clock.now
      while !Task.isCancelled {
        onFrame()
        // A frame that came late is not made up for.
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

  /// The frames of the display on which a view is shown.
  ///
  /// On a Mac, where an app for iOS has no `UIUpdateLink`, they are `TimedFrames`.
  @MainActor public final class DisplayFrames: FrameSource {
    private weak var view: UIView?
    private let timed = TimedFrames()
    #if !targetEnvironment(macCatalyst)
      private var link: UIUpdateLink?
    #endif

    /// Frames of nothing yet.
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
