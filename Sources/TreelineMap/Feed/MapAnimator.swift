import Treeline

/// Hands a map view what is to change on it, frame by frame, within a budget of main-thread time.
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
/// Queries run elsewhere; here is only the bookkeeping, see ``MapScene``. A large answer is handed over in parts, over
/// several frames if its time is up, and each part leaves the map consistent: no point in two numbers, nothing missing.
/// Badges that move are brought to where they are in turns, if there are too many for one frame.
@MainActor public final class MapAnimator {
  /// Where answers come from.
  public let feed: MapFeed

  /// What is on the map.
  public private(set) var scene: MapScene

  /// Whether badges jump in place of moving, as reduced motion asks for.
  public var prefersReducedMotion = false

  /// Called when frames are to be drawn after there were none to draw: here a display link is started.
  public var onNeedsFrames: () -> Void = {}

  /// Called with why there is no answer: a tree without what the cut needs, an index that is damaged.
  public var onError: (any Error) -> Void = { _ in }

  private let now: @Sendable () -> Double
  private let budget: Double
  private let receive: (MapChange) -> Void
  private var latest: MapAnswer?
  /// Moves that no frame had time for, the latest of each badge.
  private var moves = PendingMoves()
  private var reader: Task<Void, Never>?

  /// How many badges are handed over before the clock is looked at.
  package static let batch = 64

  /// - Parameters:
  ///   - feed: Where answers come from; nobody else may read them.
  ///   - budget: How long a frame may hold up the main thread: what the view does with a difference counts. At least
  ///     one batch of 64 badges is handed over in a frame.
  ///   - timing: How long badges move.
  ///   - clock: Tells the time.
  ///   - receive: Takes a difference and applies it to the view at once.
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

  /// What is looked at; set it whenever the map has moved, as often as it likes.
  public var viewport: Viewport? {
    get { feed.viewport }
    set { feed.viewport = newValue }
  }

  /// Whether the next frame has anything to do.
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

  /// Draws a frame: hands over what is to change by now.
  public func frame() {
    let start = now()
    let deadline = start + budget
    let answer = latest
    latest = nil
    // One of a tree that was replaced while it waited is of no use.
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

  /// Takes all badges off the map, as where there is no tree any more.
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
