import PointSets
import TestSupport
import Testing
@_spi(Server) @testable import Treeline
import TreelineBuilder

/// Checks unclustered points: small clusters are shown as their points, and from some zoom on all points are shown
/// alone. Compares with the definition, and checks the promises that hold for all answers.
@Suite struct UnclusteredPointsTests {
  static let sets = PointSet.nasty + (1400..<1430).map { PointSet.random(seed: UInt64($0)) }

  @Test(arguments: sets) func answersAreThoseOfTheDefinition(_ set: PointSet) throws {
    let outline = try TreeOutline(set.tree(supporting: .spacing))
    let tree = outline.tree
    var random = SplitMix64(seed: 521)
    for round in 0..<Trials.count(20) {
      let query = PixelQuery(&random)
      let window = PlaneWindow.random(over: tree, &random)
      let oracle = QueryOracle(outline, window)
      let coarse = Set(try query.unclustered(.none).answer(of: tree, .everything).map(\.id))
      var expected: [Cluster] = []
      func visit(_ entry: Int, isBelow: Bool) {
        let (cluster, children) = (outline.entries[entry].cluster, outline.entries[entry].children)
        guard oracle.isVisible(cluster.range) else { return }
        let isBelow = isBelow || coarse.contains(cluster.id)
        if children.isEmpty || isBelow && !query.takesApart(cluster) {
          expected.append(cluster)
        } else {
          children.forEach { visit($0, isBelow: isBelow) }
        }
      }
      if !outline.entries.isEmpty { visit(0, isBelow: false) }
      let answer = try Array(query.answer(of: tree, window))
      #expect(answer == expected, "\(query) in \(window), round \(round), seed 521")
    }
  }

  @Test(arguments: sets) func zoomingInRefinesAndAPanChangesNothing(_ set: PointSet) throws {
    let tree = try set.tree(supporting: .spacing)
    var random = SplitMix64(seed: 522)
    for _ in 0..<Trials.count(20) {
      let query = PixelQuery(&random)
      let window = PlaneWindow.random(over: tree, &random)
      let all = try query.answer(of: tree, .everything)
      let ids = Set(all.map(\.id))
      #expect(try query.answer(of: tree, window).allSatisfy { ids.contains($0.id) }, "\(query), seed 522")
      var closer = query
      closer.zoom += random.number(from: 0, to: 3)
      #expect(try unrefined(Array(closer.answer(of: tree, window)), by: Array(all)) == [], "\(query), seed 522")
    }
  }

  @Test func fromItsZoomOnNothingIsACluster() throws {
    let tree = try PointSet.roads(1500, seed: 523).tree(supporting: .spacing)
    let alone = UnclusteredPoints(fromZoom: 11)
    for (zoom, isAlone) in [(11.0.nextDown, false), (11, true), (14.5, true)] {
      let answer = try tree.clusters(.detail(30).unclustered(alone), in: PlaneWindow.everything, zoom: zoom)
      #expect(answer.allSatisfy { $0.rect.isPoint } == isAlone)
    }
  }

  @Test func twoMembersAreAlwaysEnough() throws {
    let tree = try PointSet.cities(500, seed: 524).tree(supporting: .spacing)
    let usual = try tree.clusters(.detail(30), in: PlaneWindow.everything, zoom: 4)
    for least in [1, 2] {
      let alone = UnclusteredPoints(leastMembers: least)
      #expect(try tree.clusters(.detail(30).unclustered(alone), in: PlaneWindow.everything, zoom: 4) == usual)
    }
  }

  @Test func whatIsNoNumberOfMembersOrZoomIsRefused() throws {
    let tree = try PointSet.cities(30, seed: 524).tree(supporting: .spacing)
    let root = try #require(tree.root).id
    for points in [
      UnclusteredPoints(leastMembers: 0), UnclusteredPoints(leastMembers: .min), UnclusteredPoints(fromZoom: .nan),
    ] {
      let cut = Cut.detail(30).unclustered(points)
      for ask in [
        { _ = try tree.clusters(cut, in: .everything(zoom: 3)) },
        { _ = try tree.clusters(cut, centeredIn: .everything(zoom: 3)) },
        { _ = try tree.separationZoom(of: root, for: cut) },
        { _ = try tree.unclusteredZoom(ofTreeIndex: 0, for: cut) },
      ] {
        #expect {
          try ask()
        } throws: { error in
          if case QueryError.neverUnclustered? = error as? QueryError { true } else { false }
        }
      }
    }
  }

  /// Guards against an old fault: a plane of infinite width times 0 pixels gave NaN, which trapped.
  @Test func noPixelsAreNoneAtAnyZoom() throws {
    let tree = try PointSet.cities(500, seed: 525).tree(supporting: .spacing)
    #expect(
      try tree.clusters(.spacing(0), in: PlaneWindow.everything, zoom: -5000)
        == tree.clusters(.spacing(0), in: PlaneWindow.everything, zoom: 5))
    #expect(
      try tree.clusters(.detail(0), in: PlaneWindow.everything, zoom: -5000)
        == tree.clusters(.detail(0), in: PlaneWindow.everything, zoom: 5))
  }
}

extension PixelQuery {
  fileprivate func takesApart(_ cluster: Cluster) -> Bool {
    cluster.pointCount < alone.leastMembers || zoom >= alone.fromZoom
  }
}
