import Foundation
import PointSets
import TestSupport
import Testing
import Treeline
@testable import TreelineBuilder

/// Checks builds, on one machine, of points that do not fit in memory. A build is stopped in any stage and continued.
@Suite struct IndexBuildTests {
  private static let sets = [
    PointSet.cities(5000, seed: 3), .nullIsland(stack: 3000, noise: 2000, seed: 4),
    .planar(4000, x: -3...9, y: 0...1, seed: 5), PointSet("none", []),
    PointSet("stack", Array(repeating: Coordinate(longitude: 3, latitude: 4), count: 2001)),
  ]

  @Test(arguments: Trials.some(of: sets, atLeast: 2), [SplitRule.mean, .leastScatter]) func cancelledAndResumed(
    _ set: PointSet, _ rule: SplitRule
  )
    throws
  {
    let columns = rule == .mean ? TestColumn.all(seed: 4, arePrepared: true) : []
    let firstRow = rule == .leastScatter ? 1 << 33 : nil
    let expected = try set.indexBytes(
      rule, columns: columns, row: firstRow.map { first in { first + $0 } })
    for stage in [IndexBuild.Stage.projecting, .planning, .partitioning, .building, .writing] {
      for skip in Trials.some(of: [1, 0, 3]) {
        let place = FileManager.default.temporaryDirectory.appendingPathComponent("scratch-\(UUID().uuidString)").path
        let folder = try ScratchFolder(place, keepsFiles: false)
        defer { folder.remove() }
        let wasCancelled =
          try run(
            set, rule, folder, cancelledIn: stage, after: skip, columns: columns, firstRow: firstRow) == nil
        let found = try run(
          set, rule, folder, cancelledIn: nil, after: 0, columns: columns, firstRow: firstRow)
        #expect(found == expected, "\(stage) \(skip) \(wasCancelled)")
        folder.remove()
        #expect(!FileManager.default.fileExists(atPath: place))
      }
    }
  }

  /// Tests amounts of memory from very little to enough. With the least memory, pieces have 17 points. With the most
  /// memory, a single piece holds everything.
  @Test(
    arguments: PointSet.nasty + [.cities(3000, seed: 8), .roads(3000, seed: 9)], [SplitRule.mean, .leastScatter])
  func anyMemoryGivesTheSameBytes(_ set: PointSet, _ rule: SplitRule) throws {
    let expected = try set.indexBytes(rule)
    for memory in Trials.some(of: [20_000, 1000, 400_000, 80_000_000]) {
      let place = FileManager.default.temporaryDirectory.appendingPathComponent("scratch-\(UUID().uuidString)").path
      let folder = try ScratchFolder(place, keepsFiles: false)
      defer { folder.remove() }
      let found = try run(set, rule, folder, cancelledIn: nil, after: 0, memory: memory)
      #expect(found == expected, "\(memory) bytes of memory")
    }
  }

  /// Returns the bytes of the index; nil if the build was canceled.
  private func run(
    _ set: PointSet, _ rule: SplitRule, _ folder: ScratchFolder, cancelledIn stage: IndexBuild.Stage?,
    after count: Int, memory: Int = 40_000, columns: [TestColumn] = [], firstRow: Int? = nil
  ) throws -> [UInt8]? {
    var options = IndexBuild.Options(
      BuildOptions(splitRule: rule, threads: 2), memory: memory, projection: set.projection)
    options.columns = columns.map { .init($0.purpose, name: $0.name, preparations: $0.preparations) }
    options.hasGivenRows = firstRow != nil
    let build = try IndexBuild.ofAllPoints(
      set, in: folder, options, batch: 700, columns: columns,
      rows: firstRow.map { first in set.coordinates.indices.map { first + $0 } }, cancelledIn: stage, after: count)
    let file = folder.path + "-index"
    defer { try? FileManager.default.removeItem(atPath: file) }
    do { try build.finish(to: IndexDestination(file)) } catch PieceError.cancelled { return nil }
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
  }

  /// Checks that refused points leave no trace, and that they do not shift later points.
  @Test(arguments: [false, true]) func refusedPointsLeaveNothing(_ isInMemory: Bool) throws {
    let set = PointSet.cities(900, seed: 6)
    let expected = try set.indexBytes(.mean, columns: [], row: { 10 + $0 })
    let place = FileManager.default.temporaryDirectory.appendingPathComponent("scratch-\(UUID().uuidString)").path
    let folder = try ScratchFolder(place, keepsFiles: false)
    defer { folder.remove() }
    var options = IndexBuild.Options(
      BuildOptions(splitRule: .mean, threads: 2), memory: 20_000, projection: set.projection)
    options.hasGivenRows = true
    let build =
      try isInMemory
      ? IndexBuild(identity: "test", options) : IndexBuild(in: folder, identity: "test", options)
    for start in stride(from: 0, to: 900, by: 300) {
      let points = Array(set.coordinates[start..<start + 300])
      let rows = (start..<start + 300).map { UInt64(10 + $0) }
      #expect(throws: PieceError.self) {
        try build.append(Array(points[..<2]), skippedRows: [], givenRows: [1 << 53 + 1, 7])
      }
      #expect(throws: PieceError.self) {
        try build.append([points[0], Coordinate(longitude: 0, latitude: 91)], skippedRows: [], givenRows: [1, 2])
      }
      try build.append(points, skippedRows: [], givenRows: rows)
    }
    try build.finishReading(checksum: 7)
    let file = folder.path + "-index"
    defer { try? FileManager.default.removeItem(atPath: file) }
    try build.finish(to: IndexDestination(file))
    #expect([UInt8](try Data(contentsOf: URL(fileURLWithPath: file))) == expected)
  }

  @Test func anotherBuildIsNotDisturbed() throws {
    let place = FileManager.default.temporaryDirectory.appendingPathComponent("scratch-\(UUID().uuidString)").path
    let folder = try ScratchFolder(place, keepsFiles: false)
    #expect(throws: PieceError.inUse(path: place)) { try ScratchFolder(place, keepsFiles: false) }
    folder.remove()
  }

  /// A build that is killed while it removes its files leaves some of them. Checks that the next build accepts the
  /// folder.
  @Test func folderThatIsPartlyRemovedIsTaken() throws {
    let place = FileManager.default.temporaryDirectory.appendingPathComponent("scratch-\(UUID().uuidString)").path
    let paths = ScratchFolder.allPaths(in: place)
    for count in 0...paths.count {
      var folder: ScratchFolder? = try ScratchFolder(place, keepsFiles: false)
      for path in paths.dropLast() { _ = FileManager.default.createFile(atPath: path, contents: Data([1])) }
      folder = nil
      for path in paths.prefix(count) { try FileManager.default.removeItem(atPath: path) }
      folder = try ScratchFolder(place, keepsFiles: true)
      folder?.remove()
      #expect(!FileManager.default.fileExists(atPath: place), "\(count) of \(paths.count) removed")
    }
  }
}
