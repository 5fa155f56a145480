import Synchronization
@_spi(Server) import Treeline

/// Supplies a map with the clusters in its visible part.
///
/// ```swift
/// let feed = MapFeed(tree)
/// feed.viewport = Viewport(center: louvre, zoom: 12, width: 390, height: 844)    // whenever the map has moved
/// for await answer in feed.answers { ... }
/// ```
///
/// Queries run off the main thread, one at a time, and only the latest request waits. So the feed never holds more
/// than one query and one unread answer, however often the map moves. The unread answer is always the latest answer.
///
/// An answer is discarded if the tree, its filter or the cut has changed since the request. If only the viewport has
/// changed, the answer is still shown. But after a query has taken longer than `patience`, the next move of the map
/// cancels the task of the query, and the answer is discarded. Queries of a tree in memory take microseconds and are
/// not interrupted.
public final class MapFeed: Sendable {
  /// A stream of answers. If a query fails, the stream contains the error instead of an answer.
  public typealias Answers = AsyncStream<Result<MapAnswer, any Error>>

  /// A function that answers queries. If it throws an error, the stream gets the error.
  package typealias Ask =
    @Sendable (_ tree: ClusterTree, _ query: Query, _ previous: Clusters?) async throws -> Clusters

  /// The answers. Of several unread answers, only the latest is kept. Only one task may read the stream.
  public let answers: Answers

  /// Width, in pixels, of a margin around the screen. Queries include the margin, so the badges in the margin are
  /// already on the map when a pan brings them into view. The margin applies only to cuts with a detail, a spacing or
  /// badges. A cut with only a limit gets no margin, because clusters in the margin would take the places of clusters
  /// on the screen.
  public let margin: Double

  private let continuation: Answers.Continuation
  private let state: Mutex<State>
  private let now: @Sendable () -> Double
  private let patience: Double
  private let diameter: (@Sendable (Cluster) -> Double)?
  private let aggregates: [Aggregate]
  private let ask: Ask

  /// Settings of a feed, except its tree and cut.
  public struct Options: Sendable {
    /// Width, in pixels, of a margin around the screen. Queries include this margin.
    public var margin = 64.0
    /// If a query has taken longer than this time, the next move of the map cancels the query.
    public var patience = Duration.milliseconds(250)
    /// Returns the diameter of a cluster's badge in pixels; nil to use `MapAnswer.standardDiameter(of:in:for:)`.
    public var diameter: (@Sendable (Cluster) -> Double)?
    /// Aggregates of each cluster's values, such as `.first("name", by: "population")`. `MapBadge.values` contains the
    /// results.
    public var aggregates: [Aggregate] = []

    /// The default settings.
    public init() {}
  }

  /// Creates a feed of a tree.
  ///
  /// - Parameters:
  ///   - tree: The tree, which may have a filter; nil if no tree exists yet.
  ///   - cut: The cut of the tree; nil for the cut that suits the tree best. If the tree does not support the cut, each
  ///     query fails with a `QueryError`.
  ///   - options: Other settings.
  ///   - clock: Clock with which `patience` is measured.
  public convenience init(
    _ tree: ClusterTree? = nil, cut: Cut? = nil, options: Options = Options(),
    clock: some Clock<Duration> = ContinuousClock()
  ) {
    self.init(tree, cut: cut, options: options, clock: clock) { try $0.clusters($1, after: $2) }
  }

  package init(
    _ tree: ClusterTree?, cut: Cut?, options: Options, clock: some Clock<Duration>, ask: @escaping Ask
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

// MARK: - Inputs

extension MapFeed {
  /// The visible part of the map; nil until the visible part is known.
  public var viewport: Viewport? {
    get { state.withLock(\.viewport) }
    set { change { $0.viewport = newValue } }
  }

  /// The cut of the tree; nil for the cut that suits the tree best. For a tree that was built for badges, the best cut
  /// has badges. For other trees with separations, it has a spacing of 44 px. For other trees with groups, it has a
  /// detail. For all remaining trees, it has a limit that depends on the size of the view.
  public var cut: Cut? {
    get { state.withLock(\.cut) }
    set { change { $0.cut = newValue } }
  }

  /// The cut of the next query. This is `cut` or, if `cut` is nil, the cut that suits the tree best. If the cut has a
  /// size in pixels, such as a spacing of 44 px, this size is multiplied by `scale`.
  @_spi(MapLibre) public var shownCut: Cut { state.withLock(\.shownCut) }

  /// Factor, such as the user's text scale, by which the cut's size in pixels is multiplied. A limit is a number of
  /// clusters, and stays unchanged.
  package var scale: Double {
    get { state.withLock(\.scale) }
    set { change { $0.scale = newValue } }
  }

  /// The tree that answers queries. To change the filter, set this property to the tree with another filter.
  public var tree: ClusterTree? {
    get { state.withLock(\.tree) }
    set {
      change {
        $0.tree = newValue
        $0.treeNumber += 1
      }
    }
  }

  /// Sets `tree` to each tree of a sequence when the tree arrives. For example, an app may rebuild its tree whenever
  /// the points change. Returns when the sequence ends or the task is cancelled. Throws the error of the sequence.
  public func follow<Trees: AsyncSequence & Sendable>(_ trees: Trees) async throws where Trees.Element == ClusterTree {
    for try await tree in trees { self.tree = tree }
  }

  /// Shows each map of a sequence, such as a `LiveMap`, as soon as the map arrives. A badge stays if it keeps most of
  /// its points. Returns when the sequence ends or the task is cancelled. Throws the error of the sequence.
  ///
  /// ```swift
  /// Task { try await feed.follow(live) }
  /// try await live.update(inserting: [bus])    // the map shows the bus
  /// ```
  public func follow<Maps: AsyncSequence & Sendable, Value>(_ maps: Maps) async throws
  where Maps.Element == ClusterMap<Value> {
    for try await map in maps { tree = map.tree }
  }

  /// Opens an index off the main thread and sets `tree` to the tree of the index.
  ///
  /// - Throws: `IndexError` if the index cannot be opened.
  public func openIndex(atPath path: String) async throws { tree = try ClusterTree(contentsOfFile: path) }

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
  private struct Request: Sendable {
    /// Number of trees that were set before the tree of this request.
    var treeNumber: Int
    var query: Query

    func isSame(as other: Request) -> Bool {
      treeNumber == other.treeNumber && query.cut.isSame(as: other.query.cut)
        && query.viewport.isSame(as: other.query.viewport)
    }
  }

  private struct State {
    var tree: ClusterTree?
    var treeNumber = 0
    var cut: Cut?
    var scale = 1.0
    var viewport: Viewport?
    /// The task that answers requests; nil if no task is running.
    var worker: Task<Void, Never>?
    var inFlight: (request: Request, since: Double)?
    /// The latest request that was answered.
    var settled: Request?
    /// Clusters of the answer to the request in `settled`; nil if this request failed. If the cut has a limit, the
    /// next answer may keep some of these clusters.
    var previous: Clusters?

    init(tree: ClusterTree?, cut: Cut?) { (self.tree, self.cut) = (tree, cut) }

    var shownCut: Cut { (cut ?? tree.map { .standard(of: $0, in: viewport) } ?? .standard).scaled(by: scale) }

    /// The request that must be answered next; nil if the current request already has an answer.
    var wanted: Request? {
      guard tree != nil, let viewport else { return nil }
      let request = Request(treeNumber: treeNumber, query: Query(shownCut, in: viewport))
      return settled.map { request.isSame(as: $0) } ?? false ? nil : request
    }

    /// Whether the answer of the running query would be shown if it arrived now.
    func isOfUse(at now: Double, patience: Double) -> Bool {
      guard let (request, since) = inFlight else { return false }
      guard request.treeNumber == treeNumber, request.query.cut.isSame(as: shownCut) else { return false }
      return viewport.map { request.query.viewport.isSame(as: $0) } ?? false || now - since <= patience
    }
  }

  private func makeWorker() -> Task<Void, Never> { Task.detached(priority: .userInitiated) { await self.work() } }

  /// Answers requests until no request waits or the task is cancelled. After a cancellation, another worker continues.
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
      // The next answer can keep clusters of the previous answer only if both answers are of the same tree.
      let previous = state.previous.flatMap { $0.tree.isSame(as: tree) ? $0 : nil }
      return (wanted, tree, previous)
    }
  }

  /// Stores the result of a request.
  ///
  /// - Returns: Whether this worker should continue.
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

extension Equatable {
  /// Whether two values are equal, or both contain NaN. A value with NaN does not equal itself. If requests were
  /// compared by `==`, the feed would repeat a query with NaN without end.
  fileprivate func isSame(as other: Self) -> Bool { self == other || self != self && other != other }
}

extension Query {
  /// Returns the query with a margin of `margin` pixels around its viewport. Returns the query unchanged if its cut
  /// has only a limit, if its viewport already has a margin, or if its viewport has no zoom.
  fileprivate func expanded(by margin: Double) -> Query {
    guard cut.isByPixels, viewport.margin == 0, viewport.hasScale else { return self }
    return Query(cut, in: viewport.expanded(by: margin))
  }
}

extension Clock<Duration> {
  /// A function that returns the number of seconds since this property was read.
  var seconds: @Sendable () -> Double {
    let start = now
    return { start.duration(to: now) / .seconds(1) }
  }
}
