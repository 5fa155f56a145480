#if os(Linux) && canImport(MapKit)
  import MapKit
  import Treeline
  import TreelineBuilder
  import TreelineMap
  import XCTest

  @testable import TreelineMapKit

  /// Checks what a map shows when its tree changes, while badges are at rest or move.
  @MainActor final class TreeChangeTests: XCTestCase {
    private static func tree(_ count: Int, seed: UInt64 = 1) throws -> ClusterTree {
      try ClusterTree(cloudyPoints(count, seed: seed), options: BuildOptions(supporting: .spacing))
    }

    /// Returns texts for the rows below `count`. All other rows have no texts.
    private static func texts(_ count: Int, _ name: String) -> BadgeTexts {
      let names = (0..<count).map { "\(name) \($0)" }
      return BadgeTexts { (names[$0], nil) }
    }

    /// Waits until `pointCount` points are shown and all badges are at rest. Other answers may arrive before.
    private func settle(_ map: TestMap, _ pointCount: Int, line: UInt = #line) async throws {
      for _ in 0..<10_000 where map.frames.isRunning || map.shown.map(\.pointCount).reduce(0, +) != pointCount {
        try await Task.sleep(for: .milliseconds(1))
        map.settleFrames()
      }
      XCTAssertEqual(map.shown.map(\.pointCount).reduce(0, +), pointCount, line: line)
    }

    private func assertWords(of map: TestMap, are name: String, line: UInt = #line) {
      for annotation in map.shown {
        let words = [annotation.title, annotation.subtitle].compactMap { $0 }.joined(separator: ", ")
        XCTAssertTrue(words.contains(name), "\(words) of \(name)", line: line)
        XCTAssertEqual(map.view(annotation).accessibilityLabel, words, line: line)
      }
    }

    func testATreeThatIsReplacedInTheMidstOfAChangeIsNotReadByTheOneThatFollows() async throws {
      let map = TestMap(try Self.tree(3000), texts: Self.texts(3000, "Old"))
      try await map.settle()
      map.mapView.setVisibleMapRect(MKMapRect(center: .middle, zoom: 6, width: 390, height: 844), animated: false)
      try await map.answer()
      for _ in 0..<5 { map.draw() }
      map.adapter.tree = try Self.tree(20)
      for annotation in map.adapter.annotations { _ = map.adapter.members(of: annotation) }
      map.settleFrames()
      map.mapView.setVisibleMapRect(MKMapRect(center: .middle, zoom: 4, width: 390, height: 844), animated: false)
      try await settle(map, 20)
    }

    func testBadgesSayWhatTheirOwnTreeSays() async throws {
      let map = TestMap(try Self.tree(200), texts: Self.texts(200, "Old"))
      try await map.settle()
      // The new tree has rows for which there are no old texts. Some of its badges look like badges of the old tree.
      map.adapter.show(try Self.tree(300), texts: Self.texts(300, "New"))
      assertWords(of: map, are: "Old")
      try await settle(map, 300)
      assertWords(of: map, are: "New")
      // A tree that is replaced before its answer arrives is never shown. Its texts do not appear.
      map.adapter.show(try Self.tree(400), texts: Self.texts(400, "Skipped"))
      map.adapter.show(try Self.tree(100), texts: Self.texts(100, "Last"))
      try await settle(map, 100)
      assertWords(of: map, are: "Last")
    }

    func testOtherTextsOfTheTreeThatIsShownAreThereAtOnce() async throws {
      let tree = try Self.tree(200)
      let map = TestMap(tree, texts: Self.texts(200, "Hotel"))
      try await map.settle()
      map.adapter.show(tree, texts: Self.texts(200, "Hôtel"))
      assertWords(of: map, are: "Hôtel")
    }

    func testWithoutATreeNothingIsShown() async throws {
      let map = TestMap(try Self.tree(200))
      try await map.settle()
      try map.adapter.select(row: 7, at: cloudyPoints(200)[7])
      map.adapter.tree = nil
      XCTAssertTrue(map.mapView.annotations.isEmpty)
      XCTAssertTrue(map.adapter.annotations.isEmpty)
      XCTAssertNil(map.adapter.selectedRow)
      map.adapter.tree = try Self.tree(50)
      try await settle(map, 50)
      // An answer that has arrived, but waits for the next frame, is dropped.
      map.mapView.setVisibleMapRect(MKMapRect(center: .middle, zoom: 6, width: 390, height: 844), animated: false)
      try await map.answer()
      map.adapter.tree = nil
      map.settleFrames()
      XCTAssertTrue(map.mapView.annotations.isEmpty)
    }

    func testAPointOfATreeThatIsNotShownYetIsInNoBadge() async throws {
      let map = TestMap(try Self.tree(3000))
      try await map.settle()
      map.adapter.tree = try Self.tree(500, seed: 2)
      let point = cloudyPoints(500, seed: 2)[9]
      XCTAssertNil(try map.adapter.annotation(ofRow: 9, at: point))
      XCTAssertTrue(try map.adapter.select(row: 9, at: point))
      XCTAssertTrue(map.mapView.selectedAnnotations.isEmpty)
      try await map.settle()
      let selected = try XCTUnwrap(map.mapView.selectedAnnotations.first as? ClusterAnnotation)
      XCTAssertTrue(try XCTUnwrap(map.adapter.members(of: selected)).contains(9))
    }

    private struct Bus: Identifiable, Sendable {
      var id: Int
      var coordinate: Coordinate
    }

    func testALiveMapKeepsItsBadgesAndTheSelection() async throws {
      let buses = cloudyPoints(300).enumerated().map { Bus(id: 2 * $0, coordinate: $1) }
      let live = LiveMap(
        try ClusterMap(buses, at: \.coordinate, options: BuildOptions(supporting: .spacing)))
      let map = TestMap(live.map.tree)
      try await map.settle()
      try map.adapter.select(row: 9, at: buses[9].coordinate)
      let before = map.shown
      let following = Task { try await map.adapter.follow(live) }
      let corner = Bus(id: 1, coordinate: buses[100].coordinate)
      let edited = try await live.update(inserting: [corner], removing: [2 * 200])
      while !(map.adapter.tree?.isSame(as: edited.tree) ?? false) { await Task.yield() }
      try await map.settle()
      XCTAssertGreaterThan(map.shown.filter { badge in before.contains { $0 === badge } }.count, before.count / 2)
      // The inserted bus comes before the selected bus, which is now in row 10.
      XCTAssertEqual(map.adapter.selectedRow, 10)
      XCTAssertFalse(map.mapView.selectedAnnotations.isEmpty)
      try await live.update(removing: [18])
      while map.adapter.tree?.pointCount == 300 { await Task.yield() }
      try await map.settle()
      XCTAssertNil(map.adapter.selectedRow)
      following.cancel()
    }

    private struct Hotel {
      var stars: Int
      var coordinate: Coordinate
    }

    private static func hotels(_ points: [Coordinate]) throws -> ClusterMap<Hotel> {
      try ClusterMap(
        points.enumerated().map { Hotel(stars: $0 % 5, coordinate: $1) }, at: \.coordinate, columns: .number(\.stars),
        options: BuildOptions(supporting: .spacing))
    }

    func testAFilterDeselectsWhatFailsIt() async throws {
      let points = cloudyPoints(300)
      let hotels = try Self.hotels(points)
      let map = TestMap(hotels.tree)
      try await map.settle()
      try map.adapter.select(row: 9, at: points[9])
      map.adapter.tree = try hotels.tree.filtered(by: Filter("stars = 3"))
      XCTAssertNil(map.adapter.selectedRow)
      XCTAssertTrue(map.mapView.selectedAnnotations.isEmpty)
    }

    func testATreeThatTheFeedIsGivenHasNothingSelected() async throws {
      let points = cloudyPoints(300)
      let map = TestMap(try Self.tree(300))
      try await map.settle()
      try map.adapter.select(row: 9, at: points[9])
      map.adapter.feed.tree = try Self.tree(300, seed: 2)
      try await map.settle()
      XCTAssertNil(map.adapter.selectedRow)
      XCTAssertTrue(map.mapView.selectedAnnotations.isEmpty)
    }

    func testAStackClosesWhenOtherPointsOfItCount() async throws {
      let hotels = try Self.hotels(Array(repeating: .middle, count: 12))
      let map = TestMap(hotels.tree, zoom: 8)
      try await map.settle()
      map.mapView.selectAnnotation(try XCTUnwrap(map.shown.first), animated: true)
      XCTAssertEqual(map.mapView.annotations.filter { $0 is StackMemberAnnotation }.count, 12)
      map.adapter.tree = try hotels.tree.filtered(by: Filter("stars >= 3"))
      try await map.settle()
      XCTAssertEqual(map.shown.map(\.pointCount), [4])
      XCTAssertTrue(map.mapView.annotations.allSatisfy { !($0 is StackMemberAnnotation) })
    }

    func testAnEllipseIsOfThePointsThatCount() async throws {
      // The points with five stars lie close together.
      let points = (0..<100).map { Coordinate(longitude: 10 + ($0 % 5 == 4 ? 0.001 : 0.1) * Double($0), latitude: 50) }
      let hotels = try Self.hotels(points)
      var options = MapViewAdapter.Options()
      options.ellipses = .all
      let map = TestMap(hotels.tree, cut: .limit(1), options: options)
      try await map.settle()
      func width() throws -> Double {
        XCTAssertEqual(map.mapView.overlays.count, 1)
        let xs = try XCTUnwrap(map.mapView.overlays.first as? MKPolygon).corners.map(\.x)
        return try XCTUnwrap(xs.max()) - XCTUnwrap(xs.min())
      }
      let before = try width()
      map.adapter.tree = try hotels.tree.filtered(by: Filter("stars = 4"))
      try await map.settle()
      XCTAssertLessThan(try width(), before / 10)
    }
  }
#endif
