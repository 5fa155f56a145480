import PointSets
import Testing
import TreelineBuilder

@testable @_spi(Server) import Treeline

/// Checks estimates of the cost of a request. An estimate counts only the steps that are really taken. No step takes
/// time quadratic in the size of the request.
@Suite struct WorkEstimateTests {
  private static let count = 20_000

  private static func tree() throws -> ClusterTree {
    try ClusterTree((0..<count).map { Coordinate(longitude: Double($0 % 360) - 180, latitude: Double($0 / 360)) })
      .adding(columns: [
        IndexColumn(name: "number", kind: .number) { .number("\($0)") },
        IndexColumn(name: "text", kind: .text) { .string("name \($0)") },
        IndexColumn(name: "few", kind: .category) { .string("c\($0 % 10)") },
      ])
  }

  @Test func filtersCostWhatTheirConditionsDo() throws {
    let tree = try Self.tree()
    func steps(_ filter: Filter) -> Int { tree.estimate(ofSelecting: filter).steps }
    let one = steps(.where("number", .isLess, 3))
    #expect(one >= Self.count)
    #expect(steps(.where("number", .isLess, 3) && .where("number", .isGreater, 3)) > one)
    let text = steps(.where("text", .equals, "a"))
    #expect(text > 10 * one)
    // The texts of a list are all looked up in one pass. Texts in alternatives take one pass each.
    let many = (0..<250).map { "name \($0)" }
    #expect(steps(.where("text", in: many.map(FilterValue.text))) < 2 * text)
    let alternatives = many.dropFirst().reduce(Filter.where("text", .equals, .text(many[0]))) {
      $0 || .where("text", .equals, .text($1))
    }
    #expect(steps(alternatives) > 100 * text)
    #expect(steps(.where("text", isLike: "%a%")) >= Self.count * 10)
    #expect(steps(.where("nothing", .equals, 3)) < 2 * one)
    // A long zigzag needs more comparisons than a box.
    let zigzag = (0..<200).map { Coordinate(longitude: Double($0) * 1.5 - 150, latitude: $0 % 2 == 0 ? 1 : 50) }
    #expect(steps(.inside(polygon: zigzag)) > steps(.inside(.world)))
  }

  @Test func aggregatesCostWhatTheyRead() throws {
    let tree = try Self.tree()
    func estimate(_ aggregates: String, clusters: Int = 100, of tree: ClusterTree? = nil) throws -> WorkEstimate {
      try (tree ?? Self.tree()).estimate(of: Aggregate.list(aggregates), clusterCount: clusters)
    }
    let few = try estimate("counts(few)")
    let texts = try estimate("counts(text)")
    #expect(texts.valueBytes > Self.count * 10)
    #expect(few.valueBytes < 100 * 10 * 100)
    #expect(texts.steps > few.steps)
    #expect(try estimate("counts(text),counts(text)") == texts + texts)
    #expect(try estimate("counts(text)", clusters: .max).valueBytes < 100 * Self.count)
    #expect(try estimate("counts(text)", clusters: .min).valueBytes == 0)
    // The estimate is lower if data is already prepared.
    let sum = try estimate("sum(number)", of: tree).steps
    _ = try tree.clusters(.limit(3), in: .everything).values(of: [.sum("number")])
    #expect(try estimate("sum(number)", of: tree).steps < sum - Self.count)
    #expect(try estimate("sum(nothing)").steps < 100_000)
    #expect(tree.estimate(of: [.top(.max, of: "text"), .top(-1, of: "text")], clusterCount: .max).steps > 0)
  }

  @Test func numbersBeyondIntegersAreTheGreatest() {
    var estimate = WorkEstimate()
    estimate.add(.max, for: 2)
    #expect(estimate.steps == .max)
    estimate.add(1, for: 1)
    #expect((estimate + estimate).steps == .max)
  }
}
