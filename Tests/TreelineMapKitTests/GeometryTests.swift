#if canImport(MapKit)
  import MapKit
  @_spi(Server) import Treeline
  import TreelineMapKit
  import XCTest

  /// Checks conversions to and from the types of MapKit against known values. On a Mac, this also checks MapKit itself.
  final class GeometryTests: XCTestCase {
    func testCoordinatesOfCoreLocationAreLatitudeFirst() {
      let louvre = CLLocationCoordinate2D(Coordinate(longitude: 2.3376, latitude: 48.8606))
      XCTAssertEqual(louvre.latitude, 48.8606)
      XCTAssertEqual(louvre.longitude, 2.3376)
      XCTAssertEqual(Coordinate(louvre), Coordinate(longitude: 2.3376, latitude: 48.8606))
    }

    func testTheEquatorIsInTheMiddleOfTheWorldAndItsEdgesAreAt85Degrees() {
      let world = 268_435_456.0
      let zero = MKMapPoint(Coordinate(longitude: 0, latitude: 0))
      XCTAssertEqual(zero.x, world / 2)
      XCTAssertEqual(zero.y, world / 2, accuracy: 1e-5)
      XCTAssertEqual(MKMapPoint(Coordinate(longitude: -180, latitude: Plane.maximumLatitude)).y, 0, accuracy: 1e-5)
      XCTAssertEqual(MKMapPoint(Coordinate(longitude: 180, latitude: -Plane.maximumLatitude)).y, world, accuracy: 1e-5)
      XCTAssertEqual(MKMapPoint(Coordinate(longitude: 180, latitude: 0)).x, world)
      // MapKit shows nothing beyond these latitudes, so coordinates beyond them are at the edge.
      XCTAssertEqual(MKMapPoint(Coordinate(longitude: 0, latitude: 90)).y, 0, accuracy: 1e-5)
      // ln(tan(45° + 85° / 2)) = 3.1313013314716462. This value was computed with 50 digits.
      XCTAssertEqual(
        MKMapPoint(Coordinate(longitude: 0, latitude: 85)).y, world / 2 * (1 - 3.1313013314716462 / .pi), accuracy: 1e-5
      )
    }

    func testABoxAcrossTheAntimeridianReachesBeyondTheWorldsEasternEdge() throws {
      let fiji = BoundingBox(west: 177, south: -20, east: -178, north: -15)
      let rect = MKMapRect(fiji)
      XCTAssertEqual(rect.minX, 357.0 / 360 * 0x1p28, accuracy: 1e-6)
      XCTAssertEqual(rect.width, 5.0 / 360 * 0x1p28, accuracy: 1e-6)
      XCTAssertGreaterThan(rect.maxX, 0x1p28)
      assertEqual(try XCTUnwrap(BoundingBox(rect)), fiji)
      // For the same box, MapKit may return a rectangle that lies west of the world.
      let western = MKMapRect(x: rect.minX - 0x1p28, y: rect.minY, width: rect.width, height: rect.height)
      assertEqual(try XCTUnwrap(BoundingBox(western)), fiji)
    }

    func testABoxThatEndsAtTheAntimeridianDoesNotCrossIt() throws {
      let east = BoundingBox(west: 170, south: 0, east: 180, north: 10)
      assertEqual(try XCTUnwrap(BoundingBox(MKMapRect(east))), east)
      let west = BoundingBox(west: -180, south: 0, east: -170, north: 10)
      assertEqual(try XCTUnwrap(BoundingBox(MKMapRect(west))), west)
    }

    func testTheWholeWorldAndMoreIsOneTurn() throws {
      let box = try XCTUnwrap(BoundingBox(MKMapRect.world))
      assertEqual(
        box, BoundingBox(west: -180, south: -Plane.maximumLatitude, east: 180, north: Plane.maximumLatitude))
      let more = MKMapRect(x: -1e8, y: -1e8, width: 5e8, height: 5e8)
      XCTAssertEqual(try XCTUnwrap(BoundingBox(more)), box)
      let rect = MKMapRect(BoundingBox.world)
      XCTAssertEqual(rect.minX, 0)
      XCTAssertEqual(rect.width, 0x1p28)
      XCTAssertEqual(rect.minY, 0, accuracy: 1e-5)
      XCTAssertEqual(rect.height, 0x1p28, accuracy: 1e-4)
    }

    func testWhatIsNoAreaIsNoBox() {
      XCTAssertNil(BoundingBox(MKMapRect.null))
      XCTAssertNil(BoundingBox(MKMapRect(x: 0, y: 0, width: -1, height: 1)))
      XCTAssertNil(Viewport(MKMapRect.world, width: 0))
      XCTAssertNil(Viewport(MKMapRect(x: 0, y: 0, width: 0, height: 0), width: 390))
      let span = MKCoordinateSpan(latitudeDelta: .nan, longitudeDelta: 1)
      XCTAssertNil(BoundingBox(MKCoordinateRegion(center: CLLocationCoordinate2D(), span: span)))
    }

    func testARegionAcrossTheAntimeridianIsCenteredOnItsSide() throws {
      let fiji = BoundingBox(west: 177, south: -20, east: -178, north: -15)
      let region = MKCoordinateRegion(fiji)
      XCTAssertEqual(region.center.longitude, 179.5)
      XCTAssertEqual(region.center.latitude, -17.5)
      XCTAssertEqual(region.span.longitudeDelta, 5)
      XCTAssertEqual(region.span.latitudeDelta, 5)
      assertEqual(try XCTUnwrap(BoundingBox(region)), fiji)
    }

    func testARegionBeyondAPoleEndsThere() throws {
      let region = MKCoordinateRegion(
        center: CLLocationCoordinate2D(latitude: 85, longitude: -179),
        span: MKCoordinateSpan(latitudeDelta: 20, longitudeDelta: 4))
      assertEqual(try XCTUnwrap(BoundingBox(region)), BoundingBox(west: 179, south: 75, east: -177, north: 90))
      let whole = MKCoordinateRegion(
        center: CLLocationCoordinate2D(latitude: 0, longitude: 100),
        span: MKCoordinateSpan(latitudeDelta: 180, longitudeDelta: 360))
      assertEqual(try XCTUnwrap(BoundingBox(whole)), .world)
    }

    func testZoomsCountTilesOf256Pixels() throws {
      XCTAssertEqual(MKMapRect.world.zoom(width: 256), 0)
      XCTAssertEqual(MKMapRect.world.zoom(width: 1024), 2)
      let louvre = Coordinate(longitude: 2.3376, latitude: 48.8606)
      let rect = MKMapRect(center: louvre, zoom: 15.25, width: 390, height: 844)
      XCTAssertEqual(try XCTUnwrap(rect.zoom(width: 390)), 15.25, accuracy: 1e-12)
      XCTAssertEqual(rect.midX, MKMapPoint(louvre).x, accuracy: 1e-6)
      XCTAssertEqual(rect.midY, MKMapPoint(louvre).y, accuracy: 1e-6)
    }

    func testAViewportOfAMapIsThatOfItsCenterAndZoom() throws {
      for center in [Coordinate(longitude: 2.3376, latitude: 48.8606), Coordinate(longitude: 179.99, latitude: -17)] {
        let rect = MKMapRect(center: center, zoom: 12, width: 390, height: 844)
        let viewport = try XCTUnwrap(Viewport(rect, width: 390))
        let plane = Plane.webMercator()
        let found = try XCTUnwrap(try viewport.located(on: plane))
        let expected = try XCTUnwrap(
          try Viewport(center: center, zoom: 12, width: 390, height: 844).located(on: plane))
        XCTAssertEqual(try XCTUnwrap(found.zoom), 12, accuracy: 1e-12)
        // The expected viewport rounds its center to a unit, and then rounds each edge to a unit.
        XCTAssertLessThanOrEqual(Int32(bitPattern: found.window.x &- expected.window.x).magnitude, 1)
        XCTAssertLessThanOrEqual(Int32(bitPattern: found.window.width &- expected.window.width).magnitude, 1)
        XCTAssertLessThanOrEqual(Int32(bitPattern: found.window.minY &- expected.window.minY).magnitude, 1)
        XCTAssertLessThanOrEqual(Int32(bitPattern: found.window.maxY &- expected.window.maxY).magnitude, 1)
      }
    }

    func testRectanglesAndBoxesAreTheSameBothWays() throws {
      for west in stride(from: -180.0, to: 180, by: 7.5) {
        for degrees in [0.001, 1, 45, 180, 359] {
          for (south, north) in [(-85.05, -85), (-1, 1), (84.9, 85.05), (-80, 80)] {
            let east = west + degrees
            let box = BoundingBox(west: west, south: south, east: east > 180 ? east - 360 : east, north: north)
            assertEqual(try XCTUnwrap(BoundingBox(MKMapRect(box))), box)
            assertEqual(try XCTUnwrap(BoundingBox(MKCoordinateRegion(box))), box)
          }
        }
      }
    }

    private func assertEqual(_ a: BoundingBox, _ b: BoundingBox, line: UInt = #line) {
      for (a, b) in [(a.west, b.west), (a.south, b.south), (a.east, b.east), (a.north, b.north)] {
        XCTAssertEqual(a, b, accuracy: 1e-9, line: line)
      }
    }
  }
#endif
