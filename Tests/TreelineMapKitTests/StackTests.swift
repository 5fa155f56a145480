#if os(Linux) && canImport(MapKit)
  import MapKit
  import Treeline
  import TreelineBuilder
  import TreelineMap
  import XCTest

  @testable import TreelineMapKit

  @MainActor final class StackTests: XCTestCase {
    /// Returns a map with `count` points at one position and one point far away.
    private func makeMap(_ count: Int, stacks: MapViewAdapter.StackDisplay = .spread(atMost: 40)) async throws
      -> TestMap
    {
      let points = Array(repeating: Coordinate.middle, count: count) + [Coordinate(longitude: 12, latitude: 50)]
      let tree = try ClusterTree(points, options: BuildOptions(supporting: .spacing))
      var options = MapViewAdapter.Options()
      options.stacks = stacks
      let map = TestMap(
        tree, texts: BadgeTexts { ("Room \($0)", nil) }, zoom: 8, options: options)
      try await map.settle()
      return map
    }

    private func members(of map: TestMap) -> [StackMemberAnnotation] {
      map.mapView.annotations.compactMap { $0 as? StackMemberAnnotation }
    }

    private func stack(of map: TestMap) throws -> ClusterAnnotation {
      try XCTUnwrap(map.shown.first { $0.cluster.isStack })
    }

    func testAStackOpensAroundItselfAndItsPointsCanBeSelected() async throws {
      // Ends the animations of other tests.
      AnimationRecord.finishAll()
      let map = try await makeMap(7)
      let stack = try stack(of: map)
      XCTAssertEqual(map.view(stack).accessibilityHint, "Shows all")
      map.mapView.selectAnnotation(stack, animated: true)
      let members = members(of: map)
      XCTAssertEqual(members.map(\.row).sorted(), Array(0..<7))
      XCTAssertEqual(AnimationRecord.running.count, 1)
      let views = try members.map { try XCTUnwrap(map.mapView.view(for: $0) as? ClusterBadgeView) }
      for (index, view) in views.enumerated() {
        XCTAssertEqual(view.accessibilityLabel, members[index].title)
        XCTAssertEqual(members[index].title, "Room \(members[index].row)")
        XCTAssertEqual(members[index].coordinate.latitude, stack.coordinate.latitude)
        let (x, y) = (view.centerOffset.x, view.centerOffset.y)
        XCTAssertGreaterThanOrEqual((x * x + y * y).squareRoot(), 32 - 1e-9)
        for other in views[(index + 1)...] {
          let (dx, dy) = (x - other.centerOffset.x, y - other.centerOffset.y)
          XCTAssertGreaterThanOrEqual((dx * dx + dy * dy).squareRoot(), 32 - 1e-9)
        }
      }
      AnimationRecord.finishAll()
      XCTAssertTrue(map.opened.isEmpty)
      map.mapView.selectAnnotation(members[3], animated: true)
      XCTAssertEqual(map.selectedRows, [members[3].row])
    }

    func testAStackClosesByATapElsewhereButNotByATapOnItsPoints() async throws {
      let map = try await makeMap(7)
      let stack = try stack(of: map)
      map.mapView.selectAnnotation(stack, animated: true)
      let members = members(of: map)
      // Selects an annotation in the way in which MapKit does after a tap.
      func tap(_ annotation: (any MKAnnotation)?) async {
        for selected in map.mapView.selectedAnnotations { map.mapView.deselectAnnotation(selected, animated: true) }
        if let annotation { map.mapView.selectAnnotation(annotation, animated: true) }
        for _ in 0..<100 { await Task.yield() }
      }
      for member in [members[2], members[5]] {
        await tap(member)
        XCTAssertEqual(self.members(of: map).count, 7)
      }
      await tap(stack)
      XCTAssertEqual(self.members(of: map).count, 7)
      await tap(nil)
      XCTAssertTrue(self.members(of: map).isEmpty)
      // This opens the stack again.
      await tap(stack)
      XCTAssertEqual(self.members(of: map).count, 7)
      let other = MKPointAnnotation()
      other.coordinate = CLLocationCoordinate2D(latitude: 50, longitude: 10.2)
      map.mapView.addAnnotations([other])
      await tap(other)
      XCTAssertTrue(self.members(of: map).isEmpty)
    }

    func testToAStackTheMapOnlyMoves() async throws {
      let map = try await makeMap(7)
      let east = Coordinate(longitude: 10.5, latitude: 50)
      try await map.show(east, zoom: 8)
      map.adapter.zoom(into: try stack(of: map), animated: false)
      let rect = map.mapView.visibleMapRect
      XCTAssertEqual(try XCTUnwrap(rect.zoom(width: 390)), 8, accuracy: 1e-9)
      XCTAssertEqual(rect.midX, MKMapPoint(.middle).x, accuracy: 1)
    }

    func testALargeStackIsSpreadInPartAndToldAsAWhole() async throws {
      let map = try await makeMap(100)
      map.mapView.selectAnnotation(try stack(of: map), animated: true)
      XCTAssertEqual(members(of: map).count, 40)
      XCTAssertEqual(map.opened.map(\.count), [100])
    }

    func testAStackIsToldInPlaceOfSpreadIfThatIsWanted() async throws {
      let map = try await makeMap(5, stacks: .told)
      map.mapView.selectAnnotation(try stack(of: map), animated: true)
      XCTAssertTrue(members(of: map).isEmpty)
      XCTAssertEqual(map.opened.map { $0.sorted() }, [[0, 1, 2, 3, 4]])
    }

    func testAStackClosesOnceItIsNotShownByItselfOrOutOfView() async throws {
      for (center, zoom) in [(Coordinate.middle, 2.0), (Coordinate(longitude: 60, latitude: 0), 8)] {
        let map = try await makeMap(5)
        map.mapView.selectAnnotation(try stack(of: map), animated: true)
        XCTAssertEqual(members(of: map).count, 5)
        try await map.show(.middle, zoom: 8.5)
        XCTAssertEqual(members(of: map).count, 5, "A stack that stays stays open")
        try await map.show(center, zoom: zoom)
        XCTAssertTrue(members(of: map).isEmpty)
      }
    }
  }

  @MainActor final class EllipseTests: XCTestCase {
    private func makeMap(_ display: MapViewAdapter.EllipseDisplay, center: Coordinate = .middle) async throws -> TestMap
    {
      let points = (0..<400).map { index in
        let along = Double(index % 20) / 10 - 1
        let longitude = center.longitude + along
        return Coordinate(
          longitude: longitude > 180 ? longitude - 360 : longitude, latitude: center.latitude + Double(index / 20) / 100
        )
      }
      let tree = try ClusterTree(points, options: BuildOptions(supporting: .spacing))
      var options = MapViewAdapter.Options()
      options.ellipses = display
      options.zoomsIntoClusters = false
      let map = TestMap(tree, cut: .limit(1), center: center, options: options)
      try await map.settle()
      return map
    }

    func testTheEllipseOfAClusterFollowsItsPoints() async throws {
      let map = try await makeMap(.all)
      let polygon = try XCTUnwrap(map.mapView.overlays.first as? MKPolygon)
      let (xs, ys) = (polygon.corners.map(\.x), polygon.corners.map(\.y))
      let width = try XCTUnwrap(xs.max()) - XCTUnwrap(xs.min())
      let height = try XCTUnwrap(ys.max()) - XCTUnwrap(ys.min())
      // The points are spread evenly along two degrees of longitude, so the standard deviation is 0.5766 degrees. The
      // ellipse extends by two standard deviations to either side.
      XCTAssertEqual(width / 0x1p28 * 360, 4 * 0.5766, accuracy: 0.01)
      XCTAssertLessThan(height, width / 4)
      XCTAssertTrue(map.adapter.mapView(map.mapView, rendererFor: polygon) is MKPolygonRenderer)
    }

    func testTheSelectedClusterAloneHasAnEllipseIfThatIsWanted() async throws {
      let map = try await makeMap(.selected)
      XCTAssertTrue(map.mapView.overlays.isEmpty)
      let cluster = try XCTUnwrap(map.shown.first)
      map.mapView.selectAnnotation(cluster, animated: false)
      XCTAssertEqual(map.mapView.overlays.count, 1)
      map.mapView.deselectAnnotation(cluster, animated: false)
      XCTAssertTrue(map.mapView.overlays.isEmpty)
    }

    func testOverlaysOfOnesOwnAreDrawnByTheDelegate() async throws {
      let map = try await makeMap(.all)
      let own = MKPolygon(points: [MKMapPoint(x: 0, y: 0), MKMapPoint(x: 1, y: 0), MKMapPoint(x: 0, y: 1)], count: 3)
      map.mapView.addOverlay(own)
      XCTAssertFalse(map.adapter.mapView(map.mapView, rendererFor: own) is MKPolygonRenderer)
      map.ownRenderer = MKPolygonRenderer(polygon: own)
      XCTAssertTrue(map.adapter.mapView(map.mapView, rendererFor: own) === map.ownRenderer)
    }

    func testAnEllipseAcrossTheAntimeridianIsInOnePiece() async throws {
      let map = try await makeMap(.all, center: Coordinate(longitude: 179.9, latitude: -17))
      let polygon = try XCTUnwrap(map.mapView.overlays.first as? MKPolygon)
      let xs = polygon.corners.map(\.x)
      XCTAssertLessThan(try XCTUnwrap(xs.max()) - XCTUnwrap(xs.min()), 0x1p28 / 100)
      XCTAssertEqual(
        (try XCTUnwrap(xs.max()) + XCTUnwrap(xs.min())) / 2, 359.85 / 360 * 0x1p28, accuracy: 0x1p28 / 3600)
    }
  }
#endif
