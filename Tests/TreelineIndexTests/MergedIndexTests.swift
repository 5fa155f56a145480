import PointSets
import Testing
import Treeline
import TreelineBuilder
import TreelineVerification

/// Indexes of trees grown by merging.
@Suite struct MergedIndexTests {
  private static func tree(_ set: PointSet) throws -> ClusterTree {
    try ClusterTree(
      set.coordinates, as: set.projection,
      options: BuildOptions(growth: .merging(by: .distance), threads: 2, computesSeparations: true))
  }

  @Test(
    arguments: PointSet.nasty + (400..<440).map { PointSet.random(seed: UInt64($0)) } + [
      .uniformWorld(20_000, seed: 401), .cities(20_000, seed: 402), .coarse(20_000, side: 60, seed: 403),
      .antimeridian(10_000, seed: 404), .planar(10_000, x: -3...9, y: 0...1, seed: 405),
    ]) func theyAreSound(_ set: PointSet) throws
  {
    let tree = try Self.tree(set)
    #expect(tree.problems() == [], "\(set)")
    let index = try IndexEditor(tree.indexBytes())
    #expect(index.number(at: 10, as: UInt16.self) == 1 && index.number(at: 80, as: UInt32.self) == 4)
    #expect(try index.repaired().problems() == [], "\(set)")
  }

  @Test(arguments: [
    PointSet.cities(150, seed: 411), .uniformWorld(100, seed: 412), .antimeridian(60, seed: 413),
    .nullIsland(stack: 20, noise: 60, seed: 414), .coarse(80, side: 6, seed: 415), .lattice(columns: 8, rows: 8),
  ]) func everyCodeOffByOneIsReported(_ set: PointSet) throws {
    let sound = try IndexEditor(Self.tree(set).indexBytes())
    let codes = sound.offset(of: .separations)
    for index in 0..<set.coordinates.count {
      let code = sound.number(at: codes + 2 * index, as: UInt16.self)
      for other in [code &- 1, code + 1, code ^ 0x4000] {
        var editor = sound
        editor.store(other, at: codes + 2 * index)
        #expect(try !editor.repaired().problems().isEmpty, "\(set): \(other) for \(code) at \(index)")
      }
    }
  }

  /// The codes of a tree that was split are no merge scales.
  @Test func codesOfATreeThatWasSplitAreReported() throws {
    var editor = try IndexEditor(PointSet.cities(500, seed: 421).tree(computesSeparations: true).indexBytes())
    editor.store(UInt32(4), at: 80)
    #expect(try !editor.repaired().problems().isEmpty)
  }

  @Test func traitsThatDoNotHoldAreRefusedOrReported() throws {
    let set = PointSet.cities(500, seed: 422)
    for (traits, tree) in try [(1, Self.tree(set)), (4, Self.tree(set)), (1, set.tree())] as [(UInt32, ClusterTree)] {
      var editor = try IndexEditor(tree.indexBytes())
      editor.store(traits, at: 88)
      let repaired = editor.repaired()
      #expect(throws: (any Error).self) {
        let problems = try repaired.problems()
        if !problems.isEmpty { throw IndexError.notAnIndex(path: "reported") }
      }
    }
  }
}
