import Testing
@_spi(Server) import Treeline
import TreelineBuilder

@testable import TreelineMap

/// Badges have the values of the feed's aggregates.
@Suite struct BadgeValueTests {
  private static let names = ["a", "b", "c", "d"]
  private static let populations = [5, 9, 2, 1]

  private func tree() throws -> ClusterTree {
    try MapSceneRulesTests.tree.adding(columns: [
      IndexColumn(name: "name") { .string(Self.names[$0]) },
      IndexColumn(name: "population", kind: .number) { .number("\(Self.populations[$0])") },
    ])
  }

  @Test func everyBadgeHasAFace() async throws {
    var options = MapFeed.Options()
    options.aggregates = [.first("name", by: "population"), .sum("population")]
    let feed = MapFeed(try tree(), cut: .limit(2, order: .widestFirst), options: options)
    feed.viewport = .everything
    for await answer in feed.answers {
      var scene = MapScene()
      _ = scene.show(try answer.get(), at: 0)
      let values = scene.answerBadges.map { $0.values.map { "\($0)" } }
      #expect(values.sorted { $0[0] < $1[0] } == [["b", "14"], ["c", "3"]])
      break
    }
  }

  @Test func aggregatesOfUnknownColumnsAreErrors() async throws {
    var options = MapFeed.Options()
    options.aggregates = [.sum("rooms")]
    let feed = MapFeed(try tree(), cut: .limit(2), options: options)
    feed.viewport = .everything
    for await answer in feed.answers {
      #expect(throws: AggregateError.unknownColumn(name: "rooms", known: ["name", "population"])) { try answer.get() }
      break
    }
  }
}
