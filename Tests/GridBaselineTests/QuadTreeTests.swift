import PointSets
import Testing
@_spi(Server) @testable import Treeline

@testable import GridBaseline

struct QuadTreeTests {
  @Test(arguments: NastyPoints.all, [1, 4, 8]) func everyNodeIsOneSquareOfItsParent(_ set: NastyPoints, capacity: Int) {
    let tree = QuadTree(set.points, bucketCapacity: capacity)
    #expect(tree.rows.sorted() == Array(0..<UInt32(set.points.count)))
    for (point, row) in zip(tree.points, tree.rows) { #expect(point == set.points[Int(row)]) }
    guard !tree.nodes.isEmpty else {
      #expect(set.points.isEmpty)
      return
    }
    #expect(tree.nodes[0].range == 0..<set.points.count)
    var leafRanges: [Range<Int>] = []
    check(0, of: tree, depth: 1, leafRanges: &leafRanges)
    #expect(leafRanges.map(\.count).reduce(0, +) == set.points.count)
    #expect(tree.nodes.count < 2 * leafRanges.count)
  }

  private func check(_ index: Int, of tree: QuadTree, depth: Int, leafRanges: inout [Range<Int>]) {
    let node = tree.nodes[index]
    let points = tree.points[node.range]
    #expect(depth <= 33)
    var totals = PointTotals(points.first!, row: tree.rows[node.range.lowerBound])
    for position in node.range.dropFirst() { totals.add(PointTotals(tree.points[position], row: tree.rows[position])) }
    #expect(node.totals == totals)
    guard !node.isLeaf else {
      #expect(points.count <= tree.bucketCapacity || totals.bounds.isPoint)
      leafRanges.append(node.range)
      return
    }
    let children = tree.children(of: node)
    #expect(2...4 ~= children.count)
    #expect(points.count > tree.bucketCapacity)
    var start = node.range.lowerBound
    for child in children {
      #expect(tree.nodes[child].range.lowerBound == start)
      start = tree.nodes[child].range.upperBound
      check(child, of: tree, depth: depth + 1, leafRanges: &leafRanges)
    }
    #expect(start == node.range.upperBound)
    // The quadrants are divided at the highest bit in which any two points differ.
    let bounds = totals.bounds
    let half = 31 - ((bounds.minX ^ bounds.maxX) | (bounds.minY ^ bounds.maxY)).leadingZeroBitCount
    for child in children {
      let box = tree.nodes[child].totals.bounds
      #expect(box.minX >> half == box.maxX >> half && box.minY >> half == box.maxY >> half)
    }
  }

  @Test(arguments: NastyPoints.all) func searchFindsThePointsOfTheWindow(_ set: NastyPoints) {
    let tree = QuadTree(set.points)
    var numbers = SplitMix64(seed: 11)
    var windows = [PlaneWindow.everything, PlaneWindow(x: .max, width: 1, minY: 0, maxY: .max)]
    for _ in 0..<40 { windows.append(.random(using: &numbers)) }
    for point in set.points.prefix(20) {
      windows.append(PlaneWindow(x: point.x, width: 0, minY: point.y, maxY: point.y))
      windows.append(PlaneWindow(x: point.x &+ 1, width: .max - 1, minY: 0, maxY: .max))
    }
    for window in windows {
      let expected = set.points.indices.filter { window.contains(set.points[$0]) }
      #expect(tree.rows(in: window) == expected)
      #expect(tree.pointCount(in: window) == expected.count)
    }
  }

  @Test(arguments: NastyPoints.all) func shufflingChangesRowNumbersOnly(_ set: NastyPoints) {
    let seed: UInt64 = 5
    var numbers = SplitMix64(seed: seed)
    let order = set.points.indices.shuffled(using: &numbers)
    let tree = QuadTree(set.points)
    let shuffled = QuadTree(order.map { set.points[$0] })
    #expect(tree.points == shuffled.points)
    #expect(tree.nodes.map(\.range) == shuffled.nodes.map(\.range))
    #expect(tree.nodes.map(\.firstChild) == shuffled.nodes.map(\.firstChild))
    for position in tree.points.indices.dropFirst() where tree.points[position - 1] == tree.points[position] {
      #expect(shuffled.rows[position - 1] < shuffled.rows[position])
    }
  }
}

extension PlaneWindow {
  /// Returns a window of any size, from a single position to the whole plane. It often lies across the seam.
  static func random(using numbers: inout SplitMix64) -> PlaneWindow {
    let size = UInt32.max >> UInt32.random(in: 0..<32, using: &numbers)
    let y = UInt32.random(in: 0 ... .max, using: &numbers)
    return PlaneWindow(
      x: .random(in: 0 ... .max, using: &numbers), width: .random(in: 0...size, using: &numbers), minY: y,
      maxY: y + min(.max - y, .random(in: 0...size, using: &numbers)))
  }
}
