import Testing
import TreelineBuilder

@_spi(Server) @testable import Treeline

/// Checks the bounds of scans, which read values point by point or text by text. A scan beyond its bound is refused
/// with an error.
@Suite(.serialized) struct ScanBoundTests {
  @Test func moreRowsThanAnAnswerReadsAreRefused() throws {
    let count = Aggregate.maximumRowsRead + 1
    let tree = try ClusterTree(
      [Coordinate](repeating: Coordinate(x: 0, y: 0), count: count), as: .planar,
      options: BuildOptions(splitRule: .mean)
    ).adding(columns: [IndexColumn(name: "flag", kind: .boolean) { .bool($0 % 3 == 0) }])
    let all = try tree.clusters(.limit(1), in: .everything)
    for aggregate in [Aggregate.median("flag"), .percentile(90, of: "flag")] {
      let error = AggregateError.tooManyRows(
        aggregate: "\(aggregate)", found: count, maximum: Aggregate.maximumRowsRead)
      #expect(throws: error) { try all.values(of: [aggregate]) }
      #expect("\(error)".contains("look at a smaller part of the map"))
    }
    #expect(try all.values(of: [.sum("flag")])[0][0] == .integer((count + 2) / 3))
    // With a filter, only the rows that pass count towards the bound.
    let passing = try tree.filtered(by: .where("flag", .equals, true)).clusters(.limit(1), in: .everything)
    #expect(try passing.values(of: [.median("flag")])[0][0] == .value(.bool(true)))
  }

  @Test func moreTextThanLikeLooksAtIsRefused() throws {
    let (length, count) = (1 << 20, 257)
    let end = String(repeating: "x", count: length)
    let tree = try ClusterTree((0..<count).map { Coordinate(x: Double($0), y: 0) }, as: .planar).adding(columns: [
      IndexColumn(name: "long", kind: .text) { .string("\($0)" + end) },
      IndexColumn(name: "short", kind: .text) { .string("\($0)x") },
    ])
    let error = #expect(throws: FilterError.self) { try tree.filtered(by: .where("long", isLike: "1%")) }
    guard case .tooMuchText(column: "long", let bytes, maximum: 1 << 28) = error else {
      Issue.record("Expected too much text, found \(String(describing: error))")
      return
    }
    #expect(bytes > count * length)
    #expect(try tree.filtered(by: .where("short", isLike: "1%")).filteredPointCount == 111)
  }
}
