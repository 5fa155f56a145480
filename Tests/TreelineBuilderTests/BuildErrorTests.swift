import PointSets
import Testing
import Treeline
@testable import TreelineBuilder

@Suite struct BuildErrorTests {
  @Test(arguments: [
    Coordinate(longitude: .nan, latitude: 0), Coordinate(longitude: 0, latitude: .nan),
    Coordinate(longitude: .infinity, latitude: 0), Coordinate(longitude: 0, latitude: -.infinity),
    Coordinate(longitude: 180.0000001, latitude: 0), Coordinate(longitude: -181, latitude: 0),
    Coordinate(longitude: 0, latitude: 90.0000001), Coordinate(longitude: 0, latitude: -91),
  ]) func coordinatesOffTheSphereAreRefused(_ coordinate: Coordinate) throws {
    let good = Coordinate(longitude: 1, latitude: 2)
    let error = #expect(throws: BuildError.self) { try ClusterTree([good, good, coordinate, good]) }
    guard case .invalidCoordinate(row: 2, let found, projection: .webMercator) = error else {
      Issue.record("found \(String(describing: error))")
      return
    }
    #expect(found.description == coordinate.description)
    #expect(error?.description.hasPrefix("row 2: expected a longitude from -180 to 180") == true)
  }

  @Test(arguments: [
    Coordinate(x: .nan, y: 0), Coordinate(x: 0, y: .infinity), Coordinate(x: 1.01e300, y: 0),
    Coordinate(x: 0, y: -1e301),
  ]) func coordinatesOffThePlaneAreRefused(_ coordinate: Coordinate) throws {
    let error = #expect(throws: BuildError.self) { try ClusterTree([coordinate], as: .planar) }
    #expect(error?.description.hasPrefix("row 0: expected an x and a y from -1e300 to 1e300, found x ") == true)
  }

  @Test(arguments: [1, 2, 7]) func theFirstBadRowIsNamedOnAnyNumberOfThreads(_ threads: Int) throws {
    var coordinates = PointSet.uniformWorld(30_000, seed: 51).coordinates
    for row in [29_999, 12_345, 12_346] { coordinates[row].latitude = 100 }
    let error = #expect(throws: BuildError.self) {
      try ClusterTree(coordinates, options: BuildOptions(threads: threads))
    }
    #expect(error == .invalidCoordinate(row: 12_345, found: coordinates[12_345], projection: .webMercator))
  }

  @Test(arguments: [1, 3]) func clippedPointsAreCountedAndKept(_ threads: Int) throws {
    let clipped = PointSet.poles.coordinates.filter { abs($0.latitude) > 85.0511287798066 }
    #expect(clipped.count == 30)
    #expect(try PointSet.poles.tree(threads: threads).clippedPointCount == 30)
    #expect(try PointSet.poles.tree(threads: threads).pointCount == PointSet.poles.coordinates.count)
    #expect(try PointSet.uniformWorld(20_000, seed: 52).tree(threads: threads).clippedPointCount > 0)
    #expect(try PointSet.tenths.tree(threads: threads).clippedPointCount == 0)
    let beyond = PointSet("beyond", [Coordinate(x: 0, y: 89), Coordinate(x: 0, y: 1000)], as: .planar)
    #expect(try beyond.tree(threads: threads).clippedPointCount == 0)
  }

  @Test func noThreadsTrap() async { await #expect(processExitsWith: .failure) { _ = BuildOptions(threads: 0) } }
}
