#if os(Linux) && canImport(MapKit)
  import MapKit
  import MapLibre
  @_spi(Server) import Treeline
  import TreelineBuilder
  import TreelineMap
  import TreelineMapKit
  import XCTest

  @testable import TreelineMapLibre

  @MainActor final class MapLibreAdapterTests: XCTestCase {
    private static let tree = try! ClusterTree(cloudyPoints(1000), options: BuildOptions(supporting: .spacing))

    @MainActor private final class Scene {
      let mapView = MLNMapView(frame: CGRect(x: 0, y: 0, width: 390, height: 844))
      let style = MLNStyle()
      let frames = TestFrames()
      let clock = ManualClock()
      let adapter: MapLibreAdapter

      init(zoom: Double) {
        mapView.look(at: .middle, zoom: zoom)
        adapter = MapLibreAdapter(
          mapView, feed: MapFeed(MapLibreAdapterTests.tree, cut: .spacing(44), clock: clock), texts: BadgeTexts(),
          identifier: "hotels", in: (frames, clock))
      }

      func show(zoom: Double) async throws {
        mapView.look(at: .middle, zoom: zoom)
        adapter.refresh()
        try await settle()
      }

      func settle(afterFrame: () -> Void = {}) async throws {
        for _ in 0..<10_000 where !frames.isRunning { try await Task.sleep(for: .milliseconds(1)) }
        while frames.isRunning {
          clock.advance(by: .milliseconds(16))
          frames.draw()
          afterFrame()
        }
      }

      var features: [MLNPointFeature] {
        (adapter.source?.shape as? MLNShapeCollectionFeature)?.shapes.map { $0 as! MLNPointFeature } ?? []
      }
    }

    func testTheFeaturesOfItsSourceAreTheClustersOfTheView() async throws {
      let scene = Scene(zoom: 3)
      let source = scene.adapter.add(to: scene.style)
      XCTAssertTrue(scene.style.source(withIdentifier: "hotels") === source)
      try await scene.settle()
      // MapLibre's zooms are for tiles of 512 px.
      XCTAssertEqual(scene.adapter.feed.viewport?.tileSize, .pixels512)
      XCTAssertEqual(scene.features.map { $0.attributes["point_count"] as! Int }.reduce(0, +), 1000)
      for feature in scene.features {
        let cluster = try XCTUnwrap(scene.adapter.cluster(of: feature))
        XCTAssertEqual(feature.coordinate.latitude, cluster.coordinate.latitude, accuracy: 1e-6)
        let number = cluster.pointCount > 1 ? BadgeText.abbreviated(cluster.pointCount) : ""
        XCTAssertEqual(feature.attributes["number"] as? String, number)
        XCTAssertEqual(feature.attributes["opacity"] as? Double, 1)
        XCTAssertEqual(feature.attributes["diameter"] as? Double, feature.attributes["full_diameter"] as? Double)
      }
    }

    func testASourceIsToldOncePerFrameAndNotAtAllWhileNothingMoves() async throws {
      let scene = Scene(zoom: 3)
      let source = scene.adapter.add(to: scene.style)
      try await scene.settle()
      var before = source.updateCount
      scene.mapView.look(at: .middle, zoom: 5)
      scene.adapter.refresh()
      var frames = 0
      try await scene.settle {
        frames += 1
        XCTAssertLessThanOrEqual(source.updateCount, before + 1)
        before = source.updateCount
      }
      XCTAssertGreaterThan(frames, 10)
      try await Task.sleep(for: .milliseconds(20))
      XCTAssertEqual(source.updateCount, before)
    }

    func testPartsMoveOutOfTheirWholeAndNumbersNeverCountAPointTwice() async throws {
      let scene = Scene(zoom: 3)
      scene.adapter.add(to: scene.style)
      try await scene.settle()
      var places: [ObjectIdentifier: Set<Double>] = [:]
      scene.mapView.look(at: .middle, zoom: 5)
      scene.adapter.refresh()
      try await scene.settle {
        for feature in scene.features {
          places[ObjectIdentifier(feature), default: []].insert(feature.coordinate.longitude)
        }
        var counted = Set<Int>()
        for feature in scene.features where feature.attributes["number"] as? String != "" {
          guard let cluster = scene.adapter.cluster(of: feature) else { continue }
          XCTAssertTrue(counted.isDisjoint(with: cluster.range))
          counted.formUnion(cluster.range)
        }
      }
      XCTAssertGreaterThan(places.values.filter { $0.count > 5 }.count, 5)
    }

    func testAnotherStyleHasTheSameFeatures() async throws {
      let scene = Scene(zoom: 3)
      let first = scene.adapter.add(to: scene.style)
      try await scene.settle()
      let count = scene.features.count
      let other = scene.adapter.add(to: MLNStyle())
      XCTAssertFalse(first === other)
      XCTAssertGreaterThan(count, 0)
      XCTAssertEqual(scene.features.count, count)
    }

    func testFeaturesSayWhatTheirOwnTreeSaysAndWithoutOneThereAreNone() async throws {
      let scene = Scene(zoom: 3)
      scene.adapter.add(to: scene.style)
      try await scene.settle()
      let names = (0..<30).map { "Museum \($0)" }
      var texts = BadgeTexts { (names[$0], nil) }
      texts.clusterTitle = { cluster, _ in "\(cluster.pointCount) museums" }
      scene.adapter.show(
        try ClusterTree(cloudyPoints(30), options: BuildOptions(supporting: .spacing)), texts: texts)
      try await scene.settle()
      XCTAssertEqual(scene.features.map { $0.attributes["point_count"] as! Int }.reduce(0, +), 30)
      for feature in scene.features {
        XCTAssertTrue((feature.attributes["title"] as! String).lowercased().contains("museum"))
      }
      scene.adapter.tree = nil
      XCTAssertTrue(scene.features.isEmpty)
    }

    func testFramesAreThoseOfTheMapsDisplay() async throws {
      let mapView = MLNMapView(frame: CGRect(x: 0, y: 0, width: 390, height: 844))
      mapView.look(at: .middle, zoom: 3)
      let adapter = MapLibreAdapter(mapView, tree: Self.tree, cut: .spacing(44))
      let source = adapter.add(to: MLNStyle())
      for _ in 0..<5000 where source.updateCount < 3 || UIUpdateLink.enabledCount > 0 {
        try await Task.sleep(for: .milliseconds(1))
        UIUpdateLink.update()
      }
      XCTAssertGreaterThan(source.updateCount, 2)
      XCTAssertEqual(UIUpdateLink.enabledCount, 0)
    }

    func testATapZoomsToWhereAClusterFallsApart() async throws {
      let scene = Scene(zoom: 3)
      scene.adapter.add(to: scene.style)
      try await scene.settle()
      let clusters = scene.features.compactMap { scene.adapter.cluster(of: $0) }
      let cluster = try XCTUnwrap(clusters.max { $0.pointCount < $1.pointCount })
      scene.adapter.zoom(into: cluster)
      try await scene.show(zoom: scene.mapView.zoomLevel)
      XCTAssertFalse(scene.features.contains { scene.adapter.cluster(of: $0)?.id == cluster.id })
      XCTAssertEqual(try XCTUnwrap(scene.mapView.shownCenter).latitude, cluster.coordinate.latitude)
    }
  }

  extension MLNMapView {
    fileprivate func look(at center: Coordinate, zoom: Double) {
      zoomLevel = zoom
      let box = BoundingBox(MKMapRect(center: center, zoom: zoom + 1, width: 390, height: 844))!
      visibleCoordinateBounds = MLNCoordinateBounds(
        sw: CLLocationCoordinate2D(latitude: box.south, longitude: box.west),
        ne: CLLocationCoordinate2D(latitude: box.north, longitude: box.east))
    }
  }
#endif
