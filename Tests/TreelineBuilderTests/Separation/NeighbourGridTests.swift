import PointSets
import Testing
import Treeline

@testable import TreelineBuilder

/// The grid's nearest nodes against those of all.
@Suite struct NeighbourGridTests {
  @Test(arguments: [Plane.Projection.webMercator, .planar], 0..<60 as Range<UInt64>)
  func findsTheNearest(_ projection: Plane.Projection, seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let metric = PlaneMetric(projection)
    let plane = projection == .webMercator ? Plane.webMercator() : .planar(left: 0, top: 0, side: 1)
    let spread = UInt64(1) << UInt64(4 + random.index(below: 29))
    let corner = (UInt32(truncatingIfNeeded: random.next()), UInt32(truncatingIfNeeded: random.next()))
    func anywhere() -> PlanePoint {
      PlanePoint(
        x: corner.0 &+ UInt32(truncatingIfNeeded: random.next() % spread),
        y: corner.1 &+ UInt32(truncatingIfNeeded: random.next() % spread))
    }
    let side = Double(spread) / Double(1 + random.index(below: 30))
    var grid = NeighbourGrid(capacity: 2000, metric, BuildMonitor(pointCount: 1))
    grid.empty(for: 10, side: side)
    // Every third node is a single position.
    var nodes: [(position: PlanePoint, fork: UInt32)] = []
    var lastFork: UInt32 = 0
    func add(_ position: PlanePoint) -> UInt32 {
      lastFork += 1
      nodes.append((position, lastFork % 3 == 0 ? Fork.none : lastFork))
      return nodes.last!.fork
    }
    for _ in 0..<400 {
      let position = anywhere()
      grid.insert(position, add(position))
    }
    for _ in 0..<300 {
      let forks = nodes.indices.filter { nodes[$0].fork != Fork.none }
      let place = forks[random.index(below: forks.count)]
      let (position, number) = nodes[place]
      nodes.swapAt(place, nodes.count - 1)
      nodes.removeLast()
      let near = PlanePoint(x: position.x ^ 1, y: position.y)
      var fork = Fork(
        left: random.index(below: 2) == 0 ? near : anywhere(),
        right: random.index(below: 2) == 0 ? near : anywhere(), position: position)
      fork.leftFork = add(fork.left)
      fork.rightFork = add(fork.right)
      grid.replace(number, at: position, by: fork)
    }
    for _ in 0..<200 {
      let (a, b) = (anywhere(), anywhere())
      let reach = UInt32(min(random.next() % spread, UInt64(UInt32.max >> 1)))
      let exception = UInt32(1 + random.index(below: Int(lastFork)))
      let limit = UInt64(reach) * UInt64(reach)
      let expected = nodes.filter { $0.fork != exception }.map {
        min(plane.squaredDistance($0.position, a), plane.squaredDistance($0.position, b))
      }.min()!
      guard let area = grid.area(around: a, b, reach: reach) else {
        #expect(metric.width(a.x, b.x) > 4 * reach || max(a.y, b.y) - min(a.y, b.y) > 4 * reach)
        continue
      }
      var nearest = NeighbourGrid.Neighbour(squaredDistance: limit)
      let seen = grid.findNearest(to: a, b, in: area, but: exception, &nearest)
      #expect(nearest.squaredDistance == min(expected, limit), "seed \(seed)")
      #expect(seen.cells > 0)
    }
  }

  /// More cells than were expected, of which most are emptied again: the table grows, pieces run out and are told to.
  @Test func tellsWhenItIsExhausted() {
    var grid = NeighbourGrid(capacity: 0, PlaneMetric(.webMercator), BuildMonitor(pointCount: 1))
    grid.empty(for: 0, side: 1)
    var position = PlanePoint(x: 0, y: 0)
    var fork: UInt32 = 1
    grid.insert(position, fork)
    var splits = 0
    while !grid.isExhausted {
      let next = PlanePoint(x: position.x &+ 0x9E37_79B9, y: position.y &+ 0x7F4A_7C15)
      grid.replace(
        fork, at: position, by: Fork(left: next, right: next, leftFork: fork + 1, position: position))
      (position, fork) = (next, fork + 1)
      splits += 1
    }
    #expect((500...1100).contains(splits))
  }
}
