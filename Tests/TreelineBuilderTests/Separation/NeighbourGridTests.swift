import PointSets
import TestSupport
import Testing
@_spi(Server) import Treeline

@testable import TreelineBuilder

/// Compares the nearest nodes that the grid finds with the nearest of all nodes.
@Suite struct NeighbourGridTests {
  @Test(arguments: [Plane.Projection.webMercator, .planar], Trials.seeds(60)) func findsTheNearest(
    _ projection: Plane.Projection, seed: UInt64
  ) {
    var random = SplitMix64(seed: seed)
    let plane = projection == .webMercator ? Plane.webMercator() : .planar(left: 0, top: 0, side: 1)
    let spread = UInt64(1) << UInt64(4 + random.index(below: 29))
    let corner = (UInt32(truncatingIfNeeded: random.next()), UInt32(truncatingIfNeeded: random.next()))
    func anywhere() -> PlanePoint {
      PlanePoint(
        x: corner.0 &+ UInt32(truncatingIfNeeded: random.next() % spread),
        y: corner.1 &+ UInt32(truncatingIfNeeded: random.next() % spread))
    }
    let side = Double(spread) / Double(1 + random.index(below: 30))
    var grid = NeighbourGrid(capacity: 2000, projection, BuildMonitor(pointCount: 1))
    grid.empty(for: 10, side: side)
    // Every third node consists of a single position.
    var nodes: [(position: PlanePoint, node: UInt32)] = []
    var lastNode: UInt32 = 0
    func add(_ position: PlanePoint) -> UInt32 {
      lastNode += 1
      nodes.append((position, lastNode % 3 == 0 ? InternalNode.none : lastNode))
      return nodes.last!.node
    }
    for _ in 0..<400 {
      let position = anywhere()
      grid.insert(position, add(position))
    }
    for _ in 0..<300 {
      let internalNodes = nodes.indices.filter { nodes[$0].node != InternalNode.none }
      let index = internalNodes[random.index(below: internalNodes.count)]
      let (position, number) = nodes[index]
      nodes.swapAt(index, nodes.count - 1)
      nodes.removeLast()
      let near = PlanePoint(x: position.x ^ 1, y: position.y)
      var node = InternalNode(
        left: random.index(below: 2) == 0 ? near : anywhere(), right: random.index(below: 2) == 0 ? near : anywhere(),
        position: position)
      node.leftNode = add(node.left)
      node.rightNode = add(node.right)
      grid.replace(number, at: position, by: node)
    }
    for _ in 0..<200 {
      let (a, b) = (anywhere(), anywhere())
      let reach = UInt32(min(random.next() % spread, UInt64(UInt32.max >> 1)))
      let exception = UInt32(1 + random.index(below: Int(lastNode)))
      let limit = UInt64(reach) * UInt64(reach)
      let expected = nodes.filter { $0.node != exception }.map {
        min(plane.squaredDistance($0.position, a), plane.squaredDistance($0.position, b))
      }.min()!
      guard let area = grid.area(around: a, b, reach: reach) else {
        #expect(projection.width(a.x, b.x) > 4 * reach || max(a.y, b.y) - min(a.y, b.y) > 4 * reach)
        continue
      }
      var nearest = NeighbourGrid.Neighbour(squaredDistance: limit)
      let seen = grid.findNearest(to: a, b, in: area, but: exception, &nearest)
      #expect(nearest.squaredDistance == min(expected, limit), "seed \(seed)")
      #expect(seen.cells > 0)
    }
  }

  /// Fills more cells than expected, but empties most of them again. Checks that the table grows, and that the grid
  /// reports when it runs out of pieces.
  @Test func tellsWhenItIsExhausted() {
    var grid = NeighbourGrid(capacity: 0, .webMercator, BuildMonitor(pointCount: 1))
    grid.empty(for: 0, side: 1)
    var position = PlanePoint(x: 0, y: 0)
    var node: UInt32 = 1
    grid.insert(position, node)
    var splits = 0
    while !grid.isExhausted {
      let next = PlanePoint(x: position.x &+ 0x9E37_79B9, y: position.y &+ 0x7F4A_7C15)
      grid.replace(
        node, at: position, by: InternalNode(left: next, right: next, leftNode: node + 1, position: position))
      (position, node) = (next, node + 1)
      splits += 1
    }
    #expect((500...1100).contains(splits))
  }
}
