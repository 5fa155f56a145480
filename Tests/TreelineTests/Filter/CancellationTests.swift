import PointSets
import Synchronization
import Testing
import TreelineBuilder

@testable @_spi(Server) import Treeline

/// Checks that work can be canceled at any point, and leaves no unfinished data behind.
@Suite(.serialized) struct CancellationTests {
  private static let columns = [
    IndexColumn(name: "integer", kind: .number) { .number("\($0 * 7 % 50_021)") },
    IndexColumn(name: "real", kind: .number) { .number("\($0 % 1009)e-20") },
    IndexColumn(name: "category", kind: .category) { .string("c\($0 % 300)") },
    IndexColumn(name: "text", kind: .text) { .string("t\($0 % 5000)") },
  ]

  private static let window = Filter.where("integer", isFrom: 10_000, to: 30_000)

  /// A name, and a query of a tree without a filter. Each query gets a new copy of the tree's columns.
  private typealias Question = (name: String, ask: @Sendable (ClusterTree) throws -> [String])

  private static let filters: [Question] = [
    ("test", { tree in ["\(try tree.filtered(by: window).filteredPointCount)"] }),
    ("like", { tree in ["\(try tree.filtered(by: .where("text", isLike: "%7_1%")).filteredPointCount)"] }),
    ("list", { tree in ["\(try tree.filtered(by: .where("text", in: ["t1", "t2", "t77"])).filteredPointCount)"] }),
    (
      "polygon",
      { tree in
        let corners = (0..<60).map { number in
          Coordinate(longitude: Double(number) * 5 - 150, latitude: number % 2 == 0 ? -70 : 70)
        }
        return ["\(try tree.filtered(by: .inside(polygon: corners)).filteredPointCount)"]
      }
    ),
    (
      "moved",
      { tree in
        let moved = try tree.filtered(
          by: .where("integer", isFrom: 10_050, to: 30_050), reusing: try tree.filtered(by: window))
        return ["\(moved.filteredPointCount)"]
      }
    ),
    (
      "clusters",
      { tree in
        let selected = try tree.filtered(by: window)
        try selected.prepareClusters(summaries: true)
        return try selected.clusters(.detail(40), in: .everything(zoom: 3)).map { "\($0.x) \($0.planeRadius)" }
      }
    ),
    ("histogram", { tree in ["\(try tree.histogram(of: "real", bins: 20))"] }),
  ]

  private static let aggregates = [
    "sum(integer)", "variance(integer)", "sum(real)", "variance(real)", "min(real)", "max(text)", "counts(category)",
    "top(text, 3)", "median(integer)", "percentile(real, 30)", "mode(integer)", "distinct(text)",
    "mean(integer, weight: integer)",
  ]

  private static let questions: [Question] =
    filters
    + aggregates.map { text -> Question in
      (
        name: text,
        ask: { tree in
          let list = try Aggregate.list(text)
          return try tree.clusters(.limit(7), in: .everything).values(of: list).map { "\($0)" }
        }
      )
    }

  @Test func everythingStopsAtAnyLook() throws {
    var random = SplitMix64(seed: 387)
    let shared = try Self.fresh()
    for (name, ask) in Self.questions {
      let expected = try ask(shared)
      // Runs once to the end, to count how often the work checks for cancellation.
      let looks = try Self.looks(stoppingAt: .max) { try ask(try Self.fresh()) }
      #expect(looks.result == expected, "\(name)")
      #expect(looks.count >= 2, "\(name) is looked at \(looks.count) times")
      let tree = try Self.fresh()
      for number in [0, 1, looks.count - 1] + (0..<3).map({ _ in random.index(below: looks.count) }) {
        let stopped = try Self.looks(stoppingAt: number) { try ask(tree) }
        // An earlier run may have prepared some data. This run does not prepare that data again, so it may end before
        // its check with this number.
        if stopped.count > number { #expect(stopped.result == nil, "\(name) at look \(number), seed 387") }
      }
      #expect(try ask(tree) == expected, "\(name) after it was cancelled")
    }
  }

  private static let coordinates = {
    var random = SplitMix64(seed: 386)
    return (0..<70_000).map { _ in
      Coordinate(longitude: random.number(from: -180, to: 180), latitude: random.number(from: -80, to: 80))
    }
  }()
  private static let built = Result {
    try ClusterTree(coordinates, options: BuildOptions(splitRule: .mean)).adding(columns: columns)
  }

  /// Returns the tree with columns for which no data is prepared yet.
  private static func fresh() throws -> ClusterTree {
    let tree = try built.get()
    return tree.with(columns: tree.columns) { withExtendedLifetime(tree) {} }
  }

  private static func looks(stoppingAt number: Int, _ work: () throws -> [String]) throws -> (
    count: Int, result: [String]?
  ) {
    let counter = Counter(number)
    do {
      let result = try Cancellation.run(unless: { counter.look() }, work)
      return (counter.count, result)
    } catch is CancellationError { return (counter.count, nil) }
  }

  private final class Counter: Sendable {
    private let number: Int
    private let looks = Atomic<Int>(0)

    init(_ number: Int) { self.number = number }

    var count: Int { looks.load(ordering: .relaxed) }

    func look() -> Bool { looks.add(1, ordering: .relaxed).oldValue >= number }
  }

  @Test func whatIsNotCancelledIsAsItWas() throws {
    #expect(try Cancellation.run(unless: { false }) { 7 } == 7)
    #expect(throws: QueryError.noZoom) { try Cancellation.run(unless: { false }) { throw QueryError.noZoom } }
    #expect(throws: CancellationError.self) { try Cancellation.run(unless: { true }) { throw QueryError.noZoom } }
    #expect(throws: CancellationError.self) { try Cancellation.run(unless: { true }) { 7 } }
    try Cancellation.check()
  }
}
