import Foundation
import PointSets
import TestSupport
import Testing
import Treeline
@testable import TreelineBuilder
@testable import TreelineVerification

/// Checks that verification finds problems in damaged trees, and no problems in sound trees.
@Suite struct VerificationTests {
  /// Only a few levels are split across principal axes. So there are still nodes with several points at the deeper
  /// levels, where nodes are halved to bound the depth.
  @Test(arguments: [0, 1, 3]) func halvedNodesAreSound(principalLevels: Int) throws {
    for set in PointSet.nasty {
      for rule in SplitRule.few {
        let tree = try TreeBuild(
          coordinates: set.coordinates, projection: set.projection,
          options: BuildOptions(splitRule: rule, threads: 1), principalLevels: principalLevels,
          monitor: BuildMonitor(pointCount: set.coordinates.count)
        ).run()
        #expect(tree.problems(principalLevels: principalLevels) == [], "\(set), \(rule)")
      }
    }
  }

  @Test(
    arguments: [
      PointSet.cities(20_000, seed: 51), .uniformWorld(20_000, seed: 52), .roads(20_000, seed: 53),
      .planar(5_000, x: 0...1e300, y: 0...1e-300, seed: 54), .coarse(20_000, side: 3, seed: 55),
    ], SplitRule.few) func soundTreesHaveNoProblems(_ set: PointSet, _ rule: SplitRule) throws
  { #expect(try set.tree(rule).problems() == []) }

  @Test func progressIsToldStageByStage() throws {
    let folder = try TemporaryFolder()
    let tree = try PointSet.cities(20_000, seed: 51).tree(supporting: .spacing)
    try tree.write(toFile: folder.path("index"))
    var told: [VerificationProgress] = []
    #expect(try ClusterTree.problems(ofIndex: folder.path("index")) { told.append($0) } == [])
    let separations = try #require(told.firstIndex { $0.stage == .separations })
    for stage in [told[..<separations], told[separations...]] {
      #expect(Set(stage.map(\.stage)).count == 1 && stage.allSatisfy { $0.pointCount == 20_000 })
      #expect(stage.map(\.fraction) == stage.map(\.fraction).sorted())
      #expect(50...101 ~= stage.count && stage.first!.fraction < 0.1 && stage.last!.fraction > 0.9)
    }
  }

  /// Several threads check a large tree. Checks that they find the same problems as one thread, and the problems of
  /// separations in the same order.
  @Test(arguments: [false, true]) func anyNumberOfThreadsFindsTheSame(isMerged: Bool) throws {
    let folder = try TemporaryFolder()
    // Separations of a split tree are computed from their definition, which takes too long for many positions.
    let tree =
      isMerged
      ? try PointSet.cities(80_000, seed: 57).tree(supporting: .spacing)
      : try PointSet.coarse(80_000, side: 60, seed: 57).tree(hasSeparations: true)
    try tree.write(toFile: folder.path("index"))
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.path("index"))))
    let sound = IndexBytes(bytes)
    #expect(try sound.problems(threads: 1) == [] && sound.problems(threads: 7) == [])
    var random = SplitMix64(seed: 58)
    let sections = try IndexEditor(bytes).header.sections
    for trial in 0..<Trials.count(20, atLeast: 5, seed: 58) {
      let kind = [IndexSection.Kind.separations, .separations, .nodes, .sums, .points][trial % 5]
      let section = try #require(sections.first { $0.kind == kind })
      var editor = try IndexEditor(bytes)
      for _ in 0...random.index(below: 150) {
        let offset = Int(section.offset) + random.index(below: Int(section.length))
        editor.store(UInt8(truncatingIfNeeded: random.next()), at: offset)
      }
      let damaged = editor.repaired()
      guard let one = try? damaged.problems(threads: 1) else { continue }
      let several = try damaged.problems(threads: 2 + trial % 4)
      if kind == .separations {
        #expect(several == one, "trial \(trial)")
      } else {
        #expect(several.isEmpty == one.isEmpty, "trial \(trial), \(kind)")
        // The other problems of a node may follow from its first problem.
        #expect(one.first.map(several.contains) ?? true, "trial \(trial), \(kind): \(one.first!)")
      }
    }
  }

  private func problems(_ change: (inout IndexEditor) throws -> Void) throws -> [String] {
    var editor = try IndexEditor(TestIndex.nodes)
    try change(&editor)
    return try editor.repaired().problems().map { "\($0)" }
  }

  @Test func messagesSayWhere() throws {
    let offset = try IndexEditor(TestIndex.nodes).offset(of: .gaps)
    var editor = try IndexEditor(TestIndex.nodes)
    editor.setGap(9, after: 0)
    let flipped = try IndexBytes(editor.bytes).problems().map { "\($0)" }
    #expect(flipped.contains { $0.hasPrefix("section gaps at byte \(offset): expected checksum") })

    editor = try IndexEditor(TestIndex.nodes)
    let end = Int(editor.header.sections[0].offset + editor.header.sections[0].length)
    if end % 64 != 0 {
      editor.store(UInt8(7), at: end)
      let stray = try IndexBytes(editor.bytes).problems().map { "\($0)" }
      #expect(stray.contains("byte \(end): expected 0 between sections, found 7"))
    }
  }

  @Test func eachInvariantHasItsMessage() throws {
    #expect(
      try problems { $0.set(.maxX, ofRecord: 0, to: $0.value(.maxX, ofRecord: 0) - 1) }.contains {
        $0.hasPrefix("node of points 0..<50: expected the box")
      })
    #expect(
      try problems { $0.store($0.number(at: $0.offset(of: .sums), as: UInt64.self) + 1, at: $0.offset(of: .sums)) }
        .contains { $0.hasPrefix("node of points 0..<50: expected sums (") })
    #expect(
      try problems { $0.store(Float.nan.bitPattern, at: $0.offset(of: .spreads)) }.contains {
        $0.hasPrefix("node of points 0..<50: expected covariances (")
      })
    #expect(
      try problems { $0.set(.childOffset, ofRecord: 0, to: 3) }.contains {
        $0.contains("expected children at record 1, the next record in tree order, found 3")
          || $0.contains("record 0 at byte")
      })
    #expect(
      try problems { $0.store($0.number(at: $0.offset(of: .rows), as: UInt32.self), at: $0.offset(of: .rows) + 4) }
        .contains { $0.hasPrefix("rows: expected each row number once") })
  }

  /// If two points change sides, the box, the sums and the spread of their parent do not change. Only the line between
  /// the parent's children shows the change.
  @Test func orderThatIsNotCanonicalIsReported() throws {
    var editor = try IndexEditor(TestIndex.nodes)
    let (first, last) = (editor.offset(of: .points), editor.offset(of: .points) + 8 * 49)
    let (a, b) = (editor.number(at: first, as: UInt64.self), editor.number(at: last, as: UInt64.self))
    editor.store(b, at: first)
    editor.store(a, at: last)
    let problems = try editor.repaired().problems().map { "\($0)" }
    #expect(
      problems.contains { $0.hasPrefix("node of points 0..<50: expected a split along the principal axis at the mean") }
    )
  }

  /// The list of problems ends after 100 problems. Nobody reads more.
  @Test func listOfProblemsEnds() throws {
    var editor = try IndexEditor(PointSet.cities(5_000, seed: 56).tree().indexBytes())
    for record in 0..<editor.header.nodeCount { editor.set(.minX, ofRecord: record, to: 0) }
    #expect(try editor.repaired().problems().count == 100)
  }
}
