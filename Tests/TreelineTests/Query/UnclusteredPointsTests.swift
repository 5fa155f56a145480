import PointSets
import Testing
import Treeline
import TreelineBuilder

/// Clusters of few points shown as their points, and all points from a zoom on, against the definition; and what holds
/// of other answers holds of these.
@Suite struct UnclusteredPointsTests {
  static let sets = PointSet.nasty + (1400..<1430).map { PointSet.random(seed: UInt64($0)) }

  @Test(arguments: sets) func answersAreThoseOfTheDefinition(_ set: PointSet) throws {
    let outline = try TreeOutline(Self.tree(set))
    let tree = outline.tree
    var random = SplitMix64(seed: 521)
    for round in 0..<20 {
      let question = Question(&random)
      let window = PlaneWindow.random(over: tree, &random)
      let oracle = QueryOracle(outline, window)
      let coarse = Set(try question.without.answer(of: tree, .everything).map(\.id))
      var expected: [Cluster] = []
      func visit(_ entry: Int, isBelow: Bool) {
        let (cluster, children) = (outline.entries[entry].cluster, outline.entries[entry].children)
        guard oracle.isVisible(cluster.range) else { return }
        let isBelow = isBelow || coarse.contains(cluster.id)
        if children.isEmpty || isBelow && !question.takesApart(cluster) {
          expected.append(cluster)
        } else {
          children.forEach { visit($0, isBelow: isBelow) }
        }
      }
      if !outline.entries.isEmpty { visit(0, isBelow: false) }
      let answer = try Array(question.answer(of: tree, window))
      #expect(answer == expected, "\(question) in \(window), round \(round), seed 521")
    }
  }

  @Test(arguments: sets) func zoomingInRefinesAndAPanChangesNothing(_ set: PointSet) throws {
    let tree = try Self.tree(set)
    var random = SplitMix64(seed: 522)
    for _ in 0..<20 {
      let question = Question(&random)
      let window = PlaneWindow.random(over: tree, &random)
      let all = try question.answer(of: tree, .everything)
      let ids = Set(all.map(\.id))
      #expect(try question.answer(of: tree, window).allSatisfy { ids.contains($0.id) }, "\(question), seed 522")
      var closer = question
      closer.zoom += random.number(from: 0, to: 3)
      #expect(try unrefined(Array(closer.answer(of: tree, window)), by: Array(all)) == [], "\(question), seed 522")
    }
  }

  @Test func fromItsZoomOnNothingIsACluster() throws {
    let tree = try Self.tree(.roads(1500, seed: 523))
    let alone = UnclusteredPoints(fromZoom: 11)
    for (zoom, isAlone) in [(11.0.nextDown, false), (11, true), (14.5, true)] {
      let answer = try tree.clusters(.detail(30).unclustered(alone), in: PlaneWindow.everything, zoom: zoom)
      #expect(answer.allSatisfy { $0.rect.isPoint } == isAlone)
    }
  }

  @Test func twoMembersAreAlwaysEnough() throws {
    let tree = try Self.tree(.cities(500, seed: 524))
    let usual = try tree.clusters(.detail(30), in: PlaneWindow.everything, zoom: 4)
    for least in [1, 2] {
      let alone = UnclusteredPoints(leastMembers: least)
      #expect(try tree.clusters(.detail(30).unclustered(alone), in: PlaneWindow.everything, zoom: 4) == usual)
    }
  }

  @Test func whatIsNoNumberOfMembersOrZoomTraps() async {
    await #expect(processExitsWith: .failure) { _ = UnclusteredPoints(leastMembers: 0) }
    await #expect(processExitsWith: .failure) { _ = UnclusteredPoints(fromZoom: .nan) }
  }

  /// 0 pixels of an endless width were no number, which trapped.
  @Test func noPixelsAreNoneAtAnyZoom() throws {
    let tree = try Self.tree(.cities(500, seed: 525))
    #expect(
      try tree.clusters(.spacing(0), in: PlaneWindow.everything, zoom: -5000)
        == tree.clusters(.spacing(0), in: PlaneWindow.everything, zoom: 5))
    #expect(
      try tree.clusters(.detail(0), in: PlaneWindow.everything, zoom: -5000)
        == tree.clusters(.detail(0), in: PlaneWindow.everything, zoom: 5))
  }

  private static func tree(_ set: PointSet) throws -> ClusterTree {
    try ClusterTree(set.coordinates, as: set.projection, options: BuildOptions(threads: 1, computesSeparations: true))
  }
}

private struct Question: CustomStringConvertible {
  var zoom: Double
  let pixels: Double
  let isSpacing: Bool
  let alone: UnclusteredPoints

  private init(zoom: Double, pixels: Double, isSpacing: Bool, alone: UnclusteredPoints) {
    (self.zoom, self.pixels, self.isSpacing, self.alone) = (zoom, pixels, isSpacing, alone)
  }

  init(_ random: inout SplitMix64) {
    self.init(
      zoom: random.number(from: -2, to: 24), pixels: random.number(from: 0, to: 200),
      isSpacing: random.index(below: 2) == 0,
      alone: UnclusteredPoints(
        leastMembers: [1, 3, 8, 40, .max][random.index(below: 5)],
        fromZoom: random.index(below: 3) == 0 ? random.number(from: 0, to: 24) : .infinity))
  }

  var without: Question { Question(zoom: zoom, pixels: pixels, isSpacing: isSpacing, alone: .none) }

  func takesApart(_ cluster: Cluster) -> Bool { cluster.pointCount < alone.leastMembers || zoom >= alone.fromZoom }

  func answer(of tree: ClusterTree, _ window: PlaneWindow) throws -> Clusters {
    isSpacing
      ? try tree.clusters(.spacing(pixels).unclustered(alone), in: window, zoom: zoom)
      : try tree.clusters(.detail(pixels).unclustered(alone), in: window, zoom: zoom)
  }

  var description: String { "zoom \(zoom), \(isSpacing ? "spacing" : "detail") \(pixels), \(alone)" }
}
