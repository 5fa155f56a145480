@testable import GridBaseline
import Testing
@_spi(Server) @testable import Treeline

/// Checks known defects of TBQuadTree and BentoMap. Each defect has one test.
struct PublishedDefectsRegressionTests {
  @Test func aPointOnACornerOfFourCellsIsCountedOnce() {
    let grid = Grid([PlanePoint(x: 1 << 31, y: 1 << 31)], on: .webMercator())
    #expect(grid.clusters(in: .everything, cellSide: 1 << 31).map(\.pointCount) == [1])
  }

  @Test func pointsOutsideTheArticlesRootBoxAreKept() throws {
    // The root box in the article reaches from 19 to 72 degrees north and from 166 to 53 degrees west.
    let plane = Plane.webMercator()
    let coordinates = [
      Coordinate(longitude: 151, latitude: -34), Coordinate(longitude: 13, latitude: 52),
      Coordinate(longitude: -100, latitude: 40),
    ]
    let grid = Grid(coordinates.map(plane.point), on: plane)
    let clusters = try grid.clusters(in: .everything, cellSize: .published, zoom: 3)
    #expect(clusters.map(\.pointCount).reduce(0, +) == 3)
  }

  @Test func coincidentPointsShareOneBucket() throws {
    let count = 100_000
    let points = Array(repeating: PlanePoint(x: 77, y: .max), count: count)
    let clock = ContinuousClock()
    let start = clock.now
    let grid = Grid(points, on: .webMercator(), bucketCapacity: 4)
    let clusters = try grid.clusters(in: .everything, cellSize: .published, zoom: 22)
    #expect(clusters.map(\.pointCount) == [count])
    #expect(grid.members(of: clusters[0]) == Array(0..<count))
    // This takes milliseconds. A chain of n/4 buckets would take minutes.
    #expect(clock.now - start < .seconds(5))
    #expect((clusters[0].meanX, clusters[0].meanY) == (77, Double(UInt32.max)))
  }

  @Test func boundsWestOfGreenwichAndSouthOfTheEquatorAreRight() throws {
    let plane = Plane.webMercator(seam: 5)
    let coordinates = [Coordinate(longitude: -70, latitude: -33), Coordinate(longitude: -60, latitude: -20)]
    let grid = Grid(coordinates.map(plane.point), on: plane)
    let cluster = try #require(grid.clusters(in: .everything, cellSide: 1 << 32).first)
    let box = grid.boundingBox(of: cluster)
    #expect(abs(box.west + 70) < 1e-6 && abs(box.east + 60) < 1e-6)
    #expect(abs(box.south + 33) < 1e-6 && abs(box.north + 20) < 1e-6)
  }
}
