import PointSets
import Synchronization
import TestSupport
import Testing
@_spi(Server) import Treeline
import TreelineBuilder
@_spi(MapLibre) @testable import TreelineMap

/// Checks the queries of a feed. It runs only one query at a time.
@Suite struct MapFeedTests {
  static let tree = try! PointSet("a thousand points", points()).tree()

  static func points() -> [Coordinate] {
    var random = SplitMix64(seed: 3)
    return (0..<1000).map { _ in
      Coordinate(longitude: random.number(from: -10, to: 10), latitude: random.number(from: -10, to: 10))
    }
  }

  static func view(_ longitude: Double) -> Viewport {
    Viewport(center: Coordinate(longitude: longitude, latitude: 0), zoom: 6, width: 400, height: 400)
  }

  @Test func answersTheViewWithAMargin() async throws {
    let feed = MapFeed(Self.tree, cut: .detail(20))
    feed.viewport = Self.view(0)
    var answers = feed.answers.makeAsyncIterator()
    let answer = try #require(await answers.next()).get()
    let wider = Viewport(center: Coordinate(longitude: 0, latitude: 0), zoom: 6, width: 400, height: 400, margin: 64)
    #expect(answer.clusters == (try Self.tree.clusters(.detail(20), in: wider)))
    #expect(answer.clusters.count > (try Self.tree.clusters(.detail(20), in: Self.view(0))).count)
    // With a limit, only clusters in the view itself count, without the margin.
    feed.cut = .limit(12)
    #expect(try #require(await answers.next()).get().clusters == Self.tree.clusters(.limit(12), in: Self.view(0)))
  }

  @Test func onlyTheLatestOfManyChangesIsAsked() async throws {
    let gate = Gate()
    let feed = MapFeed(Self.tree, cut: .limit(10), options: .init(), clock: ManualClock(), ask: gate.ask)
    for step in 0..<1000 { feed.viewport = Self.view(Double(step) / 1000) }
    await gate.waitForQuestion(1)
    for step in 1000..<2000 { feed.viewport = Self.view(Double(step) / 1000) }
    gate.open()
    var answers = feed.answers.makeAsyncIterator()
    var last: MapAnswer?
    while last?.query.viewport != Self.view(1.999) { last = try #require(await answers.next()).get() }
    #expect(gate.askedCount == 2)
    #expect(gate.mostInFlight == 1)
  }

  @Test func theSameViewIsAskedOnce() async throws {
    let gate = Gate(isOpen: true)
    let feed = MapFeed(Self.tree, cut: .limit(10), options: .init(), clock: ManualClock(), ask: gate.ask)
    var answers = feed.answers.makeAsyncIterator()
    feed.viewport = Self.view(1)
    _ = await answers.next()
    for _ in 0..<100 { feed.viewport = Self.view(1) }
    feed.viewport = Self.view(2)
    #expect(try #require(await answers.next()).get().query.viewport == Self.view(2))
    #expect(gate.askedCount == 2)
  }

  @Test func anAnswerToWhereTheMapWasAMomentAgoIsStillOfUse() async throws {
    let (gate, clock) = (Gate(), ManualClock())
    let feed = MapFeed(Self.tree, cut: .limit(10), options: .init(), clock: clock, ask: gate.ask)
    feed.viewport = Self.view(1)
    await gate.waitForQuestion(1)
    clock.advance(by: .milliseconds(200))
    feed.viewport = Self.view(2)
    #expect(!gate.isCancelled)
    gate.answerOne()
    var answers = feed.answers.makeAsyncIterator()
    #expect(try #require(await answers.next()).get().query.viewport == Self.view(1))
    gate.open()
    #expect(try #require(await answers.next()).get().query.viewport == Self.view(2))
  }

  @Test(arguments: ["patience", "cut", "tree"]) func whatIsStaleIsCancelledAndDiscarded(_ reason: String) async throws {
    let (gate, clock) = (Gate(), ManualClock())
    let feed = MapFeed(Self.tree, cut: .limit(10), options: .init(), clock: clock, ask: gate.ask)
    feed.viewport = Self.view(1)
    await gate.waitForQuestion(1)
    switch reason {
    case "patience":
      clock.advance(by: .milliseconds(251))
      feed.viewport = Self.view(2)
    case "cut": feed.cut = .limit(20)
    default: feed.tree = try PointSet("others", Self.points()).tree()
    }
    await gate.waitForCancellation()
    // The canceled query still runs to its end. Only then does the feed start the next query.
    #expect(gate.askedCount == 1)
    gate.open()
    var answers = feed.answers.makeAsyncIterator()
    let answer = try #require(await answers.next()).get()
    #expect(answer.query.viewport == feed.viewport && answer.query.cut == feed.cut)
    #expect(answer.tree.isSame(as: feed.tree!))
    #expect(gate.askedCount == 2)
    #expect(gate.mostInFlight == 1)
  }

  @Test func aCutThatTheTreeHasNotIsAnErrorAndNotTheEnd() async throws {
    let feed = MapFeed(Self.tree, cut: .spacing(44))
    feed.viewport = Self.view(0)
    var answers = feed.answers.makeAsyncIterator()
    let failed = try #require(await answers.next())
    #expect(throws: QueryError.self) { try failed.get() }
    feed.cut = .limit(5)
    #expect(try #require(await answers.next()).get().clusters.count == 5)
  }

  private static func invalid(
    longitude: Double = 0, zoom: Double = 6, width: Double = 400, margin: Double = 0
  ) -> Viewport {
    Viewport(
      center: Coordinate(longitude: longitude, latitude: 0), zoom: zoom, width: width, height: 400, margin: margin)
  }

  /// A query with NaN does not equal itself. Even so, it must be asked only once.
  @Test(arguments: [
    (invalid(zoom: .nan), Cut.limit(10)), (invalid(width: .nan), .limit(10)), (invalid(longitude: .nan), .limit(10)),
    (invalid(margin: .nan), .limit(10)), (view(0), .detail(.nan)), (view(0), .spacing(.nan)),
    (invalid(zoom: .nan), .spacing(.nan)), (invalid(width: 0), .limit(10)), (view(0), .detail(-1)),
  ]) func anInvalidQueryGivesOneError(_ viewport: Viewport, _ cut: Cut) async throws {
    let gate = Gate(isOpen: true)
    let feed = MapFeed(Self.tree, cut: cut, options: .init(), clock: ManualClock(), ask: gate.ask)
    var answers = feed.answers.makeAsyncIterator()
    feed.viewport = viewport
    let failed = try #require(await answers.next())
    #expect(throws: QueryError.self) { try failed.get() }
    for _ in 0..<20 {
      feed.viewport = viewport
      await pause()
    }
    #expect(gate.askedCount == 1)
    feed.viewport = Self.view(1)
    feed.cut = .limit(12)
    // There may be one more query, between the change of the viewport and the change of the cut.
    let last = Query(.limit(12), in: Self.view(1))
    var answer = try #require(await answers.next())
    for _ in 0..<2 where (try? answer.get().query) != last { answer = try #require(await answers.next()) }
    #expect(try answer.get().query == last)
    #expect(gate.askedCount <= 3)
  }

  @Test func theDefaultCutFollowsTheTreeAndTheView() async throws {
    let points = Self.points()
    let feed = MapFeed()
    feed.viewport = Self.view(0)
    var answers = feed.answers.makeAsyncIterator()
    let groups = try PointGroups(points.indices.map { .named("\($0 % 200)") })
    // A view of 400 by 400 px takes 6 by 6 squares of 88 px.
    for (tree, cut) in [
      (Self.tree, Cut.limit(36)),
      (try ClusterTree(points, options: BuildOptions(supporting: .spacing)), .spacing(44)),
      (try ClusterTree(points, options: BuildOptions(supporting: .badges())), .badges()),
      (try ClusterTree(points, groupedBy: groups), .detail(20)),
    ] {
      feed.tree = tree
      let answer = try #require(await answers.next()).get()
      #expect(answer.query.cut == cut && feed.shownCut == cut && feed.cut == nil)
      #expect(!answer.clusters.isEmpty)
    }
    feed.tree = Self.tree
    _ = await answers.next()
    feed.viewport = Viewport(center: Coordinate(longitude: 0, latitude: 0), zoom: 6, width: 800, height: 400)
    #expect(try #require(await answers.next()).get().query.cut == .limit(11 * 6))
    feed.cut = .limit(7)
    #expect(try #require(await answers.next()).get().query.cut == .limit(7))
  }

  @Test func aScaleWidensCutsByPixelsAndLeavesLimits() {
    let feed = MapFeed(Self.tree, cut: .detail(20))
    feed.scale = 1.5
    #expect(feed.shownCut == .detail(30) && feed.cut == .detail(20))
    feed.cut = nil
    #expect(feed.shownCut == .standard)
  }

  @Test func treesOfASequenceAndOfAnIndexAreTaken() async throws {
    let feed = MapFeed(cut: .limit(5))
    feed.viewport = Self.view(0)
    var answers = feed.answers.makeAsyncIterator()
    let (trees, continuation) = AsyncStream<ClusterTree>.makeStream()
    let following = Task { try await feed.follow(trees) }
    continuation.yield(Self.tree)
    #expect(try #require(await answers.next()).get().tree.isSame(as: Self.tree))
    let other = try PointSet("others", Self.points()).tree()
    continuation.yield(other)
    #expect(try #require(await answers.next()).get().tree.isSame(as: other))
    continuation.finish()
    try await following.value
    await #expect(throws: IndexError.self) { try await feed.openIndex(atPath: "/no/such/index") }
    #expect(feed.tree?.isSame(as: other) == true)
  }

  @Test func aLimitContinuesThePreviousAnswer() async throws {
    let gate = Gate(isOpen: true)
    let cut = Cut.limit(10, continuity: .continuing)
    let feed = MapFeed(Self.tree, cut: cut, options: .init(), clock: ManualClock(), ask: gate.ask)
    var answers = feed.answers.makeAsyncIterator()
    var previous: Clusters?
    for step in 0..<20 {
      feed.viewport = Self.view(Double(step) / 3)
      let clusters = try #require(await answers.next()).get().clusters
      #expect(clusters == (try Self.tree.clusters(cut, in: Self.view(Double(step) / 3), after: previous)))
      previous = clusters
    }
  }
}

/// A source of answers that counts the queries, and holds each answer back until its gate is open.
final class Gate: Sendable {
  private struct State {
    var asked: [Query] = []
    var inFlight = 0
    var mostInFlight = 0
    var isOpen: Bool
    var permits = 0
    var isCancelled = false
  }

  private let state: Mutex<State>

  init(isOpen: Bool = false) { state = Mutex(State(isOpen: isOpen)) }

  var askedCount: Int { state.withLock { $0.asked.count } }
  var mostInFlight: Int { state.withLock { $0.mostInFlight } }
  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  func open() { state.withLock { $0.isOpen = true } }
  func answerOne() { state.withLock { $0.permits += 1 } }

  @Sendable func ask(_ tree: ClusterTree, _ query: Query, _ previous: Clusters?) async throws -> Clusters {
    state.withLock {
      $0.asked.append(query)
      $0.inFlight += 1
      $0.mostInFlight = max($0.mostInFlight, $0.inFlight)
    }
    defer { state.withLock { $0.inFlight -= 1 } }
    while true {
      let passes = state.withLock { state in
        if Task.isCancelled { state.isCancelled = true }
        guard !state.isOpen else { return true }
        guard state.permits > 0 else { return false }
        state.permits -= 1
        return true
      }
      if passes { break }
      await pause()
    }
    return try tree.clusters(query, after: previous)
  }

  func waitForQuestion(_ count: Int) async { await wait { askedCount >= count } }
  func waitForCancellation() async { await wait { isCancelled } }
}
