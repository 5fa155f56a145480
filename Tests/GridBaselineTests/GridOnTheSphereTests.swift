@testable import GridBaseline
import Testing
@_spi(Server) @testable import Treeline

struct GridOnTheSphereTests {
  /// Coordinates on the date line, on the meridian of the seam, at the poles, and beyond the limits of latitude.
  static let coordinates = [180, -180, 179.9999999, -179.9999999, 0, 177.5, -177.5, 90].flatMap { longitude in
    [0, 85.06, -85.06, 90, -90, -17.7].map { Coordinate(longitude: longitude, latitude: $0) }
  }

  @Test(arguments: [0, 1, 0x1234_5678, 1 << 31, .max] as [UInt32]) func theSeamDoesNotShow(seam: UInt32) throws {
    let upright = Plane.webMercator()
    let rotated = Plane.webMercator(seam: seam)
    let grid = Grid(Self.coordinates.map(upright.point), on: upright)
    let other = Grid(Self.coordinates.map(rotated.point), on: rotated)
    let boxes = [
      BoundingBox.world, BoundingBox(west: 170, south: -30, east: -170, north: 30),
      BoundingBox(west: 179.9, south: -90, east: 180, north: 90),
      BoundingBox(west: -180, south: -90, east: -179.9, north: 90),
      BoundingBox(west: 100, south: -90, east: 380, north: 90),
    ]
    for box in boxes {
      for zoom in [-1, 0, 2.3, 5, 11.9, 20, 40] {
        let window = try #require(try upright.window(showing: box))
        let rotatedWindow = try #require(try rotated.window(showing: box))
        let clusters = try grid.clusters(in: window, cellSize: .published, zoom: zoom)
        let others = try other.clusters(in: rotatedWindow, cellSize: .published, zoom: zoom)
        #expect(clusters.map(\.cell) == others.map(\.cell))
        #expect(clusters.map { [$0.pointCount, $0.firstPoint] } == others.map { [$0.pointCount, $0.firstPoint] })
        for (cluster, same) in zip(clusters, others) {
          #expect(same.bounds.x == cluster.bounds.x &- seam)
          #expect(grid.members(of: cluster) == other.members(of: same))
          #expect(grid.boundingBox(of: cluster) == other.boundingBox(of: same))
          let distance = abs(grid.coordinate(of: cluster).longitude - other.coordinate(of: same).longitude)
          #expect(min(distance, 360 - distance) < 1e-9)
        }
        GridByDefinition(plane: rotated, points: Self.coordinates.map(rotated.point)).check(
          other, in: rotatedWindow, side: try CellSize.published.units(zoom: zoom))
      }
    }
  }

  @Test func aWindowAcrossTheAntimeridianCountsEachPointOnce() throws {
    let plane = Plane.webMercator(seam: 99)
    let longitudes = [179, 179.5, 180, -180, -179.5, -179, 0]
    let grid = Grid(longitudes.map { plane.point(at: Coordinate(longitude: $0, latitude: 1)) }, on: plane)
    let window = try #require(try plane.window(showing: BoundingBox(west: 178, south: 0, east: -178, north: 2)))
    let clusters = try grid.clusters(in: window, cellSize: .pixels(64), zoom: 4)
    #expect(clusters.map { grid.members(of: $0) } == [[2, 3, 4, 5], [0, 1]])
    #expect(grid.rows(in: window) == [0, 1, 2, 3, 4, 5])
    #expect(grid.pointCount(in: window) == 6)
  }

  @Test func theLastColumnEndsAtTheAntimeridian() throws {
    // With this side, the plane has 3 columns, and a remainder of one unit.
    let side: UInt64 = 0x5555_5555
    let plane = Plane.webMercator(seam: 1 << 20)
    let points = [0, 1, .max, .max - 1].map { PlanePoint(x: $0 &- plane.seam, y: 0) }
    let grid = Grid(points, on: plane)
    let clusters = grid.clusters(in: .everything, cellSide: side)
    #expect(clusters.map(\.cell.column) == [0, 2, 3])
    #expect(clusters.map { grid.members(of: $0) } == [[0, 1], [3], [2]])
    #expect(grid.window(of: clusters[2].cell).width == 0)
    #expect(grid.window(of: clusters[1].cell).width == UInt32(side - 1))
    for cluster in clusters { #expect(grid.rows(in: grid.window(of: cluster.cell)).count == cluster.pointCount) }
  }

  @Test func aWindowWhoseEndsMeetInOneCellCountsItOnce() {
    let points = [0, 100, 200, 300, .max].map { PlanePoint(x: $0, y: 5) }
    let plane = Plane.webMercator()
    let grid = Grid(points, on: plane)
    let definition = GridByDefinition(plane: plane, points: points)
    // The window contains all longitudes except 150 ... 249, so both its ends are in column 0.
    let window = PlaneWindow(x: 250, width: .max - 100, minY: 0, maxY: 9)
    for side in [1000, 1 << 31, 1 << 32] as [UInt64] { definition.check(grid, in: window, side: side) }
    #expect(grid.clusters(in: window, cellSide: 1 << 32).map(\.pointCount) == [5])
    #expect(grid.clusters(in: PlaneWindow(x: 150, width: 10, minY: 0, maxY: 9), cellSide: 1000).isEmpty)
  }

  @Test func aPlainPlaneIsAnchoredAtItsCorner() throws {
    let plane = Plane.planar(left: -50, top: 50, side: 100)
    let coordinates = [
      Coordinate(x: -50, y: 50), Coordinate(x: 50, y: -50), Coordinate(x: -1, y: 1), Coordinate(x: 1, y: -1),
    ]
    let grid = Grid(coordinates.map(plane.point), on: plane)
    let window = try #require(try plane.window(showing: BoundingBox(west: -60, south: -60, east: 60, north: 60)))
    let clusters = try grid.clusters(in: window, cellSize: .pixels(128), zoom: 0)
    #expect(clusters.map { grid.members(of: $0) } == [[0, 2], [1, 3]])
    let box = grid.boundingBox(of: clusters[0])
    #expect(abs(box.west + 50) < 1e-6 && abs(box.north - 50) < 1e-6)
    #expect(abs(box.east + 1) < 1e-6 && abs(box.south - 1) < 1e-6)
    let mean = grid.coordinate(of: clusters[1])
    #expect(abs(mean.x - 25.5) < 1e-6 && abs(mean.y + 25.5) < 1e-6)
  }
}
