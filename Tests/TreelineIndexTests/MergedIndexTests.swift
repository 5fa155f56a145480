import PointSets
import TestSupport
import Testing
@_spi(Server) import Treeline
import TreelineBuilder
import TreelineVerification

/// Checks indexes of trees that were grown by merging.
@Suite struct MergedIndexTests {
  private static func tree(_ set: PointSet, by metric: MergeMetric = .distance, anchor: ClusterAnchor = .mean) throws
    -> ClusterTree
  {
    try ClusterTree(
      set.coordinates, as: set.projection,
      options: BuildOptions(growth: .merging(by: metric), threads: 2, anchor: anchor))
  }

  @Test(
    arguments: PointSet.nasty + Trials.seeds(40, from: 400).map { PointSet.random(seed: $0) } + [
      .uniformWorld(20_000, seed: 401), .cities(20_000, seed: 402), .coarse(20_000, side: 60, seed: 403),
      .antimeridian(10_000, seed: 404), .planar(10_000, x: -3...9, y: 0...1, seed: 405),
    ]) func theyAreSound(_ set: PointSet) throws
  {
    for (metric, anchor, number) in [
      (.distance, .mean, 4), (.distance, .member, 4), (.badges, .mean, 5), (.badges, .member, 5), (.scatter, .mean, 6),
    ] as [(MergeMetric, ClusterAnchor, UInt32)] {
      var tree = try Self.tree(set, by: metric, anchor: anchor)
      if set.coordinates.count <= 3000 { tree = try tree.withSeparations() }
      #expect(tree.problems() == [], "\(set), \(metric)")
      let index = try IndexEditor(tree.indexBytes())
      #expect(try index.repaired().open().anchor == tree.anchor)
      #expect(index.number(at: 10, as: UInt16.self) == (metric == .distance && tree.anchor == .mean ? 1 : 2))
      #expect(index.number(at: 80, as: UInt32.self) == number)
      #expect(try index.repaired().problems() == [], "\(set), \(metric)")
    }
  }

  @Test func anchorsThatAreWrongOrMissingAreReported() throws {
    for metric in [MergeMetric.distance, .badges] {
      let index = try IndexEditor(Self.tree(.cities(150, seed: 433), by: metric, anchor: .member).indexBytes())
      let start = index.offset(of: .anchors)
      for bit in 0..<152 {
        var editor = index
        editor.store(editor.number(at: start + bit / 8, as: UInt8.self) ^ 1 << UInt8(bit % 8), at: start + bit / 8)
        #expect(try !editor.repaired().problems().isEmpty, "\(metric), bit \(bit)")
      }
      // The section of cluster positions and its trait belong together. If only one of them is present, this is a
      // problem.
      var editor = index
      editor.store(UInt32(0), at: 88)
      #expect(try !editor.repaired().problems().isEmpty)
      editor = try IndexEditor(Self.tree(.cities(150, seed: 433), by: metric).indexBytes())
      editor.store(UInt32(4), at: 88)
      let repaired = editor.repaired()
      #expect(throws: IndexError.self) { try repaired.open() }
    }
  }

  /// Checks that verification also reports changes in bytes that readers ignore.
  @Test func badgeSectionsOfAnotherGrowthAndReservedBytesAreReported() throws {
    let set = PointSet.cities(300, seed: 432)
    let badges = try IndexEditor(Self.tree(set, by: .badges).indexBytes())
    let curve = badges.offset(of: .badgeCurve)
    for offset in [4, 7, 14, 15] {
      var editor = badges
      editor.store(UInt8(1), at: curve + offset)
      #expect(try !editor.repaired().problems().isEmpty, "byte \(offset)")
    }
    for (number, kind) in badges.header.sections.enumerated().map({ ($0, $1.kind) }) where kind == .badgeScales {
      var editor = badges
      editor.store(IndexSection.Kind.separations.rawValue, at: 128 + 32 * number)
      #expect(try !editor.repaired().problems().isEmpty)
    }
    var editor = badges
    editor.store(UInt32(4), at: 80)
    #expect(try !editor.repaired().problems().isEmpty)
  }

  @Test func curvesAreKept() throws {
    let curve = BadgeCurve(steps: [.init(pointCount: 1, diameter: 300), .init(pointCount: 7, diameter: 4000)], gap: 65)
    let options = BuildOptions(
      growth: .merging(by: .badges), badgeCurve: curve)
    let tree = try ClusterTree(PointSet.cities(300, seed: 431).coordinates, options: options)
    let index = try IndexEditor(tree.indexBytes())
    #expect(try index.repaired().open().badgeCurve == curve)
    let start = index.offset(of: .badgeCurve)
    for (offset, value) in [(2, 1), (2, 3), (0, 9000), (8, 2), (12, 1), (16, 1), (20, 299), (20, 40_000)]
      as [(Int, UInt16)]
    {
      var editor = index
      editor.store(value, at: start + offset)
      let repaired = editor.repaired()
      #expect(throws: IndexError.self, "\(value) at \(offset)") { try repaired.open() }
    }
  }

  @Test(arguments: [
    PointSet.cities(150, seed: 411), .uniformWorld(100, seed: 412), .antimeridian(60, seed: 413),
    .nullIsland(stack: 20, noise: 60, seed: 414), .coarse(80, side: 6, seed: 415), .lattice(columns: 8, rows: 8),
  ]) func everyCodeOffByOneIsReported(_ set: PointSet) throws {
    for metric in MergeMetric.allCases { try checkCodes(of: set, metric) }
  }

  private func checkCodes(of set: PointSet, _ metric: MergeMetric) throws {
    let sound = try IndexEditor(Self.tree(set, by: metric).withSeparations().indexBytes())
    let codes = sound.offset(of: metric == .badges ? .badgeScales : .separations)
    for index in 0..<set.coordinates.count {
      let code = sound.number(at: codes + 2 * index, as: UInt16.self)
      for other in [code &- 1, code + 1, code ^ 0x4000] {
        var editor = sound
        editor.store(other, at: codes + 2 * index)
        #expect(try !editor.repaired().problems().isEmpty, "\(set): \(other) for \(code) at \(index)")
      }
    }
  }

  /// Checks an index as version 0.2 could write it: merged by distance, but without separations.
  @Test func aMergedTreeMayLackSeparations() throws {
    let tree = try Self.tree(.cities(500, seed: 433), by: .distance).withoutSeparations()
    let opened = try IndexBytes(tree.indexBytes()).open()
    #expect(opened.problems() == [] && !opened.hasSeparations && opened.growth == .merging(by: .distance))
    #expect(throws: QueryError.self) { try opened.clusters(.spacing(44), in: .everything(zoom: 3)) }
    #expect(try opened.clusters(.limit(20), in: .everything(zoom: 3)).count == 20)
  }

  /// Checks that the codes of a split tree are not accepted as merge scales.
  @Test func codesOfATreeThatWasSplitAreReported() throws {
    var editor = try IndexEditor(PointSet.cities(500, seed: 421).tree(hasSeparations: true).indexBytes())
    editor.store(UInt32(4), at: 80)
    #expect(try !editor.repaired().problems().isEmpty)
  }

  @Test func traitsThatDoNotHoldAreRefusedOrReported() throws {
    let set = PointSet.cities(500, seed: 422)
    for (traits, tree) in try [(1, Self.tree(set)), (8, Self.tree(set)), (1, set.tree())] as [(UInt32, ClusterTree)] {
      var editor = try IndexEditor(tree.indexBytes())
      editor.store(traits, at: 88)
      let repaired = editor.repaired()
      #expect(throws: (any Error).self) {
        let problems = try repaired.problems()
        if !problems.isEmpty { throw IndexError.notAnIndex(path: "reported", found: "") }
      }
    }
  }
}
