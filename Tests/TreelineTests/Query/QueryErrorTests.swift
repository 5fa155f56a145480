import PointSets
import Testing
@_spi(Server) @testable import Treeline

@Suite struct QueryErrorTests {
  static let sets = [PointSet.none, .one, .cities(100, seed: 131), .tenths]

  @Test(arguments: sets, [0, -1, Int.min]) func limitsBelowOneAreRefused(_ set: PointSet, limit: Int) throws {
    let tree = try set.tree()
    let expected = QueryError.limitBelowOne(found: limit)
    #expect(throws: expected) { try tree.clusters(.limit(limit), in: Viewport(.world)) }
    #expect(throws: expected) { try tree.clusters(.limit(limit), in: PlaneWindow.everything) }
    #expect(throws: expected) { try tree.clusters(.limit(limit), in: Viewport(.world, width: 9, height: 9)) }
    #expect(expected.description == "expected a limit of 1 or more clusters, found \(limit)")
  }

  @Test(arguments: sets, [Double.nan, .infinity, -.infinity]) func edgesThatAreNoNumbersAreRefused(
    _ set: PointSet, bad: Double
  ) throws {
    let tree = try set.tree()
    for (edge, box) in [
      ("west", BoundingBox(west: bad, south: 0, east: 1, north: 1)),
      ("south", BoundingBox(west: 0, south: bad, east: 1, north: 1)),
      ("east", BoundingBox(west: 0, south: 0, east: bad, north: 1)),
      ("north", BoundingBox(west: 0, south: 0, east: 1, north: bad)),
    ] {
      let error = #expect(throws: QueryError.self) { try tree.clusters(.limit(1), in: Viewport(box)) }
      #expect(error?.description == "expected a finite number as the \(edge) edge of the box, found \(bad)")
      #expect(throws: QueryError.self) { try tree.pointCount(in: Viewport(box)) }
    }
  }

  @Test(arguments: sets) func pixelsNeedAZoom(_ set: PointSet) throws {
    let tree = try set.tree()
    #expect(throws: QueryError.noZoom) { try tree.clusters(.detail(9), in: Viewport(.world)) }
    #expect(throws: QueryError.noZoom) { try tree.clusters(.detail(9), centeredIn: .everything) }
    #expect(throws: QueryError.notByPixels) { try tree.clusters(.limit(9), centeredIn: .everything(zoom: 3)) }
    #expect(throws: QueryError.zoomNotFinite(found: .infinity)) {
      try tree.clusters(.detail(9), in: Viewport(.world, zoom: .infinity))
    }
    #expect(throws: QueryError.notALength(name: "width", found: 0)) {
      try tree.clusters(.detail(9), in: Viewport(.world, width: 0, height: 9))
    }
  }

  @Test(arguments: sets) func southAboveNorthIsRefused(_ set: PointSet) throws {
    let tree = try set.tree()
    let box = BoundingBox(west: 0, south: 2, east: 1, north: 1)
    #expect(throws: QueryError.southAboveNorth(south: 2, north: 1)) { try tree.clusters(.limit(1), in: Viewport(box)) }
    #expect(throws: QueryError.southAboveNorth(south: 2, north: 1)) { try tree.pointCount(in: Viewport(box)) }
    #expect(
      QueryError.southAboveNorth(south: 2, north: 1.5).description
        == "expected the south edge of the box at or below its north edge, found south 2 and north 1.5")
  }

  @Test func westBeyondEastIsRefusedOnAPlane() throws {
    let box = BoundingBox(west: 2, south: -90, east: 1, north: 90)
    for set in [PointSet.tenths, PointSet("none", [], as: .planar)] {
      #expect(throws: QueryError.westBeyondEast(west: 2, east: 1)) {
        try set.tree().clusters(.limit(1), in: Viewport(box))
      }
    }
    #expect(try PointSet.one.tree().clusters(.limit(1), in: Viewport(box)).count == 1)
  }

  /// Messages about plain coordinates must not mention longitudes and latitudes.
  @Test func centersAndZoomsAreRefusedInTheWordsOfTheMap() throws {
    func message(_ set: PointSet, _ center: Coordinate, _ zoom: Double) throws -> String? {
      let viewport = Viewport(center: center, zoom: zoom, width: 9, height: 9)
      do { _ = try set.tree().clusters(.limit(1), in: viewport) } catch let error as QueryError { return "\(error)" }
      return nil
    }
    let (bad, good) = (Coordinate(x: .nan, y: 0), Coordinate(x: 0.5, y: 0))
    #expect(
      try message(.tenths, bad, 0)
        == "expected a finite x and a finite y as the center of the viewport, found x nan and y 0")
    #expect(
      try message(.tenths, good, -1100)
        == "expected a viewport whose edges are finite numbers, found a viewport that is too large at the zoom -1100; "
        + "use a greater zoom")
    let found = try #require(try message(.one, bad, 0))
    #expect(found.hasSuffix("as the center of the viewport, found longitude nan and latitude 0"))
    #expect(try message(.one, good, -1100) == nil)
  }

  @Test func noPointsGiveNoClusters() throws {
    for set in [PointSet.none, PointSet("none", [], as: .planar)] {
      let tree = try set.tree()
      #expect(tree.root == nil && tree.pointCount == 0)
      #expect(try tree.clusters(.limit(1), in: Viewport(.world)).isEmpty)
      #expect(try tree.clusters(.limit(.max), in: PlaneWindow.everything).isEmpty)
      #expect(try tree.pointCount(in: Viewport(.world)) == 0)
    }
  }
}
