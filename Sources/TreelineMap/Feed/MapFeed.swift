import Synchronization
@_spi(Server) import Treeline

/// Supplies a map with the clusters of its visible part.
///
/// ```swift
/// let feed = MapFeed(tree)
/// feed.viewport = Viewport(center: paris, zoom: 12, width: 390, height: 844)    // whenever the map has moved
/// for await answer in feed.answers { ... }
/// ```
///
/// Queries run off the main thread, one at a time. Meanwhile only the latest request waits. An answer is discarded if
/// the tree, the filter or the cut has changed since it was requested. An answer for an earlier viewport is still
/// useful, unless it took longer than `patience`. Then it is discarded, too, and the map's next move cancels its task.
/// A tree's own query takes microseconds and runs to its end. A later answer replaces an answer that has not been read.
/// So however often the map moves, the feed holds one query and one answer.
public final class MapFeed: Sendable {
  /// A stream of answers. If a query fails, the stream has its error instead.
  public typealias Answers = AsyncStream<Result<MapAnswer, any Error>>

  /// A function that finds an answer. An error that it throws is passed on in the stream.
  package typealias Ask =
    @Sendable (_ tree: ClusterTree, _ query: Query, _ previous: Clusters?) async throws -> Clusters

  /// The answers. If several answers have not been read, only the latest is kept. Only one task may read the stream.
  public let answers: Answers

  /// Width of a margin around the screen, in pixels. Queries include the margin, so that its badges are on the map
  /// before a pan shows it. Only cuts with a criterion in pixels use it. With only a limit, clusters out of sight would
  /// use up the limit.
  public let margin: Double

  private let continuation: Answers.Continuation
  private let state: Mutex<State>
  private let now: @Sendable () -> Double
  private let patience: Double
  private let diameter: (@Sendable (Cluster) -> Double)?
  private let aggregates: [Aggregate]
  private let ask: Ask

  /// Settings of a feed other than the tree and the cut.
  public struct Options: Sendable {
    /// Margin around the screen that queries include, in pixels.
    public var margin = 64.0
    /// Time for which the feed waits for an answer after the map has moved on.
    public var patience = Duration.milliseconds(250)
    /// Returns the diameter of a cluster in pixels; nil for `MapAnswer.standardDiameter(of:in:for:)`.
    public var diameter: (@Sendable (Cluster) -> Double)?
    /// Aggregates of the clusters' values, such as `.first("name", by: "population")`. Each badge has them as
    /// `MapBadge.values`.
    public var aggregates: [Aggregate] = []

    /// The default settings.
    public init() {}
  }

  /// Creates a feed of a tree.
  ///
  /// - Parameters:
  ///   - tree: The tree, which may be filtered; nil if there is none yet.
  ///   - cut: How finely points are separated. If the tree does not support it, each answer is a `QueryError`.
  ///   - options: Other settings.
  ///   - clock: Measures how long a query takes.
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
    (diameter, aggregates) = (options.diameter, options.aggregates)
    now = clock.seconds
    self.ask = ask
  }

  deinit { continuation.finish() }
}

// MARK: - What is wanted

extension MapFeed {
  /// The visible part of the map; nil until it is known.
  public var viewport: Viewport? {
    get { state.withLock(\.viewport) }
    set { change { $0.viewport = newValue } }
  }

  /// The cut, which decides how finely points are separated.
  public var cut: Cut {
    get { state.withLock(\.cut) }
    set { change { $0.cut = newValue } }
  }

  /// The tree that answers. Set a new tree for another filter, too.
  public var tree: ClusterTree? {
    get { state.withLock(\.tree) }
    set {
      change {
        $0.tree = newValue
        $0.treeNumber += 1
      }
    }
  }

  /// Sets each tree of a sequence as it comes, such as a tree that is rebuilt whenever the points change. Returns when
  /// the sequence ends or the task is cancelled. An error of the sequence is thrown.
  public func follow<Trees: AsyncSequence & Sendable>(_ trees: Trees) async throws where Trees.Element == ClusterTree {
    for try await tree in trees { self.tree = tree }
  }

  /// Shows each map of a sequence as it comes, such as the maps of a `LiveMap`. A badge whose points stay, or most of
  /// them, stays on the map. Returns when the sequence ends or the task is cancelled. An error of the sequence is
  /// thrown.
  ///
  /// ```swift
  /// Task { try await feed.follow(live) }
  /// try await live.update(inserting: [bus])    // the map shows the bus
  /// ```
  public func follow<Maps: AsyncSequence & Sendable, Value>(_ maps: Maps) async throws
  where Maps.Element == ClusterMap<Value> {
    for try await map in maps { tree = map.tree }
  }

  /// Opens an index off the main thread and sets its tree.
  ///
  /// - Throws: `IndexError` if the index cannot be opened.
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
    /// Number of trees set before this one.
    var treeNumber: Int
    var query: Query
  }

  private struct State {
    var tree: ClusterTree?
    var treeNumber = 0
    var cut: Cut
    var viewport: Viewport?
    /// The task that answers, if one is running.
    var worker: Task<Void, Never>?
    var inFlight: (request: Request, since: Double)?
    /// The request that was answered last.
    var settled: Request?
    /// Answer to `settled`, which a cut with a limit may continue.
    var previous: Clusters?

    init(tree: ClusterTree?, cut: Cut) { (self.tree, self.cut) = (tree, cut) }

    /// The request to answer; nil if it has been answered already.
    var wanted: Request? {
      guard tree != nil, let viewport else { return nil }
      let request = Request(treeNumber: treeNumber, query: Query(cut, in: viewport))
      return request == settled ? nil : request
    }

    /// Whether the answer in flight is still worth showing.
    func isOfUse(at now: Double, patience: Double) -> Bool {
      guard let (request, since) = inFlight else { return false }
      guard request.treeNumber == treeNumber, request.query.cut == cut else { return false }
      return request.query.viewport == viewport || now - since <= patience
    }
  }

  private func makeWorker() -> Task<Void, Never> { Task.detached(priority: .userInitiated) { await self.work() } }

  /// Answers until no request is left or the task is cancelled. After a cancellation another worker takes over.
  private func work() async {
    while let (request, tree, previous) = begin() {
      let result: Result<(clusters: Clusters, answer: MapAnswer), any Error>
      do {
        let clusters = try await ask(tree, request.query.expanded(by: margin), previous)
        try Task.checkCancellation()
        let answer = try MapAnswer(clusters, of: request.query, diameter: diameter, aggregates: aggregates)
        result = .success((clusters, answer))
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
      // A limit can only continue an answer of the same tree.
      let previous = state.previous.flatMap { $0.tree.isSame(as: tree) ? $0 : nil }
      return (wanted, tree, previous)
    }
  }

  /// - Returns: Whether this worker continues.
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
  /// Returns a query with a margin around its viewport, in pixels. If its cut has no criterion in pixels, or its
  /// viewport has a margin already, the query does not change.
  fileprivate func expanded(by margin: Double) -> Query {
    guard cut.isByPixels, viewport.margin == 0, viewport.hasScale else { return self }
    return Query(cut, in: viewport.expanded(by: margin))
  }
}

extension Clock<Duration> {
  /// Returns a function for the seconds since now.
  var seconds: @Sendable () -> Double {
    let start = now
    return { start.duration(to: now) / .seconds(1) }
  }
}
