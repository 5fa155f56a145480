import Foundation
import PointSets
import TestSupport
import Testing
import Treeline
@testable import TreelineBuilder

/// Checks builds of trees that grow by merging and whose arrays do not fit in memory.
@Suite struct MergedPiecesTests {
  private static let growths: [BuildOptions] = [
    BuildOptions(growth: .merging(by: .badges), threads: 2, anchor: .member),
    BuildOptions(growth: .merging(by: .distance), threads: 2),
    BuildOptions(growth: .merging(by: .badges), threads: 1),
    BuildOptions(growth: .merging(by: .distance), threads: 1, anchor: .member),
  ]

  @Test(
    arguments: PointSet.nasty + [
      .cities(3000, seed: 8), .roads(3000, seed: 9), .nullIsland(stack: 3000, noise: 2000, seed: 4),
      PointSet("none", []), PointSet("two", [Coordinate(x: 1, y: 2), Coordinate(x: 1, y: 2)], as: .planar),
    ])
  func anyMemoryGivesTheSameBytes(_ set: PointSet) throws {
    for (number, growth) in Self.growths.enumerated() {
      var options = growth
      options.leavesInPart = 100
      // The third tree is so deep that its scales are rounded.
      if number == 2 { options.maximumMergeDepth = 9 }
      let expected = try bytes(of: set.coordinates, as: set.projection, options)
      for memory in Trials.some(of: [20_000, 1000, 80_000_000]) {
        let found = try run(set, options, memory: memory)
        #expect(found == expected, "\(options.growth) \(options.anchor), \(memory) bytes of memory")
      }
    }
  }

  @Test func cancelledAndResumed() throws {
    let set = PointSet.planar(4000, x: -3...9, y: 0...1, seed: 5)
    let columns = TestColumn.all(seed: 4, arePrepared: true)
    for options in Trials.some(of: Self.growths) {
      let expected = try bytes(of: set.coordinates, as: set.projection, options, columns: columns)
      for stage in [IndexBuild.Stage.projecting, .merging, .partitioning, .building, .writing] {
        for skip in Trials.some(of: [1, 0, 3]) {
          let folder = try scratchFolder()
          defer { folder.remove() }
          let wasCancelled =
            try run(set, options, in: folder, columns: columns, cancelledIn: stage, after: skip) == nil
          let found = try run(set, options, in: folder, columns: columns)
          #expect(found == expected, "\(stage) \(skip) \(wasCancelled)")
        }
      }
    }
  }

  /// Points at one position are stored in the order of their rows, even if the input has another order.
  @Test func rowsInAnyOrder() throws {
    let set = PointSet.nullIsland(stack: 300, noise: 2000, seed: 4)
    var random = SplitMix64(seed: 6)
    let rows = random.shuffled(Array(set.coordinates.indices))
    let sorted = rows.indices.sorted { rows[$0] < rows[$1] }.map { set.coordinates[$0] }
    for memory in [40_000, 3000] {
      let found = try run(set, Self.growths[0], memory: memory, rows: rows.map { $0 + 7 })
      #expect(try found == bytes(of: sorted, as: set.projection, Self.growths[0], row: { $0 + 7 }))
    }
  }

  /// Every group has its own tree, also if points of different groups share positions. Rows are in input order or in
  /// another order.
  @Test(arguments: [
    PointSet.cities(3000, seed: 3), .nullIsland(stack: 900, noise: 2000, seed: 4),
    .planar(5, x: 0...1, y: 0...1, seed: 1),
    PointSet("none", []),
  ])
  func groupsNeverMix(_ set: PointSet) throws {
    var random = SplitMix64(seed: 9)
    let groups = set.coordinates.indices.map { index -> PointGroups.Group in
      index % 11 == 0 ? .neverClustered : .named(["a", "b", "b", "c", "\(index % 50)"].randomElement(using: &random)!)
    }
    let rows = random.shuffled(Array(set.coordinates.indices))
    let sorted = rows.indices.sorted { rows[$0] < rows[$1] }
    for (number, growth) in Self.growths.enumerated() {
      var options = growth
      options.leavesInPart = 100
      // The tallest trees of the third kind are so deep that all scales are rounded.
      if number == 2 { options.maximumMergeDepth = 20 }
      let expected = try bytes(of: set.coordinates, groupedBy: groups, as: set.projection, options)
      for memory in Trials.some(of: [20_000, 1000, 80_000_000]) {
        #expect(try run(set, options, memory: memory, groups: groups) == expected, "\(number), \(memory) bytes")
      }
      let inOrder = try bytes(
        of: sorted.map { set.coordinates[$0] }, groupedBy: sorted.map { groups[$0] }, as: set.projection, options)
      #expect(try run(set, options, rows: rows, groups: groups) == inOrder, "\(number)")
    }
  }

  /// A piece accepts each place once, and no place of another piece.
  @Test func placesOfOtherPiecesAreRefused() throws {
    let plan = try PiecePlan(bytes: PiecePlan(ofMergedTree: 100, pieceSize: 40).bytes)
    #expect(plan.pieces.map(\.pointCount) == [40, 40, 20] && plan.topRecords.isEmpty)
    let places = (0..<100).map { PlanePoint(x: $0, y: 0) }
    #expect(plan.pieces(of: places) == (0..<100).map { $0 / 40 })
    let piece = plan.pieces[1]
    _ = try piece.build(places[40..<80].reversed(), rows: Array(0..<40))
    for wrong in [PlanePoint(x: 39, y: 0), PlanePoint(x: 80, y: 0), PlanePoint(x: 41, y: 0)] {
      #expect(throws: PieceError.self) { try piece.build([wrong] + places[41..<80], rows: Array(0..<40)) }
    }
    #expect(throws: PieceError.rowTwice(row: 7)) {
      try piece.build(Array(places[40..<80]), rows: (0..<40).map { $0 == 8 ? 7 : $0 })
    }
  }

  @Test func rowsTwiceAreRefused() throws {
    let set = PointSet.cities(900, seed: 6)
    let rows = set.coordinates.indices.map { $0 == 500 ? 7 : $0 }
    #expect(throws: PieceError.rowTwice(row: 7)) { try run(set, Self.growths[0], rows: rows) }
  }

  /// A lattice cannot be merged in parts, because all distances are equal.
  @Test func largeLatticesAreRefused() throws {
    let lattice = PointSet(
      "lattice", (0..<160_000).map { Coordinate(x: Double($0 % 400), y: Double($0 / 400)) }, as: .planar)
    var options = Self.growths[1]
    options.leavesInPart = 1000
    let error = #expect(throws: PieceError.self) { try run(lattice, options, memory: 1_000_000) }
    #expect("\(error as Any)".contains("160000 positions cannot be built in pieces"), "\(error as Any)")
    #expect("\(error as Any)".contains("allow 39 MB of memory"), "\(error as Any)")
  }

  private func scratchFolder() throws -> ScratchFolder {
    try ScratchFolder(
      FileManager.default.temporaryDirectory.appendingPathComponent("scratch-\(UUID().uuidString)").path,
      keepsFiles: false)
  }

  /// Returns the bytes of the index that a build in memory writes.
  private func bytes(
    of coordinates: [Coordinate], groupedBy groups: [PointGroups.Group]? = nil, as projection: Plane.Projection,
    _ options: BuildOptions, columns: [TestColumn] = [], row: ((Int) -> Int)? = nil
  ) throws -> [UInt8] {
    let tree =
      if let groups {
        try ClusterTree(coordinates, groupedBy: PointGroups(groups), as: projection, options: options)
      } else { try ClusterTree(coordinates, as: projection, options: options) }
    return try tree.indexBytes(columns: columns, row: row)
  }

  /// Returns the bytes of the index; nil if the build was canceled.
  @discardableResult private func run(
    _ set: PointSet, _ growth: BuildOptions, in given: ScratchFolder? = nil, memory: Int = 40_000,
    rows: [Int]? = nil, groups: [PointGroups.Group]? = nil, columns: [TestColumn] = [],
    cancelledIn stage: IndexBuild.Stage? = nil, after count: Int = 0
  ) throws -> [UInt8]? {
    let folder = try given ?? scratchFolder()
    defer { if given == nil { folder.remove() } }
    var options = IndexBuild.Options(growth, memory: memory, projection: set.projection)
    options.columns = columns.map { .init($0.purpose, name: $0.name, preparations: $0.preparations) }
    (options.hasGivenRows, options.isGrouped) = (rows != nil, groups != nil)
    let build = try IndexBuild.ofAllPoints(
      set, in: folder, options, batch: 700, columns: columns, rows: rows, groups: groups, cancelledIn: stage,
      after: count)
    let file = folder.path + "-index"
    defer { try? FileManager.default.removeItem(atPath: file) }
    do { try build.finish(to: IndexDestination(file)) } catch PieceError.cancelled { return nil }
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
  }
}
