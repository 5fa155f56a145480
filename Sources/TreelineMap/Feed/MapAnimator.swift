import Treeline

/// Passes changes to a map view in each frame, within a time limit on the main thread.
///
/// ```swift
/// let animator = MapAnimator(MapFeed(tree)) { change in layer.apply(change) }
/// animator.onNeedsFrames = { displayLink.isPaused = false }
/// animator.viewport = ...                                   // whenever the map has moved
/// // In each frame of the display link:
/// animator.frame()
/// displayLink.isPaused = !animator.needsFrames
/// ```
///
/// Queries run off the main thread. On the main thread, the animator only updates the badges (see ``MapScene``). If
/// the time limit is reached, a large answer is passed on in parts, over several frames. After each part the map is
/// consistent: each point is counted on exactly one badge. If a frame has no time for all moving badges, the badges
/// take turns.
@MainActor public final class MapAnimator {
  /// Source of the answers.
  public let feed: MapFeed

  /// The badges on the map, with their motions.
  public private(set) var scene: MapScene

  /// Whether badges jump to their targets instead of moving. Set this to true if the system asks for reduced motion.
  public var prefersReducedMotion = false

  /// Called when frames are needed again after a pause. The closure should start the display link.
  public var onNeedsFrames: () -> Void = {}

  /// Called with the error of a failed query. A query fails if the tree lacks data that the cut needs, or if the index
  /// of the tree is damaged.
  public var onError: (any Error) -> Void = { _ in }

  /// Called when a query has succeeded. The errors of earlier queries are then out of date.
  package var onSuccess: () -> Void = {}

  private let now: @Sendable () -> Double
  private let budget: Double
  private let receive: (MapChange) -> Void
  private var latest: MapAnswer?
  /// The moves of badges that must still be passed on. For each badge, only the latest move is stored.
  private var moves = PendingMoves()
  private var reader: Task<Void, Never>?

  /// Number of badges that are passed on before the clock is read again.
  static let batch = 64

  /// Creates an animator.
  ///
  /// - Parameters:
  ///   - feed: Source of the answers. No other code may read answers from this feed.
  ///   - budget: Time on the main thread that a frame may take, including the time in which the view applies changes.
  ///     A frame always passes on at least one batch of 64 badges, even if this takes longer.
  ///   - timing: Durations of changes.
  ///   - clock: Source of the time.
  ///   - receive: Applies a change to the view. The closure must not return before the change is applied.
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

  /// The visible part of the map. Set this property whenever the map has moved. Setting it is cheap.
  public var viewport: Viewport? {
    get { feed.viewport }
    set { feed.viewport = newValue }
  }

  /// Whether there is work for the next frame.
  public var needsFrames: Bool { latest != nil || scene.isMoving || !moves.isEmpty }

  private func take(_ result: Result<MapAnswer, any Error>) {
    switch result {
    case .success(let answer):
      let wasIdle = !needsFrames
      latest = answer
      onSuccess()
      if wasIdle { onNeedsFrames() }
    case .failure(let error): onError(error)
    }
  }

  /// Passes on the changes that are due in this frame.
  public func frame() {
    let start = now()
    let deadline = start + budget
    let answer = latest
    latest = nil
    // If the tree was replaced after the query, the answer is useless.
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

  /// Removes all badges from the map, for example when no tree is shown any more.
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
