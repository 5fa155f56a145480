import PointSets
@testable import GridBaseline
import TestSupport
import Testing
@_spi(Server) @testable import Treeline
import TreelineBuilder

struct GridClustersTests {
  static let seams: [UInt32] = [0, 1, 1 << 31, 0xDEAD_BEEF, .max]
  /// Sides of cells: powers of two, numbers that do not divide the plane, one unit, the whole plane, and almost the
  /// whole plane.
  static let sides: [UInt64] = [
    1, 3, 1 << 20, 1_000_003, 88 << 20, 1 << 30, 0x5555_5556, 1 << 31, 0xFFFF_FFFF, 1 << 32,
  ]

  @Test(arguments: NastyPoints.all, Trials.some(of: seams, atLeast: 2)) func clustersAreTheCellsByDefinition(
    _ set: NastyPoints, seam: UInt32
  ) {
    let seed = UInt64(seam) &+ 77
    var numbers = SplitMix64(seed: seed)
    let plane = Plane.webMercator(seam: seam)
    let grid = Grid(set.points, on: plane)
    let definition = GridByDefinition(plane: plane, points: set.points)
    for side in Self.sides {
      var windows = [PlaneWindow.everything, PlaneWindow(x: 0 &- seam, width: .max, minY: 0, maxY: .max)]
      for _ in 0..<3 { windows.append(.random(using: &numbers)) }
      if let point = set.points.randomElement(using: &numbers) {
        // Tests windows that are smaller than a cell, at a point and just next to the point.
        windows.append(PlaneWindow(x: point.x, width: 0, minY: point.y, maxY: point.y))
        windows.append(PlaneWindow(x: point.x &+ 1, width: 5, minY: point.y, maxY: point.y))
      }
      for window in windows { definition.check(grid, in: window, side: side) }
    }
  }

  /// The interface for other modules: a grid over a tree, in a viewport.
  @Test func viewportsShowTheCellsOfATreesPoints() throws {
    let coordinates = (0..<500).map { at in
      Coordinate(longitude: 2 + Double(at % 31) / 40, latitude: 48 + Double(at % 23) / 50)
    }
    let tree = try ClusterTree(coordinates)
    let grid = Grid(over: tree)
    let view = Viewport(center: Coordinate(longitude: 2.4, latitude: 48.2), zoom: 10, width: 800, height: 600)
    let clusters = try grid.clusters(in: view, cellSize: .pixels(64))
    let window = try #require(try view.located(on: tree.plane)).window
    #expect(clusters == (try grid.clusters(in: window, cellSize: .pixels(64), zoom: 10)) && clusters.count > 20)
    #expect(throws: QueryError.self) { try grid.clusters(in: .everything, cellSize: .pixels(64)) }
    #expect(throws: GridError.self) { try grid.clusters(in: view, cellSize: .pixels(0)) }
  }

  @Test(arguments: [2, 3, 1 << 16, 1_000_003, 88 << 20, 0x5555_5556] as [UInt64], seams)
  func pointsOnEdgesAndCornersBelongToOneCell(side: UInt64, seam: UInt32) {
    let last = (1 << 32) / side
    let set = NastyPoints.around(side: side, lines: [1, 2, 7, last - 1, last], seam: seam)
    let plane = Plane.webMercator(seam: seam)
    let grid = Grid(set.points, on: plane)
    let definition = GridByDefinition(plane: plane, points: set.points)
    let clusters = definition.check(grid, in: .everything, side: side)
    #expect(clusters.map(\.pointCount).reduce(0, +) == set.points.count)
    // Tests windows that end on lines of the grid, just before them, and just after them.
    var numbers = SplitMix64(seed: side)
    for _ in 0..<Trials.count(20) {
      let corner = set.points.randomElement(using: &numbers)!
      let opposite = set.points.randomElement(using: &numbers)!
      let window = PlaneWindow(
        x: corner.x, width: opposite.x &- corner.x, minY: min(corner.y, opposite.y), maxY: max(corner.y, opposite.y))
      definition.check(grid, in: window, side: side)
    }
  }

  @Test func latticePointsOnCellEdgesAreOneToACell() {
    let side: UInt32 = 88 << 20
    let points = (0..<46 * 46).map { (index: UInt32) in PlanePoint(x: index % 46 * side, y: index / 46 * side) }
    let clusters = Grid(points, on: .webMercator()).clusters(in: .everything, cellSide: UInt64(side))
    #expect(clusters.map(\.firstPoint) == Array(points.indices) && clusters.allSatisfy { $0.pointCount == 1 })
  }

  @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64]) func randomSetsAtEveryScale(seed: UInt64) {
    var numbers = SplitMix64(seed: seed)
    let set = NastyPoints.clumps(seed: seed, count: 700)
    let plane = Plane.webMercator(seam: .random(in: 0 ... .max, using: &numbers))
    let grid = Grid(set.points, on: plane, bucketCapacity: Int(seed))
    let definition = GridByDefinition(plane: plane, points: set.points)
    for _ in 0..<Trials.count(150) {
      let side = (UInt64(1) << UInt64.random(in: 0...32, using: &numbers)) / UInt64.random(in: 1...3, using: &numbers)
      var window = PlaneWindow.random(using: &numbers)
      if Bool.random(using: &numbers), let point = set.points.randomElement(using: &numbers) {
        window = PlaneWindow(
          x: point.x &- window.width / 2, width: window.width, minY: point.y - min(point.y, window.width / 2),
          maxY: point.y)
      }
      definition.check(grid, in: window, side: max(side, 1))
    }
  }

  @Test(arguments: NastyPoints.all) func shufflingChangesRowNumbersOnly(_ set: NastyPoints) {
    var numbers = SplitMix64(seed: 3)
    let order = set.points.indices.shuffled(using: &numbers)
    let grid = Grid(set.points, on: .webMercator())
    let shuffled = Grid(order.map { set.points[$0] }, on: .webMercator())
    for side in Self.sides {
      let window = PlaneWindow.random(using: &numbers)
      let clusters = grid.clusters(in: window, cellSide: side)
      let others = shuffled.clusters(in: window, cellSide: side)
      #expect(clusters.map(\.cell) == others.map(\.cell))
      #expect(clusters.map(\.bounds) == others.map(\.bounds))
      #expect(clusters.map { [$0.meanX, $0.meanY] } == others.map { [$0.meanX, $0.meanY] })
      for (cluster, other) in zip(clusters, others) {
        #expect(grid.members(of: cluster) == shuffled.members(of: other).map { order[$0] }.sorted())
      }
    }
  }

  @Test func aPanKeepsTheClustersThatStayInView() {
    let set = NastyPoints.random(seed: 8, count: 5000)
    let grid = Grid(set.points, on: .webMercator())
    let side: UInt64 = 88 << 19
    let before = grid.clusters(
      in: PlaneWindow(x: 1 << 30, width: 1 << 30, minY: 1 << 30, maxY: 1 << 31), cellSide: side)
    let after = grid.clusters(
      in: PlaneWindow(x: 1 << 30 + 12345, width: 1 << 30, minY: 1 << 30, maxY: 1 << 31), cellSide: side)
    let columns = Set(before.map(\.cell.column)).intersection(after.map(\.cell.column)).sorted().dropFirst().dropLast()
    #expect(columns.count > 10)
    #expect(before.filter { columns.contains($0.cell.column) } == after.filter { columns.contains($0.cell.column) })
  }
}
