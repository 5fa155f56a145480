import PointSets
import TestSupport
import Testing
import Treeline
import TreelineBuilder
import TreelineVerification

/// Checks that verification accepts correct separations, and reports every other code.
@Suite struct SeparationVerificationTests {
  @Test(arguments: PointSet.nasty + Trials.seeds(60, from: 200).map { PointSet.random(seed: $0) })
  func thoseThatAreFoundAreSound(_ set: PointSet) throws {
    #expect(try set.tree(hasSeparations: true).problems() == [])
  }

  @Test(arguments: [
    PointSet.uniformWorld(5000, seed: 61), .cities(5000, seed: 62), .roads(5000, seed: 63),
    .planar(5000, x: -3...9, y: 0...1, seed: 65), .coarse(5000, side: 60, seed: 66),
    .antimeridian(5000, seed: 67), .lattice(columns: 70, rows: 70),
  ]) func thoseOfManyPointsAreSound(_ set: PointSet) throws {
    #expect(try set.tree(threads: 2, hasSeparations: true).problems() == [])
  }

  /// Changes each code by one, and checks that verification reports the change. If a code is one too high, two nodes
  /// come too close to each other, or a node is split before its parent. If a code is one too low, a node is not split
  /// although it could be.
  @Test(arguments: [
    PointSet.cities(150, seed: 71), .uniformWorld(100, seed: 72), .antimeridian(60, seed: 73),
    .nullIsland(stack: 20, noise: 60, seed: 74), .coarse(80, side: 6, seed: 75), .lattice(columns: 8, rows: 8),
    .planar(80, x: 0...5, y: 0...1, seed: 76), .roads(120, seed: 77), .geometricSpread(.spiral),
  ]) func everyCodeOffByOneIsReported(_ set: PointSet) throws {
    let sound = try IndexEditor(set.tree(hasSeparations: true).indexBytes())
    let codes = sound.offset(of: .separations)
    var missed: [(index: Int, code: UInt16)] = []
    for index in 0..<set.coordinates.count {
      let code = sound.number(at: codes + 2 * index, as: UInt16.self)
      for other in [code &- 1, code + 1, code ^ 0x4000] where other != code {
        var editor = sound
        editor.store(other, at: codes + 2 * index)
        if try editor.repaired().problems().isEmpty { missed.append((index, other)) }
      }
    }
    #expect(missed.isEmpty, "\(missed.prefix(5))")
  }

  /// Tests codes that have nothing to do with the points. With some of them, all nodes are shown at once.
  @Test(arguments: [0, 1, 2, 3]) func codesOfAnotherTreeAreReported(kind: Int) throws {
    let set = PointSet.cities(5000, seed: 81)
    var editor = try IndexEditor(set.tree(hasSeparations: true).indexBytes())
    let codes = editor.offset(of: .separations)
    var random = SplitMix64(seed: 82)
    for index in 1..<set.coordinates.count {
      let code: UInt16 =
        switch kind {
        case 0: 0
        case 1: 1
        case 2: .max
        default: UInt16(random.index(below: 1 << 16))
        }
      editor.store(code, at: codes + 2 * index)
    }
    let problems = try editor.repaired().problems()
    #expect(!problems.isEmpty && problems.count <= 100)
    #expect(problems.allSatisfy { $0.location.hasPrefix("separation ") })
  }

  /// If the hierarchy is damaged, its distances mean nothing. So verification does not check the separations.
  @Test func damagedHierarchyIsAllThatIsReported() throws {
    var editor = try IndexEditor(TestIndex.spaced)
    editor.set(.maxX, ofRecord: 0, to: editor.value(.maxX, ofRecord: 0) - 1)
    editor.store(UInt16.max, at: editor.offset(of: .separations))
    let problems = try editor.forged().problems().map(\.location)
    #expect(problems == ["node of points 0..<50"])
  }
}
