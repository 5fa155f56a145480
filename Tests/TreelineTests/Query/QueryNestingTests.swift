import PointSets
import TestSupport
import Testing
import Treeline

/// Checks that zooming in never merges clusters: the answer for a part of a window is at least as fine as the answer
/// for the whole window.
@Suite struct QueryNestingTests {
  @Test(arguments: PointSet.nasty + (300..<360).map { PointSet.random(seed: UInt64($0)) }, SplitRule.few)
  func aWindowInsideAnotherRefinesItsAnswer(_ set: PointSet, _ rule: SplitRule) throws {
    let tree = try set.tree(rule)
    var random = SplitMix64(seed: 111)
    for _ in 0..<Trials.count(25) {
      let limit = 1 + random.index(below: 30)
      var window = PlaneWindow.random(over: tree, &random)
      var answer = try Array(tree.clusters(.limit(limit), in: window))
      for _ in 0..<5 {
        let part = window.randomPart(&random)
        let finer = try Array(tree.clusters(.limit(limit), in: part))
        #expect(unrefined(finer, by: answer) == [], "\(part) in \(window), limit \(limit)")
        (window, answer) = (part, finer)
      }
    }
  }

  /// Checks nesting for viewports, in degrees, that zoom in on one coordinate.
  @Test(arguments: [
    PointSet.cities(3000, seed: 112), .uniformWorld(3000, seed: 113), .roads(3000, seed: 114),
    .antimeridian(500, seed: 115),
  ]) func zoomingInRefines(_ set: PointSet) throws {
    let tree = try set.tree()
    var random = SplitMix64(seed: 116)
    for _ in 0..<Trials.count(20) {
      let center = set.coordinates[random.index(below: set.coordinates.count)]
      var coarser: [Cluster]?
      var zoom = 0.0
      while zoom < 20 {
        let viewport = Viewport(center: center, zoom: zoom, width: 800, height: 500)
        let answer = try Array(tree.clusters(.limit(25), in: viewport))
        if let coarser { #expect(unrefined(answer, by: coarser) == [], "\(center) at zoom \(zoom)") }
        coarser = answer
        zoom += random.number(from: 0.05, to: 1.5)
      }
    }
  }

  /// Checks that a higher limit only splits clusters, and changes nothing else.
  @Test(arguments: PointSet.nasty) func aHigherLimitRefines(_ set: PointSet) throws {
    let tree = try set.tree()
    var boxes = BoxMaker(for: set, seed: 117)
    for _ in 0..<6 {
      let box = boxes.next()
      let all = try Array(tree.clusters(.limit(.max), in: Viewport(box))).count
      var coarser: [Cluster]?
      for limit in [1, 2, 3, 4, 5, 6, 9, 17, 40, 41] {
        let answer = try Array(tree.clusters(.limit(limit), in: Viewport(box)))
        #expect(answer.count == min(limit, all))
        if let coarser { #expect(unrefined(answer, by: coarser) == [], "\(box), limit \(limit)") }
        coarser = answer
      }
    }
  }
}
