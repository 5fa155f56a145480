import Synchronization
@_spi(Server) import Treeline

/// Keeps a map supplied with the answer to what is on the screen.
///
/// ```swift
/// let feed = MapFeed(tree)
/// feed.viewport = Viewport(center: paris, zoom: 12, width: 390, height: 844)    // whenever the map has moved
/// for await answer in feed.answers { ... }
/// ```
///
/// Queries run off the main thread, one at a time: what is asked meanwhile waits, and only the latest of it. An answer
/// that comes when the tree, the filter or the cut is another by now is discarded. One for where the map was a moment
/// ago is still of use, unless it took longer than `patience`: then it is discarded, too, and the map's next move
/// cancels its task. A tree's own query, of microseconds, runs to its end. Answers nobody has taken give way to later
/// ones, so however often the map moves, one query and one answer are held.
public final class MapFeed: Sendable {
  /// Answers, or why there is none.
  public typealias Answers = AsyncStream<Result<MapAnswer, any Error>>

  /// Finds an answer; what it throws is passed on.
  package typealias Ask =
    @Sendable (_ tree: ClusterTree, _ query: Query, _ previous: Clusters?) async throws -> Clusters

  /// The answers, the latest alone where several wait. One task may read them.
  public let answers: Answers

  /// How many pixels around the screen are asked for too, so that a pan finds badges there already. Only a cut by
  /// pixels has it, for a limit would be spent on what is out of sight.
  public let margin: Double

  private let continuation: Answers.Continuation
  private let state: Mutex<State>
  private let now: @Sendable () -> Double
  private let patience: Double
  private let diameter: (@Sendable (Cluster) -> Double)?
  private let ask: Ask

  /// What a feed goes by besides the tree and the cut.
  public struct Options: Sendable {
    /// How many pixels around the screen are asked for too.
    public var margin = 64.0
    /// How long an answer to where the map was before is waited for.
    public var patience = Duration.milliseconds(250)
    /// With what diameter a cluster is drawn, in pixels; nil for `MapAnswer.standardDiameter(of:in:for:)`.
    public var diameter: (@Sendable (Cluster) -> Double)?

    /// The usual ones.
    public init() {}
  }

  /// A feed of a tree.
  ///
  /// - Parameters:
  ///   - tree: The tree, or one that is filtered; nil for none yet.
  ///   - cut: How finely points are told apart. The tree must support it, or each answer is a `QueryError`.
  ///   - options: What else it goes by.
  ///   - clock: Tells how long a query takes.
  public convenience init(
    _ tree: ClusterTree? = nil, cut: Cut = .spacing(PixelCriterion.spacing.standard), options: Options = Options(),
    clock: some Clock<Duration> = ContinuousClock()
  ) {
    self.init(tree, cut: cut, options: options, clock: clock) { try $0.clusters($1, after: $2) }
  }

  package init(
    _ tree: ClusterTree?, cut: Cut, options: Options, clock: some Clock<Duration>, ask: @escaping Ask
  ) {
    (answers, continuation) = Answers.makeStream(bufferingPolicy: .bufferingNewest(1))
    state = Mutex(State(tree: tree, cut: cut))
    margin = options.margin
    patience = options.patience / .seconds(1)
    diameter = options.diameter
    now = clock.seconds
    self.ask = ask
  }

  deinit { continuation.finish() }
}

// MARK: - What is wanted

extension MapFeed {
  /// What is looked at; nil as long as nobody knows.
  public var viewport: Viewport? {
    get { state.withLock(\.viewport) }
    set { change { $0.viewport = newValue } }
  }

  /// How finely points are told apart.
  public var cut: Cut {
    get { state.withLock(\.cut) }
    set { change { $0.cut = newValue } }
  }

  /// The tree that answers; another filter is another tree, too.
  public var tree: ClusterTree? {
    get { state.withLock(\.tree) }
    set {
      change {
        $0.tree = newValue
        $0.treeNumber += 1
      }
    }
  }

  /// Takes each tree of a sequence as it comes, such as one that is built anew whenever the points change, until the
  /// sequence ends or the task is cancelled. What the sequence throws is thrown.
  public func follow<Trees: AsyncSequence & Sendable>(_ trees: Trees) async throws where Trees.Element == ClusterTree {
    for try await tree in trees { self.tree = tree }
  }

  /// Takes the tree of an index, which is opened off the main thread.
  ///
  /// - Throws: `IndexError` where it cannot be opened.
  public func open(index path: String) async throws { tree = try ClusterTree(index: path) }

  private func change(_ body: (inout State) -> Void) {
    state.withLock { state in
      body(&state)
      if state.inFlight != nil {
        if !state.isOfUse(at: now(), patience: patience) { state.worker?.cancel() }
      } else if state.worker == nil, state.wanted != nil {
        state.worker = makeWorker()
      }
    }
  }
}

// MARK: - Answering

extension MapFeed {
  private struct Request: Equatable, Sendable {
    /// Which of the trees that the feed was given.
    var treeNumber: Int
    var query: Query
  }

  private struct State {
    var tree: ClusterTree?
    var treeNumber = 0
    var cut: Cut
    var viewport: Viewport?
    /// The task that answers, if there is one.
    var worker: Task<Void, Never>?
    var inFlight: (request: Request, since: Double)?
    /// What was answered last.
    var settled: Request?
    /// Its answer, which a limit may continue.
    var previous: Clusters?

    init(tree: ClusterTree?, cut: Cut) { (self.tree, self.cut) = (tree, cut) }

    /// What is to be answered; nil where it has been.
    var wanted: Request? {
      guard tree != nil, let viewport else { return nil }
      let request = Request(treeNumber: treeNumber, query: Query(cut, in: viewport))
      return request == settled ? nil : request
    }

    /// Whether the answer that is waited for is still to be shown.
    func isOfUse(at now: Double, patience: Double) -> Bool {
      guard let (request, since) = inFlight else { return false }
      guard request.treeNumber == treeNumber, request.query.cut == cut else { return false }
      return request.query.viewport == viewport || now - since <= patience
    }
  }

  private func makeWorker() -> Task<Void, Never> { Task.detached(priority: .userInitiated) { await self.work() } }

  /// Answers until nothing is left to answer, or until it is cancelled: then another worker takes over.
  private func work() async {
    while let (request, tree, previous) = begin() {
      let result: Result<(clusters: Clusters, answer: MapAnswer), any Error>
      do {
        let clusters = try await ask(tree, request.query.expanded(by: margin), previous)
        try Task.checkCancellation()
        result = .success((clusters, try MapAnswer(clusters, of: request.query, diameter: diameter)))
      } catch {
        result = .failure(error)
      }
      guard end(request, with: result) else { return }
    }
  }

  private func begin() -> (Request, ClusterTree, Clusters?)? {
    state.withLock { state in
      guard let wanted = state.wanted, let tree = state.tree else {
        state.worker = nil
        return nil
      }
      state.inFlight = (wanted, now())
      // A limit continues answers of its own tree alone.
      let previous = state.previous.flatMap { $0.tree.isSame(as: tree) ? $0 : nil }
      return (wanted, tree, previous)
    }
  }

  /// - Returns: Whether this worker goes on.
  private func end(_ request: Request, with result: Result<(clusters: Clusters, answer: MapAnswer), any Error>) -> Bool
  {
    state.withLock { state in
      if state.isOfUse(at: now(), patience: patience), !Task.isCancelled {
        state.settled = request
        state.previous = try? result.get().clusters
        continuation.yield(result.map(\.answer))
      }
      state.inFlight = nil
      guard Task.isCancelled else { return true }
      state.worker = state.wanted == nil ? nil : makeWorker()
      return false
    }
  }
}

extension Query {
  /// The same with a margin around what is looked at, in pixels, if its cut goes by pixels and no margin was asked for.
  fileprivate func expanded(by margin: Double) -> Query {
    guard cut.isByPixels, viewport.margin == 0, viewport.hasScale else { return self }
    return Query(cut, in: viewport.expanded(by: margin))
  }
}

extension Clock<Duration> {
  /// The seconds since now, whenever it is asked.
  var seconds: @Sendable () -> Double {
    let start = now
    return { start.duration(to: now) / .seconds(1) }
  }
}
