#if os(Linux) && canImport(MapKit)
  import MapKit
  import PointSets
  @_spi(Server) import Treeline
  import TreelineBuilder
  import TreelineMap
  import XCTest

  @testable import TreelineMapKit

  @MainActor final class MapViewAdapterTests: XCTestCase {
    private static let tree = try! ClusterTree(cloudyPoints(3000), options: BuildOptions(supporting: .spacing))

    private func makeMap(zoom: Double = 4, options: MapViewAdapter.Options = MapViewAdapter.Options()) async throws
      -> TestMap
    {
      let map = TestMap(Self.tree, zoom: zoom, options: options)
      try await map.settle()
      return map
    }

    func testABadgeForEachClusterIsAddedOnceAndAllPointsAreInTheirNumbers() async throws {
      let map = try await makeMap()
      XCTAssertEqual(map.mapView.addedAnnotations.count, map.mapView.annotations.count)
      XCTAssertTrue(map.mapView.removedAnnotations.isEmpty)
      XCTAssertEqual(map.shown.map(\.pointCount).reduce(0, +), 3000)
      XCTAssertGreaterThan(map.shown.count, 5)
      for annotation in map.shown {
        let view = map.view(annotation)
        XCTAssertEqual(view.number, annotation.pointCount > 1 ? BadgeText.abbreviated(annotation.pointCount) : nil)
        XCTAssertEqual(view.bounds.width, annotation.badge.diameter)
        XCTAssertEqual(view.alpha, 1)
        XCTAssertEqual(view.transform, .identity)
        XCTAssertFalse(view.isHidden)
        XCTAssertEqual(annotation.coordinate.latitude, annotation.cluster.coordinate.latitude, accuracy: 1e-6)
        XCTAssertEqual(annotation.coordinate.longitude, annotation.cluster.coordinate.longitude, accuracy: 1e-6)
      }
    }

    func testPartsComeOutOfTheirWholeAndMoveToWhereTheyBelong() async throws {
      let map = try await makeMap()
      let before = map.shown
      map.mapView.events = []
      try await map.show(zoom: 5)
      let added = map.mapView.addedAnnotations.map { $0 as! ClusterAnnotation }
      XCTAssertFalse(added.isEmpty)
      let moves = map.mapView.moves
      for part in added where !part.badge.isLeaving {
        guard let whole = before.first(where: { $0.cluster.isAncestor(of: part.cluster) }) else { continue }
        let path = moves.filter { $0.annotation === part }.map(\.coordinate)
        // The part starts close to its whole, and each step brings it closer to its target.
        let from = MKMapPoint(Coordinate(whole.coordinate))
        let to = MKMapPoint(part.cluster.coordinate)
        let distances = path.map { coordinate in
          let point = MKMapPoint(Coordinate(coordinate))
          return ((point.x - to.x) * (point.x - to.x) + (point.y - to.y) * (point.y - to.y)).squareRoot()
        }
        let all = ((from.x - to.x) * (from.x - to.x) + (from.y - to.y) * (from.y - to.y)).squareRoot()
        XCTAssertLessThanOrEqual(distances[0], all + 1)
        XCTAssertGreaterThan(distances[0], 0.9 * all)
        XCTAssertEqual(distances, distances.sorted(by: >))
        XCTAssertEqual(try XCTUnwrap(distances.last), 0, accuracy: 1)
      }
      // In the end only the wholes are removed.
      let removed = Set(map.mapView.removedAnnotations.map(ObjectIdentifier.init))
      for annotation in before {
        let isStillShown = map.shown.contains { $0 === annotation }
        XCTAssertEqual(removed.contains(ObjectIdentifier(annotation)), !isStillShown)
      }
      XCTAssertEqual(map.rests, 2)
    }

    func testAPanTouchesNothingThatStaysInView() async throws {
      let map = try await makeMap(zoom: 6)
      let before = Dictionary(map.shown.map { ($0.cluster.id, $0) }, uniquingKeysWith: { a, _ in a })
      map.mapView.events = []
      try await map.show(Coordinate(longitude: 10.5, latitude: 50), zoom: 6)
      var kept = 0
      for annotation in map.shown {
        guard let same = before[annotation.cluster.id] else { continue }
        XCTAssertTrue(same === annotation)
        XCTAssertFalse(map.mapView.moves.contains { $0.annotation === annotation })
        kept += 1
      }
      XCTAssertGreaterThan(kept, 5)
    }

    func testNothingHappensAsLongAsTheMapStandsStill() async throws {
      let map = try await makeMap()
      map.mapView.events = []
      for _ in 0..<10 { map.adapter.refresh() }
      try await Task.sleep(for: .milliseconds(50))
      XCTAssertFalse(map.frames.isRunning)
      XCTAssertTrue(map.mapView.events.isEmpty)
    }

    func testAtAnyMomentOfARandomFlightEachPointIsInOneNumberAndNothingIsReplacedThatStays() async throws {
      let seed = UInt64.random(in: 0...UInt64.max)
      var random = SplitMix64(seed: seed)
      let map = try await makeMap()
      map.afterFrame = {
        var counted = Set<Int>()
        for annotation in map.adapter.annotations where annotation.badge.appearance.showsCount {
          for index in annotation.cluster.range where !counted.insert(index).inserted {
            return XCTFail("Point \(index) is in two numbers, seed \(seed)")
          }
        }
        XCTAssertEqual(map.mapView.annotations.count, map.adapter.annotations.count)
      }
      for _ in 0..<60 {
        let center = Coordinate(
          longitude: .random(in: 2...18, using: &random), latitude: .random(in: 44...56, using: &random))
        let rect = MKMapRect(center: center, zoom: .random(in: 3...9, using: &random), width: 390, height: 844)
        map.mapView.setVisibleMapRect(rect, animated: false)
        try await map.answer()
        // Draws only some frames, so that the next change often begins in the middle of this one.
        for _ in 0..<Int.random(in: 1...40, using: &random) where map.frames.isRunning { map.draw() }
      }
      try await map.show(zoom: 4)
      // The frames that were drawn so far may belong to the previous answer.
      for _ in 0..<200 {
        try await Task.sleep(for: .milliseconds(1))
        map.settleFrames()
      }
      XCTAssertEqual(map.shown.map(\.pointCount).reduce(0, +), 3000, "seed \(seed)")
      let expected = try Self.tree.clusters(.spacing(44), in: XCTUnwrap(map.adapter.feed.viewport))
      XCTAssertEqual(map.shown.count, map.mapView.annotations.count)
      XCTAssertTrue(Set(expected.map(\.id)).isSubset(of: map.shown.map(\.cluster.id)), "seed \(seed)")
    }

    func testViewsAreUsedAgain() async throws {
      let map = try await makeMap()
      var most = map.mapView.annotations.count
      map.afterFrame = { most = max(most, map.mapView.annotations.count) }
      for zoom in [5.0, 6, 7, 6, 5, 4] { try await map.show(zoom: zoom) }
      let views = Set(map.shown.map { ObjectIdentifier(map.view($0)) })
      XCTAssertEqual(views.count, map.shown.count)
      XCTAssertLessThanOrEqual(map.mapView.madeViewCount, most)
      XCTAssertLessThan(most, map.mapView.addedAnnotations.count)
    }

    func testReducedMotionAndAnOptionHaveBadgesJump() async throws {
      var still = MapViewAdapter.Options()
      still.isAnimated = false
      for (options, reducesMotion) in [(still, false), (MapViewAdapter.Options(), true)] {
        UIAccessibility.setReduceMotion(reducesMotion)
        defer { UIAccessibility.setReduceMotion(false) }
        let map = try await makeMap(options: options)
        map.mapView.events = []
        map.mapView.setVisibleMapRect(
          MKMapRect(center: .middle, zoom: 5, width: 390, height: 844), animated: false)
        try await map.answer()
        map.draw()
        XCTAssertTrue(map.mapView.moves.isEmpty)
        XCTAssertEqual(map.mapView.annotations.count, map.shown.count)
        XCTAssertTrue(map.shown.allSatisfy { !map.view($0).isHidden && map.view($0).alpha == 1 })
      }
    }

    func testAnotherTreeTakesItsPlaceAndBadgesThatLookTheSameStay() async throws {
      let map = try await makeMap()
      let before = map.shown
      map.mapView.events = []
      map.adapter.tree = try ClusterTree(
        cloudyPoints(3000) + [Coordinate(longitude: 14, latitude: 50)], options: BuildOptions(supporting: .spacing)
      )
      try await map.settle()
      XCTAssertEqual(map.shown.map(\.pointCount).reduce(0, +), 3001)
      XCTAssertGreaterThan(before.filter { old in map.shown.contains { $0 === old } }.count, before.count / 2)
    }

    func testAnotherCutTakesTheBadgesApart() async throws {
      let map = try await makeMap()
      let before = map.shown.count
      map.adapter.cut = .spacing(30)
      try await map.settle()
      XCTAssertGreaterThan(map.shown.count, before)
      XCTAssertEqual(map.shown.map(\.pointCount).reduce(0, +), 3000)
    }

    func testATreeOfNoPointsOrOneIsShown() async throws {
      let map = try await makeMap()
      map.adapter.tree = try ClusterTree([Coordinate](), options: BuildOptions(supporting: .spacing))
      try await map.settle()
      XCTAssertTrue(map.mapView.annotations.isEmpty)
      map.adapter.tree = try ClusterTree([.middle], options: BuildOptions(supporting: .spacing))
      try await map.settle()
      XCTAssertEqual(map.shown.map(\.row), [0])
    }

    func testAMapWithoutASizeAsksForNothing() async throws {
      let map = try await makeMap()
      let before = map.mapView.annotations.count
      map.mapView.frame = .zero
      map.adapter.refresh()
      XCTAssertNil(map.adapter.feed.viewport)
      XCTAssertEqual(map.mapView.annotations.count, before)
      // The frame of the map after the device is turned.
      map.mapView.frame = CGRect(x: 0, y: 0, width: 844, height: 390)
      map.mapView.setVisibleMapRect(MKMapRect(center: .middle, zoom: 5, width: 844, height: 390), animated: false)
      XCTAssertEqual(try XCTUnwrap(map.adapter.feed.viewport?.zoom), 5, accuracy: 1e-9)
    }

    func testAcrossTheAntimeridianBadgesMergeAndSplitTheShortWay() async throws {
      let fiji = Coordinate(longitude: 180, latitude: -17)
      let points = cloudyPoints(500).map { point in
        let longitude = point.longitude + 170
        return Coordinate(
          longitude: longitude > 180 ? longitude - 360 : longitude, latitude: point.latitude - 67)
      }
      let tree = try ClusterTree(points, options: BuildOptions(supporting: .spacing))
      let map = TestMap(tree, center: fiji, zoom: 5)
      try await map.settle()
      XCTAssertEqual(map.shown.map(\.pointCount).reduce(0, +), 500)
      map.mapView.events = []
      for zoom in [7.0, 3, 6, 5] { try await map.show(fiji, zoom: zoom) }
      XCTAssertFalse(map.mapView.moves.isEmpty)
      for (_, coordinate) in map.mapView.moves { XCTAssertGreaterThan(abs(coordinate.longitude), 165) }
      XCTAssertEqual(map.shown.map(\.pointCount).reduce(0, +), 500)
    }

    func testWhyThereIsNoAnswerIsTold() async throws {
      let map = TestMap(try ClusterTree(cloudyPoints(100)))
      try await map.answer()
      XCTAssertEqual(map.errors.count, 1)
      XCTAssertTrue(map.errors.first is QueryError)
      XCTAssertTrue(map.mapView.annotations.isEmpty)
    }

    func testAnnotationsOfOnesOwnAreLeftAlone() async throws {
      let map = try await makeMap()
      let own = MKPointAnnotation()
      own.coordinate = CLLocationCoordinate2D(.middle)
      map.mapView.addAnnotation(own)
      for zoom in [6.0, 4] { try await map.show(zoom: zoom) }
      XCTAssertTrue(map.mapView.annotations.contains { $0 === own })
      XCTAssertFalse(map.mapView.moves.contains { $0.annotation === own })
      XCTAssertNil(map.mapView.view(for: own))
    }

    func testPointsOfTheTreeThatAreNeverClusteredStandByThemselves() async throws {
      let points = cloudyPoints(300)
      let groups = try PointGroups(points.indices.map { $0 % 100 == 0 ? .neverClustered : .named("hotel") })
      let tree = try ClusterTree(points, groupedBy: groups, options: BuildOptions(supporting: .spacing))
      let map = TestMap(tree)
      try await map.settle()
      XCTAssertTrue(Set(map.shown.compactMap(\.row)).isSuperset(of: [0, 100, 200]))
    }

    func testATreeOfAnyGammaIsShown() async throws {
      for gamma in [0.5, 1.5] {
        let tree = try ClusterTree(cloudyPoints(300), options: BuildOptions(splitRule: .gamma(gamma)))
        let map = TestMap(tree, cut: .limit(32))
        try await map.settle()
        XCTAssertEqual(map.shown.map(\.pointCount).reduce(0, +), 300)
        XCTAssertLessThanOrEqual(map.shown.count, 32)
      }
    }

    func testFramesAreDrawnOnTheDisplayOfTheMapAndOnlyWhileBadgesMove() async throws {
      let mapView = MKMapView(frame: CGRect(x: 0, y: 0, width: 390, height: 844))
      mapView.visibleMapRect = MKMapRect(center: .middle, zoom: 4, width: 390, height: 844)
      let adapter = MapViewAdapter(mapView, tree: Self.tree, cut: .spacing(44))
      for _ in 0..<5000 where mapView.annotations.isEmpty {
        try await Task.sleep(for: .milliseconds(1))
        UIUpdateLink.update()
      }
      XCTAssertFalse(mapView.annotations.isEmpty)
      for _ in 0..<5000 where UIUpdateLink.enabledCount > 0 {
        try await Task.sleep(for: .milliseconds(1))
        UIUpdateLink.update()
      }
      XCTAssertEqual(UIUpdateLink.enabledCount, 0)
      XCTAssertEqual(adapter.annotations.map(\.pointCount).reduce(0, +), 3000)
    }

    func testAViewThatTheMapMakesLateIsDrawnAsItsBadgeIsByThen() async throws {
      let map = try await makeMap()
      map.mapView.defersViews = true
      map.mapView.setVisibleMapRect(MKMapRect(center: .middle, zoom: 6, width: 390, height: 844), animated: false)
      try await map.answer()
      for _ in 0..<3 {
        map.clock.advance(by: .milliseconds(16))
        map.frames.draw()
      }
      map.mapView.makeViews()
      let scales = map.shown.map { map.view($0).transform.a }
      XCTAssertEqual(scales, map.shown.map { CGFloat($0.place.scale) })
      XCTAssertTrue(scales.contains { $0 < 1 })
      map.settleFrames()
      XCTAssertTrue(map.shown.allSatisfy { map.view($0).transform == .identity && map.view($0).alpha == 1 })
    }

    func testOnAMacAnAppForPhonesHasFramesOfTasks() async throws {
      ProcessInfo.isOnMac = true
      defer { ProcessInfo.isOnMac = false }
      let frames = DisplayFrames(MKMapView(frame: .zero))
      var count = 0
      frames.start { count += 1 }
      XCTAssertEqual(UIUpdateLink.enabledCount, 0)
      for _ in 0..<2000 where count < 3 { try await Task.sleep(for: .milliseconds(1)) }
      frames.stop()
      let last = count
      XCTAssertGreaterThanOrEqual(last, 3)
      try await Task.sleep(for: .milliseconds(60))
      XCTAssertEqual(count, last)
    }

    func testFramesOfAMapThatIsShownNoMoreGoWithItsAdapter() async throws {
      let mapView = MKMapView(frame: CGRect(x: 0, y: 0, width: 390, height: 844))
      mapView.visibleMapRect = MKMapRect(center: .middle, zoom: 4, width: 390, height: 844)
      weak var frames: TestFrames?
      do {
        let kept = TestFrames()
        frames = kept
        let adapter = MapViewAdapter(
          mapView, feed: MapFeed(Self.tree, cut: .spacing(44)), texts: BadgeTexts(), options: .init(),
          in: (kept, ManualClock()))
        for _ in 0..<5000 where !kept.isRunning { try await Task.sleep(for: .milliseconds(1)) }
        XCTAssertTrue(kept.isRunning)
        withExtendedLifetime(adapter) {}
      }
      // No frame is drawn from here on, so no frame can stop the source of frames.
      try await Task.sleep(for: .milliseconds(20))
      XCTAssertNil(frames)
    }

    func testAnAdapterThatNobodyKeepsIsGone() async throws {
      weak var adapter: MapViewAdapter?
      do {
        let map = try await makeMap()
        adapter = map.adapter
        XCTAssertNotNil(adapter)
      }
      try await Task.sleep(for: .milliseconds(20))
      XCTAssertNil(adapter)
    }
  }
#endif
