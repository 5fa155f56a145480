import GridBaseline
import PointSets
import TestSupport
import Testing
@_spi(Server) import Treeline
import TreelineBuilder

@_spi(Server) @testable import TreelineComparison

@Suite struct MethodTests {
  @Test func everyMethodHasANameOfItsOwn() {
    for choice in MethodChoice.all { #expect(MethodChoice(name: choice.name) == choice) }
    #expect(Set(MethodChoice.all.map(\.name)).count == MethodChoice.all.count)
    #expect(
      MethodChoice.standard().map(\.name) == [
        "grid", "breadth-first", "badges", "widest-first", "spacing/merge:distance",
      ])
    #expect(
      MethodChoice.standard(of: .splitting(.gamma(1.5))).map(\.name) == [
        "grid", "breadth-first/gamma:1.5", "widest-first/gamma:1.5", "spacing/gamma:1.5",
      ])
    #expect(
      MethodChoice.standard(of: .merging(by: .badges)).map(\.name) == [
        "grid", "breadth-first/merge:badges", "badges", "widest-first/merge:badges",
      ])
    #expect(MethodChoice(name: "Grid") == nil && MethodChoice(name: "") == nil)
  }

  /// Checks which tree a name means if it has no growth.
  @Test func aNameWithoutAGrowthTakesATreeThatAnswersTheCut() {
    let named = ["grid", "widest-first", "spacing", "spacing/merge:distance"].compactMap(MethodChoice.init(name:))
    #expect(named.count == 4)
    let ofPoints = MethodChoice.plain(named, of: nil)
    #expect(ofPoints.map(\.name) == ["grid", "widest-first", "spacing/merge:distance"])
    #expect(ofPoints.allSatisfy { !$0.lacksSeparations })
    #expect(
      MethodChoice.plain(named, of: .merging(by: .badges)).map(\.name) == [
        "grid", "widest-first/merge:badges", "spacing/merge:badges", "spacing/merge:distance",
      ])
  }

  /// If the rows are in another order, points at the same position may be in another order. This is the greatest
  /// difference that two trees of one rule may have.
  @Test func anotherTreeNamesPointsAsTheFirstDoes() throws {
    let points = SamplePoints.towns(seed: 2) + Array(repeating: Coordinate(longitude: 175, latitude: 1), count: 40)
    let tree = try ClusterTree(points)
    let shifted = try ClusterTree(points.map { Coordinate(longitude: $0.longitude, latitude: -$0.latitude) })
    // The tree of the mirrored world has another order, but its points have the same rows.
    let compared = ComparedTree(shifted, inOrderOf: tree)
    for cluster in try shifted.clusters(.limit(50), in: Viewport(.world)) {
      let rows = Set(compared.treeIndices(of: cluster.range).map { tree.row(atTreeIndex: $0) })
      #expect(rows == Set(cluster.range.map { shifted.row(atTreeIndex: $0) }))
    }
  }

  @Test(arguments: UInt64(1)...5) func theDetailChosenIsTheLeastWithinTheLimit(seed: UInt64) throws {
    let compared = try Compared(SamplePoints.towns(seed: seed))
    let tree = compared.tree
    for comparison in try compared.report().views {
      let (view, limit) = (comparison.view, comparison.limit)
      func count(_ detail: Double) throws -> Int {
        try tree.clusters(.detail(detail), in: view.window, zoom: view.zoom).count
      }
      let detail = try TreeCut.leastPixels(by: .detail, of: tree, in: [view], limit: limit)
      #expect(compared.methods[3].name == "detail")
      #expect(try comparison.results[3].clusters.count == count(detail), "seed \(seed)")
      #expect(try count(detail) <= limit && count(detail - 1 / 16) > limit, "seed \(seed), zoom \(view.zoom)")
    }
  }

  @Test(arguments: Trials.seeds(5, from: 1, atLeast: 2)) func gridsAreWidenedUntilTheyShowNoMore(seed: UInt64) throws {
    let compared = try Compared(SamplePoints.towns(seed: seed))
    let yardstick = GridYardstick(grid: compared.grid, cellSize: .pixels(64))
    for comparison in try compared.report().views {
      let view = comparison.view
      let finest = try compared.grid.clusters(in: view.window, cellSize: .pixels(64), zoom: view.zoom).count
      #expect(try yardstick.clusters(in: view, atMost: finest).cell == 64)
      for count in [1, 2, finest / 2, finest - 1] where count >= 1 {
        let (cell, clusters) = try yardstick.clusters(in: view, atMost: count)
        #expect(clusters.count <= count, "seed \(seed)")
        var narrower = 64.0
        while narrower < cell * 0.999 {
          let shown = try compared.grid.clusters(in: view.window, cellSize: .pixels(narrower), zoom: view.zoom)
          #expect(shown.count > count, "seed \(seed), \(narrower) px")
          narrower *= 1.02
        }
      }
      let grid = comparison.results[0].measures
      #expect(grid[.distortionToGrid] == 1)
      for result in comparison.results {
        let measures = result.measures
        let wide = try yardstick.clusters(in: view, atMost: result.clusters.count).clusters
        let expected = MeasuresByDefinition(wide, in: view, points: compared.tree.positions).distortion!
        #expect(abs(measures[.distortionToGrid]! - measures[.distortion]! / expected) < 1e-6, "seed \(seed)")
      }
    }
  }

  /// Here k-means returns the clusters of the tree. So the distortion of the tree, compared with k-means, is 1.
  @Test func kMeansIsAskedForAsManyClusters() throws {
    let points = SamplePoints.towns(seed: 4)
    let tree = try ClusterTree(points)
    let view = try ComparisonView(Viewport(.world, width: 1024, height: 768), on: tree.plane)
    var options = ComparisonOptions(limit: 25)
    let clusters = try tree.clusters(.limit(25), in: view.window)
    options.kMeans = { positions, count in
      #expect(count == 25 && positions.count == points.count)
      return positions.indices.map { clusters.firstIndex(containingTreeIndex: $0)! }
    }
    let methods: [ClusteringMethod] = [.breadthFirst(tree), .kMeans(options.kMeans!, of: tree)]
    let report = try ComparisonReport(of: methods, over: tree, and: Grid(over: tree), in: [view], options: options)
    let results = report.views[0].results
    #expect(results.map(\.clusters.count) == [25, 25])
    #expect(results.allSatisfy { $0.conservation.isExact })
    #expect(abs(results[0].measures[.distortionToKMeans]! - 1) < 1e-6)
    #expect(results[1].measures[.distortionToKMeans] == 1)
    #expect(report.measures().contains(.distortionToKMeans) && report.text.contains("against k-means"))
    #expect(report.json.contains("\"distortion_to_kmeans\": 1"))
    #expect(!report.views[0].rows(report.measures()).contains { $0.cells[1].isBest }, "a yardstick vies with nobody")
  }
}
