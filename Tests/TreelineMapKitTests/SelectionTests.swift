#if os(Linux) && canImport(MapKit)
  import MapKit
  import Treeline
  import TreelineBuilder
  import TreelineMap
  import XCTest

  @testable import TreelineMapKit

  @MainActor final class SelectionTests: XCTestCase {
    private static let points = cloudyPoints(3000)
    private static let tree = try! ClusterTree(points, options: BuildOptions(supporting: .spacing))

    private func makeMap(zoom: Double = 4, options: MapViewAdapter.Options = MapViewAdapter.Options()) async throws
      -> TestMap
    {
      let map = TestMap(Self.tree, zoom: zoom, options: options)
      try await map.settle()
      return map
    }

    private func selectedAnnotation(of map: TestMap) throws -> ClusterAnnotation {
      XCTAssertEqual(map.mapView.selectedAnnotations.count, 1)
      return try XCTUnwrap(map.mapView.selectedAnnotations.first as? ClusterAnnotation)
    }

    func testAPointStaysSelectedInWhateverBadgeItIs() async throws {
      let map = try await makeMap()
      let row = 1234
      XCTAssertTrue(try map.adapter.select(row: row, at: Self.points[row]))
      let index = try XCTUnwrap(map.adapter.selection.treeIndex)
      for zoom in [5.0, 7, 10, 13, 8, 6, 4] {
        try await map.show(Self.points[row], zoom: zoom)
        let annotation = try selectedAnnotation(of: map)
        XCTAssertTrue(annotation.cluster.range.contains(index))
        XCTAssertTrue(map.view(annotation).isSelected)
      }
      // In each frame of a flight, the selected annotation is visible and contains the point.
      map.afterFrame = {
        let annotation = map.mapView.selectedAnnotations.first as? ClusterAnnotation
        XCTAssertEqual(annotation?.cluster.range.contains(index), true)
        XCTAssertEqual(annotation.map { map.view($0).isHidden }, false)
      }
      for defersViews in [false, true] {
        map.mapView.defersViews = defersViews
        for zoom in [9.0, 5] { try await map.show(Self.points[row], zoom: zoom) }
      }
    }

    func testWhatIsSelectedComesBackWithTheMap() async throws {
      let map = try await makeMap(zoom: 8)
      let row = 77
      try await map.show(Self.points[row], zoom: 8)
      try map.adapter.select(row: row, at: Self.points[row])
      try await map.show(Coordinate(longitude: -100, latitude: 10), zoom: 8)
      XCTAssertTrue(map.mapView.selectedAnnotations.isEmpty)
      try await map.show(Self.points[row], zoom: 9)
      let annotation = try selectedAnnotation(of: map)
      XCTAssertTrue(annotation.cluster.range.contains(try XCTUnwrap(map.adapter.selection.treeIndex)))
    }

    func testWhatTheUserDeselectsStaysDeselected() async throws {
      let map = try await makeMap()
      try map.adapter.select(row: 5, at: Self.points[5])
      map.mapView.deselectAnnotation(try selectedAnnotation(of: map), animated: true)
      XCTAssertNil(map.adapter.selection.treeIndex)
      try await map.show(zoom: 6)
      XCTAssertTrue(map.mapView.selectedAnnotations.isEmpty)
    }

    func testWhatTheUserDeselectsWhileItMergesStaysDeselected() async throws {
      let map = try await makeMap(zoom: 8)
      let row = 77
      try await map.show(Self.points[row], zoom: 8)
      try map.adapter.select(row: row, at: Self.points[row])
      map.mapView.setVisibleMapRect(
        MKMapRect(center: Self.points[row], zoom: 5, width: 390, height: 844), animated: false)
      try await map.answer()
      for _ in 0..<3 { map.draw() }
      let part = try selectedAnnotation(of: map)
      XCTAssertTrue(part.badge.isLeaving)
      map.mapView.deselectAnnotation(part, animated: true)
      XCTAssertNil(map.adapter.selection.treeIndex)
      map.settleFrames()
      XCTAssertTrue(map.mapView.selectedAnnotations.isEmpty)
    }

    func testATapOnAClusterZoomsToWhereItFallsApart() async throws {
      let map = try await makeMap()
      let cluster = try XCTUnwrap(map.shown.max { $0.pointCount < $1.pointCount })
      map.mapView.selectAnnotation(cluster, animated: true)
      try await map.settle()
      XCTAssertFalse(map.shown.contains { $0 === cluster })
      XCTAssertGreaterThan(map.shown.filter { cluster.cluster.isAncestor(of: $0.cluster) }.count, 1)
      XCTAssertTrue(map.mapView.selectedAnnotations.isEmpty)
    }

    func testBetweenBarsAClusterFallsApartAndAPointIsRevealedAsWell() async throws {
      let map = try await makeMap()
      map.mapView.layoutMargins = UIEdgeInsets(top: 103, left: 8, bottom: 83, right: 8)
      let cluster = try XCTUnwrap(map.shown.max { $0.pointCount < $1.pointCount })
      map.mapView.selectAnnotation(cluster, animated: true)
      try await map.settle()
      XCTAssertFalse(map.shown.contains { $0 === cluster })
      XCTAssertGreaterThan(map.shown.filter { cluster.cluster.isAncestor(of: $0.cluster) }.count, 1)
      try map.adapter.reveal(row: 2000, at: Self.points[2000])
      try await map.settle()
      XCTAssertEqual(try selectedAnnotation(of: map).row, 2000)
    }

    func testATapByALimitZoomsToTheClustersPoints() async throws {
      let map = TestMap(Self.tree, cut: .limit(8))
      try await map.settle()
      let cluster = try XCTUnwrap(map.shown.max { $0.pointCount < $1.pointCount })
      map.mapView.selectAnnotation(cluster, animated: true)
      let shown = try XCTUnwrap(BoundingBox(map.mapView.visibleMapRect))
      let bounds = cluster.cluster.bounds
      XCTAssertEqual(shown.west, bounds.west, accuracy: 1e-6)
      XCTAssertEqual(shown.north, bounds.north, accuracy: 1e-6)
      try await map.settle()
      XCTAssertGreaterThan(map.shown.filter { cluster.cluster.isAncestor(of: $0.cluster) }.count, 1)
    }

    func testATapSelectsAClusterIfThatIsWanted() async throws {
      var options = MapViewAdapter.Options()
      options.zoomsIntoClusters = false
      let map = try await makeMap(options: options)
      let cluster = try XCTUnwrap(map.shown.max { $0.pointCount < $1.pointCount })
      map.mapView.selectAnnotation(cluster, animated: true)
      XCTAssertTrue(map.selected.last === cluster)
      try await map.show(Coordinate(cluster.coordinate), zoom: 7)
      let part = try selectedAnnotation(of: map)
      XCTAssertTrue(cluster.cluster.isAncestor(of: part.cluster))
      XCTAssertTrue(map.selected.last === part)
    }

    func testAPointIsRevealedByItself() async throws {
      let map = try await makeMap()
      let row = 2000
      try map.adapter.reveal(row: row, at: Self.points[row])
      try await map.settle()
      XCTAssertEqual(try selectedAnnotation(of: map).row, row)
    }

    func testAFilterKeepsWhatIsSelectedAndAnotherTreeDoesNot() async throws {
      struct Hotel {
        var stars: Int
        var coordinate: Coordinate
      }
      let hotels = Self.points.enumerated().map { Hotel(stars: $0 % 5, coordinate: $1) }
      let all = try ClusterMap(
        hotels, at: \.coordinate, columns: .number(\.stars), options: BuildOptions(supporting: .spacing))
      let map = TestMap(all.tree)
      try await map.settle()
      try map.adapter.select(row: 9, at: Self.points[9])
      let index = map.adapter.selection.treeIndex
      map.adapter.tree = try all.tree.filtered(by: Filter("stars = 4"))
      try await map.settle()
      XCTAssertEqual(map.shown.map(\.pointCount).reduce(0, +), 600)
      XCTAssertEqual(map.adapter.selection.treeIndex, index)
      XCTAssertTrue(try selectedAnnotation(of: map).cluster.range.contains(try XCTUnwrap(index)))
      map.adapter.tree = Self.tree
      try await map.settle()
      XCTAssertNil(map.adapter.selection.treeIndex)
      XCTAssertTrue(map.mapView.selectedAnnotations.isEmpty)
    }

    func testTheBadgeOfAPointIsFound() async throws {
      let map = try await makeMap()
      let annotation = try XCTUnwrap(try map.adapter.annotation(ofRow: 9, at: Self.points[9]))
      XCTAssertTrue(try XCTUnwrap(map.adapter.members(of: annotation)).contains(9))
      XCTAssertNil(try map.adapter.annotation(ofRow: 9, at: Coordinate(longitude: 0, latitude: 0)))
    }
  }
#endif
