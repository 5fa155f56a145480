import PointSets
import TestSupport
import Testing

@testable import Treeline

/// Checks the orders `widestFirst` and `steepestFirst` against their definitions and against the promises of every
/// query.
@Suite struct BestFirstTests {
  private static let orders: [ExpansionOrder] = [.widestFirst, .steepestFirst]

  @Test(arguments: PointSet.nasty + (600..<660).map { PointSet.random(seed: UInt64($0)) }, orders)
  func answersAreThoseOfTheDefinition(_ set: PointSet, _ expansion: ExpansionOrder) throws {
    let outline = try set.outline()
    let order = Self.order(of: outline, expansion)
    var boxes = BoxMaker(for: set, seed: 121)
    var random = SplitMix64(seed: 122)
    for _ in 0..<Trials.count(25) {
      let box = boxes.next()
      let oracle = QueryOracle(outline, try outline.tree.plane.window(showing: box))
      let limit = [1, 2, 7, 1 + random.index(below: 60), .max][random.index(below: 5)]
      let answer = try Array(outline.tree.clusters(.limit(limit, order: expansion), in: Viewport(box)))
      #expect(oracle.violations(of: answer, limit: limit).prefix(5) == [], "\(box), limit \(limit)")
      #expect(answer == Self.bestFirst(outline, order, oracle, limit), "\(box), limit \(limit)")
    }
  }

  @Test(arguments: PointSet.nasty + (660..<700).map { PointSet.random(seed: UInt64($0)) }, orders)
  func aWindowInsideAnotherRefinesItsAnswer(_ set: PointSet, _ order: ExpansionOrder) throws {
    let tree = try set.tree()
    var random = SplitMix64(seed: 123)
    for _ in 0..<Trials.count(25) {
      let limit = 1 + random.index(below: 30)
      let window = PlaneWindow.random(over: tree, &random)
      let part = window.randomPart(&random)
      let coarse = try Array(tree.clusters(.limit(limit, order: order), in: window))
      let fine = try Array(tree.clusters(.limit(limit, order: order), in: part))
      #expect(unrefined(fine, by: coarse) == [], "\(part) in \(window), limit \(limit)")
    }
  }

  /// Returns all entries in the order in which a query without a limit expands them.
  private static func order(of outline: TreeOutline, _ expansion: ExpansionOrder) -> [Int] {
    func scatter(_ cluster: Cluster) -> Double {
      Double(cluster.pointCount) * (Double(cluster.spread.xx) + Double(cluster.spread.yy))
    }
    var worth = [Double](repeating: .infinity, count: outline.entries.count)
    for (number, entry) in outline.entries.enumerated() {
      var own = scatter(entry.cluster)
      if expansion == .steepestFirst, entry.children.count == 2 {
        let (left, right) = (outline.entries[entry.children[0]], outline.entries[entry.children[1]])
        own -= scatter(left.cluster) + scatter(right.cluster)
      }
      worth[number] = min(own, entry.parent.map { worth[$0] } ?? .infinity)
    }
    return outline.entries.indices.sorted { a, b in
      let (first, second) = (outline.entries[a], outline.entries[b])
      return (worth[b], first.level, first.cluster.range.lowerBound) < (
        worth[a], second.level, second.cluster.range.lowerBound
      )
    }
  }

  private static func bestFirst(_ outline: TreeOutline, _ order: [Int], _ oracle: QueryOracle, _ limit: Int)
    -> [Cluster]
  {
    func isVisible(_ entry: Int) -> Bool { oracle.isVisible(outline.entries[entry].cluster.range) }
    guard !outline.entries.isEmpty, isVisible(0) else { return [] }
    var answer: Set<Int> = [0]
    for entry in order where answer.contains(entry) {
      let children = outline.entries[entry].children.filter(isVisible)
      guard !children.isEmpty, answer.count - 1 + children.count <= limit else { continue }
      answer.remove(entry)
      answer.formUnion(children)
    }
    return answer.map { outline.entries[$0].cluster }.sorted { $0.range.lowerBound < $1.range.lowerBound }
  }
}
