import PointSets
import TestSupport
import Testing

@_spi(Server) @testable import Treeline

/// Checks the cut by scatter against its definition. Also checks its main advantage: the clusters do not depend on the
/// box.
@Suite struct DetailTests {
  static let sets = PointSet.nasty + (800..<840).map { PointSet.random(seed: UInt64($0)) }

  @Test(arguments: sets) func answersAreThoseOfTheDefinition(_ set: PointSet) throws {
    let outline = try set.outline()
    var boxes = BoxMaker(for: set, seed: 141)
    var random = SplitMix64(seed: 142)
    for _ in 0..<Trials.count(20) {
      let box = boxes.next()
      let oracle = QueryOracle(outline, try outline.tree.plane.window(showing: box))
      let (zoom, detail) = Self.scale(&random)
      let units = detail * Plane.unitsPerPixel(zoom: zoom)
      var expected: [Cluster] = []
      func visit(_ entry: Int) {
        let (cluster, children) = (outline.entries[entry].cluster, outline.entries[entry].children)
        guard oracle.isVisible(cluster.range) else { return }
        if children.isEmpty || cluster.spread.trace <= units * units {
          expected.append(cluster)
        } else {
          children.forEach(visit)
        }
      }
      if !outline.entries.isEmpty { visit(0) }
      let answer = try Array(outline.tree.clusters(.detail(detail), in: Viewport(box, zoom: zoom)))
      #expect(answer == expected, "\(box), zoom \(zoom), detail \(detail)")
    }
  }

  @Test(arguments: sets) func zoomingInRefinesAndAPanChangesNothing(_ set: PointSet) throws {
    let tree = try set.tree()
    var random = SplitMix64(seed: 143)
    for _ in 0..<Trials.count(20) {
      let (zoom, detail) = Self.scale(&random)
      let (a, b) = (PlaneWindow.random(over: tree, &random), PlaneWindow.random(over: tree, &random))
      let all = try tree.clusters(.detail(detail), in: PlaneWindow.everything, zoom: zoom)
      let ids = Set(all.map(\.id))
      for window in [a, b] {
        #expect(try tree.clusters(.detail(detail), in: window, zoom: zoom).allSatisfy { ids.contains($0.id) })
      }
      let closer = try tree.clusters(.detail(detail), in: a, zoom: zoom + random.number(from: 0, to: 3))
      #expect(unrefined(Array(closer), by: Array(all)) == [])
    }
  }

  @Test func expansionZoomIsWhereAClusterFallsApart() throws {
    let tree = try PointSet.cities(2000, seed: 144).tree()
    for cluster in try tree.clusters(.limit(60), in: PlaneWindow.everything) {
      guard let zoom = try tree.separationZoom(of: cluster.id, for: .detail(20)) else {
        #expect(cluster.rect.isPoint)
        continue
      }
      let (below, above) = (
        try tree.clusters(.detail(20), in: PlaneWindow.everything, zoom: zoom - 1e-6),
        try tree.clusters(.detail(20), in: PlaneWindow.everything, zoom: zoom + 1e-6)
      )
      #expect(!above.contains { $0.id == cluster.id })
      #expect(below.contains { $0.id == cluster.id || $0.isAncestor(of: cluster) })
    }
  }

  @Test func whatIsNoScaleIsRefused() throws {
    let tree = try PointSet.cities(20, seed: 145).tree()
    #expect(throws: QueryError.zoomNotFinite(found: .infinity)) {
      try tree.clusters(.detail(1), in: PlaneWindow.everything, zoom: .infinity)
    }
    #expect(throws: QueryError.notALength(name: "detail", found: -1)) {
      try tree.clusters(.detail(-1), in: PlaneWindow.everything, zoom: 1)
    }
    #expect(throws: QueryError.limitBelowOne(found: 0)) {
      try tree.clusters(.detail(1).atMost(0), in: PlaneWindow.everything, zoom: 1)
    }
  }

  private static func scale(_ random: inout SplitMix64) -> (zoom: Double, detail: Double) {
    (random.number(from: -2, to: 24), [0, 1, 8, 30, random.number(from: 0, to: 300)][random.index(below: 5)])
  }
}
