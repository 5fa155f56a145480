import PointSets
import Synchronization
import TestSupport
import Testing
@_spi(Server) import Treeline

@testable import TreelineBuilder

@Suite struct AsyncBuildTests {
  static let coordinates = PointSet.cities(200_000, seed: 21).coordinates

  /// Records the progress reports of a build, in order.
  final class Reports: Sendable {
    let all = Mutex<[BuildProgress]>([])
    func add(_ progress: BuildProgress) { all.withLock { $0.append(progress) } }
    var told: [BuildProgress] { all.withLock { $0 } }
  }

  @Test func makesTheSameTree() async throws {
    let tree = try await ClusterTree.build(Self.coordinates)
    #expect(try tree.contentHash == ClusterTree(Self.coordinates).contentHash)
  }

  @Test func makesTheSameMap() async throws {
    let values = Array(Self.coordinates.prefix(2_000).enumerated())
    let reports = Reports()
    let map = try await ClusterMap.build(values, at: \.element, supporting: .spacing, columns: .number(\.offset)) {
      reports.add($0)
    }
    let built = try ClusterMap(values, at: \.element, supporting: .spacing, columns: .number(\.offset))
    #expect(map.tree.contentHash == built.tree.contentHash && map.tree.hasSeparations)
    #expect(map.tree.columns.map(\.name) == ["offset"])
    #expect(reports.told.contains(BuildProgress(stage: .merging, fraction: 1)))
    #expect(reports.told.last == BuildProgress(stage: .encoding, fraction: 1))
    await #expect(throws: BuildError.self) {
      try await ClusterMap.build([181.0], at: { Coordinate(longitude: $0, latitude: 0) })
    }
  }

  @Test func makesTheSameGroups() async throws {
    let coordinates = Array(Self.coordinates.prefix(3_000))
    func group(_ row: Int) -> PointGroups.Group { row % 11 == 0 ? .neverClustered : .named("group \(row % 3)") }
    let groups = try PointGroups(coordinates.indices.map(group))
    let expected = try ClusterTree(coordinates, groupedBy: groups, options: BuildOptions(supporting: .spacing))
    let tree = try await ClusterTree.build(
      coordinates, groupedBy: groups, options: BuildOptions(supporting: .spacing))
    let values = Array(coordinates.enumerated())
    let map = try ClusterMap(
      values, at: \.element, supporting: .spacing, columns: .number(\.offset), groupedBy: groups)
    let built = try await ClusterMap.build(
      values, at: \.element, supporting: .spacing, columns: .number(\.offset), groupedBy: groups)
    for tree in [tree, map.tree, built.tree] {
      #expect(tree.contentHash == expected.contentHash && tree.hasSeparations)
      #expect(tree.groups.map(\.name) == ["group 0", "group 1", "group 2"])
      #expect(tree.neverClusteredPointCount == 273)
    }
    for result in try built.clusters(.limit(1_000), in: .everything) {
      let names = Set(result.members.map { group($0.offset) })
      #expect(names.count == 1 && result.cluster.pointCount > 0)
      #expect(built.tree.group(of: result.cluster).map { [.named($0)] } ?? [.neverClustered] == names)
    }
  }

  @Test func cancelledBuildOfGroupsEndsInCancellation() async throws {
    let task = Mutex<Task<ClusterTree, any Error>?>(nil)
    let reports = Reports()
    let groups = try PointGroups(Self.coordinates.indices.map { .named("\($0 % 50)") })
    let started = Task {
      try await ClusterTree.build(Self.coordinates, groupedBy: groups) { progress in
        reports.add(progress)
        if progress.stage == .splitting { task.withLock { $0?.cancel() } }
      }
    }
    task.withLock { $0 = started }
    await #expect(throws: CancellationError.self) {
      if reports.told.contains(where: { $0.stage == .splitting }) { started.cancel() }
      _ = try await started.value
    }
  }

  @Test(arguments: [1, 2, 5]) func progressGrowsToTheEndOfBothStages(threads: Int) async throws {
    let reports = Reports()
    _ = try await ClusterTree.build(Self.coordinates, options: BuildOptions(threads: threads)) { reports.add($0) }
    for stage in [BuildProgress.Stage.projecting, .splitting] {
      let fractions = reports.told.filter { $0.stage == stage }.map(\.fraction)
      #expect(fractions == fractions.sorted())
      #expect(fractions.last == 1, "\(stage)")
    }
    #expect(reports.told.count <= 202)
    let firstSplit = try #require(reports.told.firstIndex { $0.stage == .splitting })
    #expect(reports.told[firstSplit...].allSatisfy { $0.stage == .splitting })
  }

  @Test(arguments: [BuildProgress.Stage.projecting, .splitting], SplitRule.few) func cancelledBuildEndsInCancellation(
    stage: BuildProgress.Stage, rule: SplitRule
  ) async throws {
    let task = Mutex<Task<ClusterTree, any Error>?>(nil)
    let reports = Reports()
    let started = Task {
      try await ClusterTree.build(Self.coordinates, options: BuildOptions(splitRule: rule, threads: 2)) { progress in
        reports.add(progress)
        if progress.stage == stage { task.withLock { $0?.cancel() } }
      }
    }
    task.withLock { $0 = started }
    // The first reports may arrive before `task` is set. In this case the build is canceled here.
    await #expect(throws: CancellationError.self) {
      if reports.told.contains(where: { $0.stage == stage }) { started.cancel() }
      _ = try await started.value
    }
  }

  @Test func cancelledMergingEndsInCancellation() async throws {
    let reports = Reports()
    let options = BuildOptions(growth: .merging(by: .distance), threads: 2)
    let task = Mutex<Task<ClusterTree, any Error>?>(nil)
    let started = Task {
      try await ClusterTree.build(Self.coordinates, options: options) { progress in
        reports.add(progress)
        if progress.stage == .merging { task.withLock { $0?.cancel() } }
      }
    }
    task.withLock { $0 = started }
    await #expect(throws: CancellationError.self) {
      if reports.told.contains(where: { $0.stage == .merging }) { started.cancel() }
      _ = try await started.value
    }
  }

  @Test func mergingTellsItsProgress() async throws {
    let reports = Reports()
    _ = try await ClusterTree.build(
      Self.coordinates, options: BuildOptions(growth: .merging(by: .distance), threads: 2)
    ) { reports.add($0) }
    let fractions = reports.told.filter { $0.stage == .merging }.map(\.fraction)
    #expect(fractions.count > 10 && fractions == fractions.sorted() && fractions.last == 1)
  }

  @Test func cancelledTaskStartsNoBuild() async {
    let task = Task {
      await wait { Task.isCancelled }
      return try await ClusterTree.build(Self.coordinates)
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func refusesBadCoordinates() async {
    await #expect(throws: BuildError.self) { try await ClusterTree.build([Coordinate(longitude: .nan, latitude: 0)]) }
  }

  @Test func buildsAndQueriesRunSideBySide() async throws {
    let expected = try ClusterTree(Self.coordinates)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<4 {
        group.addTask { try await ClusterTree.build(Self.coordinates).contentHash == expected.contentHash }
        group.addTask {
          try (1...200).allSatisfy { try expected.clusters(.limit($0), in: Viewport(.world)).count == $0 }
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
  }
}
