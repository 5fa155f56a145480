import Foundation
import PointSets
import TestSupport
import Testing
import Treeline
@testable import TreelineBuilder

/// Checks builds whose points stay in memory, or move to a folder after some batches. The bytes must equal those of a
/// tree that is built from all coordinates at once.
@Suite struct MovedBuildTests {
  private static let sets =
    PointSet.nasty + [.cities(3000, seed: 8), .planar(2000, x: -3...9, y: 0...1, seed: 5)]
  private static let growths: [BuildOptions] = [
    BuildOptions(splitRule: .mean), BuildOptions(splitRule: .leastScatter), BuildOptions(supporting: .spacing),
    BuildOptions(supporting: .badges(.standard), anchor: .member),
  ]

  @Test(arguments: Trials.some(of: Array(1...24), atLeast: 6)) func sameBytesInMemoryAndInAFolder(_ seed: UInt64) throws
  {
    var random = SplitMix64(seed: seed)
    let set = Self.sets[random.index(below: Self.sets.count)]
    let count = set.coordinates.count
    let tree = Self.growths[random.index(below: Self.growths.count)]
    let columns = random.index(below: 2) == 0 ? [] : TestColumn.all(seed: seed, arePrepared: true)
    let rows = random.index(below: 2) == 0 ? nil : random.shuffled(set.coordinates.indices.map { 7 + 3 * $0 })
    let skipped =
      rows == nil && random.index(below: 2) == 0
      ? Set((0..<count / 5).map { _ in random.index(below: count) }) : []
    let kinds: [PointGroups.Group] = [.named("a"), .named("b"), .named(""), .neverClustered]
    let isGrouped = random.index(below: 3) == 0
    let groups = isGrouped ? set.coordinates.indices.map { _ in kinds[random.index(below: 4)] } : nil
    let expected = try Self.expected(set, tree, columns, rows, skipped, groups)
    for _ in 0..<3 {
      let batch = 1 + random.index(below: 1500)
      let moved = random.index(below: 2) == 0 ? nil : random.index(below: count / batch + 1)
      var options = IndexBuild.Options(tree, memory: 40_000, projection: set.projection)
      options.columns = columns.map { .init($0.purpose, name: $0.name, preparations: $0.preparations) }
      (options.hasGivenRows, options.isGrouped) = (rows != nil, groups != nil)
      let build = IndexBuild(identity: "", options)
      let place = try TemporaryFolder()
      let folder = try ScratchFolder(place.path("scratch"), keepsFiles: false)
      try Self.append(set, to: build, batch: batch, columns, rows, skipped, groups) { number in
        if number == moved { try build.move(to: folder) }
      }
      #expect(build.isInMemory == (moved == nil))
      try build.finish(to: IndexDestination(place.path("index")))
      let found = [UInt8](try Data(contentsOf: URL(fileURLWithPath: place.path("index"))))
      #expect(found == expected, "seed \(seed): \(set.name), batches of \(batch), moved after \(moved ?? -1)")
    }
  }

  /// Checks that each stage can be canceled in memory, and that a canceled build leaves no file.
  @Test(arguments: [IndexBuild.Stage.projecting, .merging, .encoding, .writing]) func cancelled(
    _ stage: IndexBuild.Stage
  )
    throws
  {
    let set = PointSet.cities(3000, seed: 8)
    var options = IndexBuild.Options(BuildOptions(supporting: .spacing), memory: 1 << 30, projection: set.projection)
    options.columns = [.init(.typed(.text), name: "text", preparations: [.distinct])]
    let build = IndexBuild(identity: "", options)
    var values = ColumnValues()
    for point in set.coordinates.indices { values.append(.string("\(point)")) }
    try build.append(set.coordinates, skippedRows: [], values: [values])
    try build.finishReading(checksum: 0)
    build.progress = { [unowned build] found, _, _ in if found == stage { build.cancel() } }
    let folder = try TemporaryFolder()
    #expect(throws: PieceError.cancelled) { try build.finish(to: IndexDestination(folder.path("index"))) }
    #expect(try folder.contents() == [])
  }

  /// Checks that a build refuses all further work if its points could not be moved.
  @Test func failedMove() throws {
    let set = PointSet.cities(100, seed: 8)
    let build = IndexBuild(
      identity: "", IndexBuild.Options(BuildOptions(splitRule: .mean), memory: 1000, projection: set.projection))
    try build.append(set.coordinates, skippedRows: [])
    let place = try TemporaryFolder()
    let folder = try ScratchFolder(place.path("scratch"), keepsFiles: false)
    try FileManager.default.removeItem(atPath: folder.path)
    #expect(throws: PieceError.self) { try build.move(to: folder) }
    #expect(throws: PieceError.self) { try build.append(set.coordinates, skippedRows: []) }
    #expect(throws: PieceError.self) { try build.finishReading(checksum: 0) }
  }

  /// Checks that a build needs a folder as soon as its points and the values of its columns take more than the given
  /// memory.
  @Test func memoryIsExceededByPointsAndColumns() throws {
    let set = PointSet.cities(1000, seed: 8)
    for (purpose, perPoint) in [(BuildOptions(splitRule: .mean), 72), (BuildOptions(supporting: .spacing), 240)] {
      var options = IndexBuild.Options(purpose, memory: 1000 * perPoint, projection: set.projection)
      let build = IndexBuild(identity: "", options)
      try build.append(set.coordinates, skippedRows: [])
      #expect(!build.exceedsMemory)
      try build.append([set.coordinates[0]], skippedRows: [])
      #expect(build.exceedsMemory)
      options.columns = [.init(.attribute, name: "text")]
      let wide = IndexBuild(identity: "", options)
      var values = ColumnValues()
      for point in set.coordinates.indices { values.append(.string("text \(point)")) }
      try wide.append(set.coordinates, skippedRows: [], values: [values])
      #expect(wide.exceedsMemory)
    }
  }

  private static func append(
    _ set: PointSet, to build: IndexBuild, batch: Int, _ columns: [TestColumn], _ rows: [Int]?, _ skipped: Set<Int>,
    _ groups: [PointGroups.Group]?, before: (_ batch: Int) throws -> Void
  ) throws {
    var row = 0
    var number = 0
    for points in set.coordinates.indices.blocks(of: batch) {
      try before(number)
      number += 1
      let values = columns.map { column in
        var values = ColumnValues()
        for point in points { values.append(column.value(point)) }
        return values
      }
      var skippedRows: [Int] = []
      for point in points {
        if skipped.contains(point) {
          skippedRows.append(row)
          row += 1
        }
        row += 1
      }
      try build.append(
        Array(set.coordinates[points]), skippedRows: skippedRows, givenRows: rows?[points].map { UInt64($0) } ?? [],
        groups: groups.map { Array($0[points]) } ?? [], values: values)
    }
    try before(number)
    try build.finishReading(checksum: 0)
  }

  /// Returns the bytes of an index of a tree that is built from all coordinates, in the order of their rows.
  ///
  /// - Parameter skipped: Points before which a row of the input was skipped.
  private static func expected(
    _ set: PointSet, _ options: BuildOptions, _ columns: [TestColumn], _ rows: [Int]?, _ skipped: Set<Int>,
    _ groups: [PointGroups.Group]?
  ) throws -> [UInt8] {
    let points = set.coordinates.indices
    let order = rows.map { rows in points.sorted { rows[$0] < rows[$1] } } ?? Array(points)
    let coordinates = order.map { set.coordinates[$0] }
    let tree =
      if let groups {
        try ClusterTree(
          coordinates, groupedBy: PointGroups(order.map { groups[$0] }), as: set.projection, options: options)
      } else { try ClusterTree(coordinates, as: set.projection, options: options) }
    var skippedCount = 0
    let numbered = points.map { point in
      if skipped.contains(point) { skippedCount += 1 }
      return point + skippedCount
    }
    let sorted = columns.map { column in
      TestColumn(
        purpose: column.purpose, name: column.name, value: { column.value(order[$0]) },
        preparations: column.preparations)
    }
    return try tree.indexBytes(columns: sorted, row: { rows?[order[$0]] ?? numbered[$0] })
  }
}
