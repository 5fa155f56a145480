import Treeline

/// Passes changes to a map view, frame by frame, within a budget of main-thread time.
///
/// ```swift
/// let animator = MapAnimator(MapFeed(tree)) { change in view.apply(change) }
/// animator.onNeedsFrames = { displayLink.isPaused = false }
/// animator.viewport = ...                                   // whenever the map has moved
/// // In each frame of the display link:
/// animator.frame()
/// displayLink.isPaused = !animator.needsFrames
/// ```
///
/// Queries run off the main thread. The animator only does the bookkeeping, see ``MapScene``. A large answer is passed
/// on in parts, over several frames if the budget runs out. Each part leaves the map consistent: no point is counted by
/// two numbers, and no point is missing. If more badges move than one frame has time for, they take turns: each frame
/// moves some of them.
@MainActor public final class MapAnimator {
  /// Source of the answers.
  public let feed: MapFeed

  /// The badges on the map.
  public private(set) var scene: MapScene

  /// Whether badges jump to their targets instead of moving there, as the system's reduced-motion setting asks for.
  public var prefersReducedMotion = false

  /// Called when frames become necessary after a pause. Start the display link here.
  public var onNeedsFrames: () -> Void = {}

  /// Called with the error if a query fails, because the tree lacks data that the cut needs or its index is damaged.
  public var onError: (any Error) -> Void = { _ in }

  private let now: @Sendable () -> Double
  private let budget: Double
  private let receive: (MapChange) -> Void
  private var latest: MapAnswer?
  /// The latest move of each badge, if no frame has had time for it yet.
  private var moves = PendingMoves()
  private var reader: Task<Void, Never>?

  /// Number of badges that are passed on between two readings of the clock.
  package static let batch = 64

  /// - Parameters:
  ///   - feed: Source of the answers. The animator must be its only reader.
  ///   - budget: How long a frame may occupy the main thread, including the time in which the view applies changes.
  ///     Each frame passes on at least one batch of 64 badges.
  ///   - timing: Durations of animations.
  ///   - clock: Source of the time.
  ///   - receive: Applies a change to the view, immediately.
  public init(
    _ feed: MapFeed, budget: Duration = .milliseconds(2), timing: MapTiming = .standard,
    clock: some Clock<Duration> = ContinuousClock(), receive: @escaping (MapChange) -> Void
  ) {
    (self.feed, scene, self.receive) = (feed, MapScene(timing: timing), receive)
    self.budget = budget / .seconds(1)
    now = clock.seconds
    let answers = feed.answers
    reader = Task { [weak self] in
      for await result in answers { self?.take(result) }
    }
  }

  deinit { reader?.cancel() }

  /// The visible part of the map. Set it whenever the map has moved, as often as you like.
  public var viewport: Viewport? {
    get { feed.viewport }
    set { feed.viewport = newValue }
  }

  /// Whether the next frame has work to do.
  public var needsFrames: Bool { latest != nil || scene.isMoving || !moves.isEmpty }

  private func take(_ result: Result<MapAnswer, any Error>) {
    switch result {
    case .success(let answer):
      let wasIdle = !needsFrames
      latest = answer
      if wasIdle { onNeedsFrames() }
    case .failure(let error): onError(error)
    }
  }

  /// Draws a frame: passes on the changes that are due.
  public func frame() {
    let start = now()
    let deadline = start + budget
    let answer = latest
    latest = nil
    // An answer of a tree that was replaced in the meantime is useless.
    if let answer, feed.tree?.isSame(as: answer.tree) ?? false {
      hand(scene.show(answer, at: start, isInstant: prefersReducedMotion, limit: Self.batch))
    } else if scene.isComplete {
      hand(scene.advance(to: start))
    } else {
      hand(scene.resume(at: start, limit: Self.batch))
    }
    while !scene.isComplete, now() < deadline { hand(scene.resume(at: start, limit: Self.batch)) }
    repeat { handMoves() } while !moves.isEmpty && now() < deadline
  }

  /// Removes all badges from the map, for example when the tree is gone.
  public func clear() {
    latest = nil
    hand(scene.clear())
  }

  private func hand(_ change: MapChange) {
    var change = change
    moves.add(change.moved)
    moves.remove(change.removed)
    change.moved = []
    if !change.isEmpty { receive(change) }
  }

  private func handMoves() {
    var change = MapChange()
    change.moved = moves.next(Self.batch)
    if !change.isEmpty { receive(change) }
  }
}
