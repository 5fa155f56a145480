import Foundation
import PointSets
import TestSupport
import Testing
@_spi(Server) import Treeline
@testable import TreelineBuilder

/// Builds trees with groups that never mix. Compares builds on disk, which need little memory, with builds in memory.
@Suite struct GroupedPiecesExhaustiveTests {
  /// Tests random points and groups, amounts of memory, numbers of threads, and columns.
  @Test(arguments: Trials.seeds(240)) func randomGroupsGiveTheSameBytes(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let set =
      seed % 5 == 4
      ? PointSet.planar(1 + random.index(below: 1500), x: -3...9, y: 0...1, seed: seed)
      : .random(seed: seed, upTo: 1500)
    let groups = TestGroups(set.coordinates.count, &random)
    let columns = seed % 3 == 0 ? TestColumn.all(seed: seed, arePrepared: seed % 2 == 0) : []
    let build = GroupedIndexBuild(
      set: set, groups: groups.all, rule: seed % 2 == 0 ? .mean : .leastScatter, columns: columns)
    let expected = try build.expected()
    for _ in 0..<2 {
      let memory = [100, 3000, 20_000, 200_000, 80_000_000][random.index(below: 5)]
      let threads = 1 + random.index(below: 4)
      let found = try build.bytes(memory: memory, threads: threads, batch: 1 + random.index(below: 900))
      #expect(found == expected, "seed \(seed), \(set), \(groups), \(memory) bytes, \(threads) threads")
    }
  }

  /// Points in any order give the same bytes if the input contains their row numbers.
  @Test(arguments: Trials.seeds(30)) func anyOrderGivesTheSameBytes(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let set = PointSet.random(seed: seed, upTo: 1000)
    let groups = TestGroups(set.coordinates.count, &random)
    let inOrder = GroupedIndexBuild(set: set, groups: groups.all, rule: .mean, rows: Array(set.coordinates.indices))
    let order = random.shuffled(Array(set.coordinates.indices))
    let shuffled = GroupedIndexBuild(
      set: PointSet("\(set), shuffled", order.map { set.coordinates[$0] }, as: set.projection),
      groups: order.map { groups.all[$0] }, rule: .mean, rows: order)
    let expected = try inOrder.expected()
    #expect(try inOrder.bytes(memory: 9000) == expected, "seed \(seed)")
    #expect(try shuffled.bytes(memory: 9000, batch: 100) == expected, "seed \(seed)")
  }

  @Test(arguments: PointSet.nasty, Trials.some(of: [SplitRule.leastScatter, .mean]))
  func nastyPointsGiveTheSameBytes(_ set: PointSet, _ rule: SplitRule) throws {
    let count = set.coordinates.count
    let divisions: [(String, (Int) -> PointGroups.Group)] = [
      ("one group", { _ in .named("") }), ("none clustered", { _ in .neverClustered }),
      ("a group for each point", { .named("\($0 % 4000)") }),
      ("halves", { .named($0 < count / 2 ? "z" : "a") }),
      ("all but one", { $0 == count / 3 ? .named("one") : .neverClustered }),
      ("one that is not", { $0 == count / 3 ? .neverClustered : .named("\($0 % 3)") }),
      // The first two names are equal in Swift, but their bytes differ.
      ("names", { .named(["\u{e9}", "e\u{301}", "", "\u{0}", "E"][$0 % 5]) }),
    ]
    var random = SplitMix64(seed: UInt64(count))
    for (name, group) in Trials.some(of: random.shuffled(divisions)) {
      let build = GroupedIndexBuild(set: set, groups: (0..<count).map(group), rule: rule)
      let expected = try build.expected()
      for memory in Trials.some(of: [1000, 60_000]) {
        #expect(try build.bytes(memory: memory) == expected, "\(set), \(name), \(memory) bytes")
      }
    }
  }

  /// Tests the maximum number of groups, and one group more than the maximum.
  @Test func mostGroups() throws {
    let set = PointSet.cities(9000, seed: 11)
    func build(_ count: Int) -> GroupedIndexBuild {
      GroupedIndexBuild(
        set: set, groups: set.coordinates.indices.map { $0 % 2 == 0 ? .named("\($0 / 2 % count)") : .neverClustered },
        rule: .mean)
    }
    let most = build(TreeGroups.maximumCount)
    #expect(try most.bytes(memory: 100_000) == most.expected())
    #expect(throws: PieceError.invalid(.tooManyGroups(found: TreeGroups.maximumCount + 1))) {
      _ = try build(TreeGroups.maximumCount + 1).bytes(memory: 100_000)
    }
  }

  /// Tests groups that are far larger than a piece, and stacks that are larger than a piece.
  @Test(arguments: [SplitRule.mean, .leastScatter]) func largeGroupsGiveTheSameBytes(_ rule: SplitRule) throws {
    let stack = Array(repeating: Coordinate(longitude: 7, latitude: 44), count: 9000)
    let coordinates =
      PointSet.cities(25_000, seed: 12).coordinates + stack + PointSet.roads(15_000, seed: 13).coordinates
    let groups = coordinates.indices.map { index -> PointGroups.Group in
      index % 3 == 0 ? .named("large") : index % 3 == 1 ? .neverClustered : .named(index % 50 < 2 ? "few" : "many")
    }
    let build = GroupedIndexBuild(set: PointSet("large groups", coordinates), groups: groups, rule: rule)
    let expected = try build.expected()
    for (memory, threads) in Trials.some(of: [(700_000, 3), (60_000, 1), (60_000, 3), (700_000, 1)]) {
      #expect(try build.bytes(memory: memory, threads: threads) == expected, "\(memory) bytes, \(threads) threads")
    }
  }

  /// Stops builds in any stage, and continues them with the same amount of memory or more.
  @Test(
    arguments: [SplitRule.mean, .leastScatter],
    Trials.some(of: [PointSet.cities(4000, seed: 5), .planar(3000, x: 0...1, y: 0...3, seed: 6)]))
  func cancelledAndResumed(_ rule: SplitRule, _ set: PointSet) throws {
    var random = SplitMix64(seed: 21)
    let build = GroupedIndexBuild(
      set: set, groups: TestGroups(set.coordinates.count, &random).all, rule: rule,
      columns: rule == .mean ? TestColumn.all(seed: 4) : [])
    let expected = try build.expected()
    for stage in [IndexBuild.Stage.projecting, .planning, .partitioning, .building, .writing] {
      for skip in Trials.some(of: [1, 0, 4]) {
        let folder = try ScratchFolder(build.path(), keepsFiles: false)
        defer { folder.remove() }
        let memory = 40_000 * (1 + skip % 2)
        let first = try build.bytes(in: folder, memory: memory, cancelledIn: stage, after: skip)
        #expect(first == nil || first == expected)
        let second = try build.bytes(in: folder, memory: 40_000)
        #expect(second == expected, "\(stage) \(skip)")
        folder.remove()
        #expect(!FileManager.default.fileExists(atPath: folder.path))
      }
    }
  }

  /// Checks that refused points are not counted anywhere, and that no group without points is left.
  @Test func refusedPointsLeaveNoGroup() throws {
    let set = PointSet.cities(500, seed: 6)
    let groups = (0..<500).map { PointGroups.Group.named("\($0 % 3)") }
    let build = GroupedIndexBuild(set: set, groups: groups, rule: .mean)
    let folder = try ScratchFolder(build.path(), keepsFiles: false)
    defer { folder.remove() }
    let scratch = try IndexBuild(in: folder, identity: "", build.options(memory: 4000, threads: 2))
    for start in [0, 200, 400] {
      #expect(throws: PieceError.self) {
        try scratch.append(
          [set.coordinates[0], Coordinate(longitude: 0, latitude: 91)], skippedRows: [],
          groups: [.named("none"), .neverClustered])
      }
      let points = start..<min(start + 200, 500)
      try scratch.append(Array(set.coordinates[points]), skippedRows: [], groups: Array(groups[points]))
    }
    try scratch.finishReading(checksum: 0)
    #expect(try build.finish(scratch) == build.expected())
  }

  @Test func damagedGroupsAreAnErrorOrAValue() throws {
    var tally = GroupTally()
    _ = try tally.add([.named("b"), .named(""), .neverClustered, .named("b"), .named("a")])
    let bytes = ScratchGroups(tally).plainBytes
    let found = try ScratchGroups(plainBytes: bytes)
    #expect(found.header == TreeGroups(names: ["", "a", "b"], pointCounts: [1, 1, 2], neverClustered: 1))
    var random = SplitMix64(seed: 3)
    for length in bytes.indices {
      #expect(throws: PieceError.self) { _ = try ScratchGroups(plainBytes: Array(bytes[..<length])) }
      for _ in 0..<8 {
        var damaged = bytes
        damaged[length] ^= 1 << UInt8(random.index(below: 8))
        _ = try? ScratchGroups(plainBytes: damaged)
      }
    }
  }
}

/// Random groups of points. There are few groups or many. Some groups are large, and some have only one point.
private struct TestGroups: CustomStringConvertible {
  let all: [PointGroups.Group]
  let description: String

  init(_ count: Int, _ random: inout SplitMix64) {
    let groupCount = [1, 2, 3, 7, 40, 1500][random.index(below: 6)]
    let neverClustered = [0, 0, 1, 5, 50, 100][random.index(below: 6)]
    let isSkewed = random.index(below: 2) == 0
    description = "\(groupCount) groups and \(neverClustered) % of points by themselves"
    all = (0..<count).map { _ in
      if random.index(below: 100) < neverClustered { return .neverClustered }
      let most = isSkewed ? 1 + random.index(below: groupCount) : groupCount
      return .named("group \(random.index(below: most))")
    }
  }
}

/// A build with groups. It can run on disk with little memory, or in memory.
private struct GroupedIndexBuild {
  let set: PointSet
  let groups: [PointGroups.Group]
  let rule: SplitRule
  var columns: [TestColumn] = []
  /// Row number of each point; nil if the build numbers the rows.
  var rows: [Int]?

  func path() -> String {
    FileManager.default.temporaryDirectory.appendingPathComponent("groups-\(UUID().uuidString)").path
  }

  /// Returns the bytes of an index that is built in memory.
  func expected() throws -> [UInt8] {
    let file = path()
    defer { try? FileManager.default.removeItem(atPath: file) }
    let options = BuildOptions(splitRule: rule, threads: 2)
    try ClusterTree(set.coordinates, groupedBy: PointGroups(groups), as: set.projection, options: options).write(
      toFile: file, attributes: columns.compactMap(\.attribute), columns: columns.compactMap(\.column))
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
  }

  func options(memory: Int, threads: Int) -> IndexBuild.Options {
    var options = IndexBuild.Options(
      BuildOptions(splitRule: rule, threads: threads), memory: memory, projection: set.projection)
    options.columns = columns.map { .init($0.purpose, name: $0.name, preparations: $0.preparations) }
    options.hasGivenRows = rows != nil
    options.isGrouped = true
    return options
  }

  func bytes(memory: Int, threads: Int = 2, batch: Int = 700) throws -> [UInt8] {
    let folder = try ScratchFolder(path(), keepsFiles: false)
    defer { folder.remove() }
    return try #require(try bytes(in: folder, memory: memory, threads: threads, batch: batch))
  }

  /// Continues a build from a folder.
  ///
  /// - Returns: The bytes of the index; nil if the build was canceled.
  func bytes(
    in folder: ScratchFolder, memory: Int, threads: Int = 2, batch: Int = 700,
    cancelledIn stage: IndexBuild.Stage? = nil, after count: Int = 0
  ) throws -> [UInt8]? {
    let options = options(memory: memory, threads: threads)
    let build = try IndexBuild.ofAllPoints(
      set, in: folder, options, batch: batch, columns: columns, rows: rows, groups: groups, cancelledIn: stage,
      after: count)
    do { return try finish(build) } catch PieceError.cancelled { return nil }
  }

  func finish(_ build: IndexBuild) throws -> [UInt8] {
    let file = path()
    defer { try? FileManager.default.removeItem(atPath: file) }
    try build.finish(to: IndexDestination(file))
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
  }
}
