import PointSets
import TestSupport
import Testing
import Treeline
@testable import TreelineBuilder

/// Checks that a build in pieces gives the same columns and row numbers, byte for byte, as a build in memory.
@Suite struct PiecewiseColumnsExhaustiveTests {
  @Test(
    arguments: [
      PointSet.cities(3000, seed: 51), .nullIsland(stack: 900, noise: 900, seed: 52), PointSet("none", []),
      PointSet("one", [Coordinate(longitude: 1, latitude: 2)]), .planar(2000, x: -3...9, y: 0...1, seed: 53),
    ])
  func columnsOfAllKindsGiveTheSameBytes(_ set: PointSet) throws {
    let columns = TestColumn.all(seed: UInt64(set.coordinates.count))
    let expected = try set.indexBytes(columns: columns)
    for (pieceSize, threads) in [(17, 1), (100, 2), (1000, 1), (100_000, 2)] {
      let build = PiecewiseBuild(
        set: set, pieceSize: pieceSize, parts: 1 + pieceSize % 5, threads: threads, shufflesPieces: pieceSize != 100,
        columns: columns)
      #expect(try build.run().index == expected, "pieces of \(pieceSize)")
    }
  }

  @Test func randomColumnsGiveTheSameBytes() throws {
    for seed in Trials.seeds(40, from: 1) {
      let set = PointSet.random(seed: seed, upTo: 800)
      var random = SplitMix64(seed: seed)
      let columns = random.shuffled(TestColumn.all(seed: seed)).prefix(1 + random.index(below: 6))
      let kept = columns.filter { $0.purpose == .attribute } + columns.filter { $0.purpose != .attribute }
      let build = PiecewiseBuild(
        set: set, pieceSize: 17 + random.index(below: 300), parts: 1 + random.index(below: 5),
        shufflesPieces: seed % 2 == 0, columns: kept)
      #expect(try build.run().index == set.indexBytes(columns: kept), "\(set), seed \(seed)")
    }
  }

  /// Tests columns with more distinct values than a survey keeps. These values are gathered in an extra step.
  @Test func longDictionariesGiveTheSameBytes() throws {
    let set = PointSet.uniformWorld(70_000, seed: 5)
    let columns = [
      TestColumn(purpose: .typed(nil), name: "names") { .string("\($0)") },
      TestColumn(purpose: .typed(.category), name: "categories") { $0 == 3 ? nil : .number("\($0)") },
    ]
    let found = try PiecewiseBuild(set: set, pieceSize: 9000, parts: 4, columns: columns).run().index
    #expect(try found == set.indexBytes(columns: columns))
  }

  @Test func rowNumbersOfAnyLengthGiveTheSameBytes() throws {
    for (seed, factor) in [(1 as UInt64, 3), (2, 1 << 22), (3, 1 << 41)] {
      let set = PointSet.cities(2000, seed: seed)
      let build = PiecewiseBuild(set: set, pieceSize: 100, rows: (0..<2000).map { $0 * factor })
      #expect(try build.run().index == set.indexBytes { $0 * factor })
    }
    let build = PiecewiseBuild(
      set: .cities(200, seed: 4), pieceSize: 50, rows: Array(repeating: 7, count: 200))
    #expect(throws: PieceError.rowTwice(row: 7)) { try build.run() }
    let beyond = PiecewiseBuild(set: .cities(200, seed: 4), pieceSize: 50, rows: (0..<200).map { (1 << 53) + $0 })
    #expect(throws: PieceError.rowOutOfRange) { try beyond.run() }
  }

  /// If a value does not suit its column, the error names its point. If several parts contain such values, the error
  /// names the first point of all.
  @Test func unsuitableValuesAreTold() throws {
    let column = TestColumn(purpose: .typed(.number), name: "price") { $0 % 50 == 33 ? .string("x") : .number("1") }
    let build = PiecewiseBuild(set: .cities(300, seed: 4), pieceSize: 50, parts: 4, columns: [column])
    let error = #expect(throws: ColumnError.self) { try build.run() }
    guard case .unsuitableValue("price", 33, "a number", "\"x\"", _) = error else {
      Issue.record("expected an unsuitable value of point 33, found \(String(describing: error))")
      return
    }
  }
}
