import PointSets
import Testing

@testable import Treeline

/// Widest first, against its definition and against what any query promises.
@Suite struct WidestFirstTests {
  @Test(arguments: PointSet.nasty + (600..<660).map { PointSet.random(seed: UInt64($0)) })
  func answersAreThoseOfTheDefinition(_ set: PointSet) throws {
    let outline = try set.outline()
    let order = Self.order(of: outline)
    var boxes = BoxMaker(for: set, seed: 121)
    var random = SplitMix64(seed: 122)
    for _ in 0..<25 {
      let box = boxes.next()
      let oracle = QueryOracle(outline, try outline.tree.plane.window(showing: box))
      let limit = [1, 2, 7, 1 + random.index(below: 60), .max][random.index(below: 5)]
      let answer = try Array(outline.tree.clusters(in: box, limit: limit, order: .widestFirst))
      #expect(oracle.violations(of: answer, limit: limit).prefix(5) == [], "\(box), limit \(limit)")
      #expect(answer == Self.widestFirst(outline, order, oracle, limit), "\(box), limit \(limit)")
    }
  }

  @Test(arguments: PointSet.nasty + (660..<700).map { PointSet.random(seed: UInt64($0)) })
  func aWindowInsideAnotherRefinesItsAnswer(_ set: PointSet) throws {
    let tree = try set.tree()
    var random = SplitMix64(seed: 123)
    for _ in 0..<25 {
      let limit = 1 + random.index(below: 30)
      let window = PlaneWindow.random(over: tree, &random)
      let part = window.randomPart(&random)
      let coarse = try Array(tree.clusters(in: window, limit: limit, order: .widestFirst))
      let fine = try Array(tree.clusters(in: part, limit: limit, order: .widestFirst))
      #expect(unrefined(fine, by: coarse) == [], "\(part) in \(window), limit \(limit)")
    }
  }

  /// All entries in the order in which they are expanded where there is room without end.
  private static func order(of outline: TreeOutline) -> [Int] {
    var scatter = [Double](repeating: .infinity, count: outline.entries.count)
    for (number, entry) in outline.entries.enumerated() {
      let own =
        Double(entry.cluster.pointCount) * (Double(entry.cluster.spread.xx) + Double(entry.cluster.spread.yy))
      scatter[number] = min(own, entry.parent.map { scatter[$0] } ?? .infinity)
    }
    return outline.entries.indices.sorted { a, b in
      let (first, second) = (outline.entries[a], outline.entries[b])
      return (scatter[b], first.level, first.cluster.range.lowerBound)
        < (scatter[a], second.level, second.cluster.range.lowerBound)
    }
  }

  private static func widestFirst(
    _ outline: TreeOutline, _ order: [Int], _ oracle: QueryOracle, _ limit: Int
  ) -> [Cluster] {
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
