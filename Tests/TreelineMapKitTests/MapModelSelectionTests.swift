#if os(Linux) && canImport(MapKit)
  import MapKit
  import SwiftUI
  import Treeline
  import TreelineBuilder
  import TreelineMap
  import XCTest

  @testable import TreelineMapKit

  /// Checks what a SwiftUI map selects, which stacks it opens, and how it reveals a point.
  @MainActor final class MapModelSelectionTests: XCTestCase {
    private static let points = cloudyPoints(2000)
    private static let tree = try! ClusterTree(points, options: BuildOptions(supporting: .spacing))

    /// A model of a map of 390 by 844 points. The map shows whatever position the model sets.
    @MainActor private final class Scene {
      let frames = TestFrames()
      let clock = ManualClock()
      let model: MapModel
      var afterFrame: () -> Void = {}

      init(_ tree: ClusterTree, cut: Cut = .spacing(44)) {
        let texts = BadgeTexts { ("Room \($0)", "Floor \($0 / 10)") }
        model = MapModel(MapFeed(tree, cut: cut, clock: clock), texts: texts, in: (frames, clock))
        model.size = CGSize(width: 390, height: 844)
      }

      func show(_ center: Coordinate = .middle, zoom: Double) async throws {
        model.show(MKMapRect(center: center, zoom: zoom, width: 390, height: 844))
        try await settle()
      }

      /// Shows the position that the model has set, between bars at the top and at the bottom.
      func followPosition() async throws {
        let rect = try XCTUnwrap(model.position.shownRect)
        model.show(rect.fitted(in: model.size, margins: UIEdgeInsets(top: 90, left: 8, bottom: 80, right: 8)))
        try await settle()
      }

      func settle() async throws {
        for _ in 0..<10_000 where !frames.isRunning { try await Task.sleep(for: .milliseconds(1)) }
        while frames.isRunning {
          clock.advance(by: .milliseconds(16))
          frames.draw()
          afterFrame()
        }
      }

      func selectedBadge(line: UInt = #line) throws -> MapModel.Badge {
        let selected = model.badges.filter(\.isSelected)
        XCTAssertEqual(selected.map(\.id), [model.selection].compactMap { $0 }, line: line)
        return try XCTUnwrap(selected.first, line: line)
      }

      var members: [MapModel.Badge] { model.badges.filter { $0.row != nil && $0.cluster.isStack } }
    }

    private func makeStack(_ count: Int) async throws -> (scene: Scene, stack: MapModel.Badge) {
      let points = Array(repeating: Coordinate.middle, count: count) + [Coordinate(longitude: 12, latitude: 50)]
      let scene = Scene(try ClusterTree(points, options: BuildOptions(supporting: .spacing)))
      try await scene.show(zoom: 8)
      return (scene, try XCTUnwrap(scene.model.badges.first { $0.cluster.isStack }))
    }

    func testItBeginsWithAllPoints() throws {
      let shown = try XCTUnwrap(BoundingBox(XCTUnwrap(Scene(Self.tree).model.position.shownRect)))
      XCTAssertEqual(shown.west, try XCTUnwrap(Self.points.map(\.longitude).min()), accuracy: 1e-6)
      XCTAssertEqual(shown.north, try XCTUnwrap(Self.points.map(\.latitude).max()), accuracy: 1e-6)
      let single = try ClusterTree([Coordinate.middle], options: BuildOptions(supporting: .spacing))
      let empty = MapModel(nil, cut: .spacing(44))
      XCTAssertEqual(empty.position.shownRect?.width, MKMapRect.world.width)
      empty.tree = Self.tree
      XCTAssertEqual(empty.position.shownRect?.minX, try XCTUnwrap(Scene(Self.tree).model.position.shownRect).minX)
      empty.position = .rect(.world)
      (empty.tree, empty.tree) = (nil, Self.tree)
      XCTAssertEqual(empty.position.shownRect?.width, MKMapRect.world.width)
      for tree in [single, try ClusterTree([Coordinate]())] {
        XCTAssertEqual(Scene(tree).model.position.shownRect?.width, MKMapRect.world.width)
      }
    }

    func testATapOnAPointSelectsItAndATapElsewhereNothing() async throws {
      let scene = Scene(Self.tree)
      try await scene.show(zoom: 9)
      let dot = try XCTUnwrap(scene.model.badges.first { $0.row != nil })
      scene.model.selection = dot.id
      XCTAssertEqual(try scene.selectedBadge().row, dot.row)
      XCTAssertEqual(scene.model.selectedRow, dot.row)
      scene.model.selection = nil
      XCTAssertNil(scene.model.selection)
      XCTAssertNil(scene.model.selectedRow)
      XCTAssertFalse(scene.model.badges.contains(where: \.isSelected))
    }

    func testASelectedPointStaysSelectedInWhateverBadgeItIs() async throws {
      let scene = Scene(Self.tree)
      try await scene.show(zoom: 4)
      XCTAssertTrue(try scene.model.select(row: 1234, at: Self.points[1234]))
      XCTAssertFalse(try scene.model.select(row: 1234, at: .middle))
      scene.afterFrame = { XCTAssertEqual(scene.model.badges.filter(\.isSelected).count, 1) }
      for zoom in [5.0, 8, 12, 6, 4] {
        try await scene.show(Self.points[1234], zoom: zoom)
        let badge = try scene.selectedBadge()
        XCTAssertTrue(try XCTUnwrap(scene.model.members(of: badge)).contains(1234))
      }
      XCTAssertEqual(scene.model.selectedRow, 1234)
      scene.afterFrame = {}
      try await scene.show(Coordinate(longitude: -100, latitude: 10), zoom: 8)
      XCTAssertNil(scene.model.selection)
      XCTAssertEqual(scene.model.selectedRow, 1234)
    }

    func testWithoutZoomingATapSelectsTheMiddleOfACluster() async throws {
      let scene = Scene(Self.tree)
      try await scene.show(zoom: 4)
      scene.model.zoomsIntoClusters = false
      let badge = try XCTUnwrap(scene.model.badges.max { $0.cluster.pointCount < $1.cluster.pointCount })
      let position = scene.model.position.shownRect?.minX
      scene.model.selection = badge.id
      XCTAssertEqual(try scene.selectedBadge().id, badge.id)
      XCTAssertEqual(scene.model.position.shownRect?.minX, position)
      XCTAssertTrue(try XCTUnwrap(scene.model.members(of: badge)).contains(try XCTUnwrap(scene.model.selectedRow)))
    }

    func testAPointIsRevealed() async throws {
      let scene = Scene(Self.tree)
      try await scene.show(zoom: 4)
      try scene.model.reveal(row: 77, at: Self.points[77])
      try await scene.followPosition()
      XCTAssertEqual(try scene.selectedBadge().row, 77)
    }

    func testAnotherTreeEndsTheSelectionAndAFilterThatThePointPassesDoesNot() async throws {
      struct Hotel {
        var stars: Int
        var coordinate: Coordinate
      }
      let hotels = try ClusterMap(
        Self.points.enumerated().map { Hotel(stars: $0 % 5, coordinate: $1) }, at: \.coordinate,
        columns: .number(\.stars), options: BuildOptions(supporting: .spacing))
      let scene = Scene(hotels.tree)
      try await scene.show(zoom: 4)
      try scene.model.select(row: 9, at: Self.points[9])
      scene.model.tree = try hotels.tree.filtered(by: Filter("stars = 4"))
      try await scene.settle()
      XCTAssertEqual(scene.model.selectedRow, 9)
      scene.model.tree = try hotels.tree.filtered(by: Filter("stars = 3"))
      try await scene.settle()
      XCTAssertNil(scene.model.selectedRow)
      try scene.model.select(row: 8, at: Self.points[8])
      scene.model.tree = Self.tree
      try await scene.settle()
      XCTAssertNil(scene.model.selectedRow)
      try scene.model.select(row: 8, at: Self.points[8])
      scene.model.tree = nil
      XCTAssertNil(scene.model.selection)
    }

    func testAStackOpensAroundItselfAndItsPointsCanBeSelected() async throws {
      let (scene, stack) = try await makeStack(7)
      XCTAssertNil(scene.model.openStack)
      scene.model.selection = stack.id
      XCTAssertEqual(scene.model.selection, stack.id)
      XCTAssertEqual(scene.model.openStack.map(Array.init), [0, 1, 2, 3, 4, 5, 6])
      let members = scene.members
      XCTAssertEqual(members.map(\.row), [0, 1, 2, 3, 4, 5, 6])
      XCTAssertEqual(Set(scene.model.badges.map(\.id)).count, scene.model.badges.count)
      XCTAssertEqual(members[3].title, "Room 3")
      XCTAssertEqual(members[3].accessibilityLabel, "Room 3, Floor 0")
      let places = [MKMapPoint(.middle)] + members.map { MKMapPoint(Coordinate($0.coordinate)) }
      // At zoom 8, a point of the screen is 2^12 map points wide.
      for (index, a) in places.enumerated() {
        for b in places[(index + 1)...] {
          XCTAssertGreaterThan(((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y)).squareRoot(), 43.99 * 0x1p12)
        }
      }
      scene.model.selection = members[3].id
      XCTAssertEqual(scene.model.selectedRow, 3)
      XCTAssertEqual(scene.members.count, 7)
      XCTAssertEqual(try scene.selectedBadge().row, 3)
      scene.model.selection = nil
      XCTAssertTrue(scene.members.isEmpty)
      XCTAssertNil(scene.model.openStack)
    }

    func testThePointsOfAStackKeepTheirPlacesOnTheScreen() async throws {
      let (scene, stack) = try await makeStack(3)
      scene.model.selection = stack.id
      func offset() -> (x: Double, y: Double) {
        let (place, middle) = (MKMapPoint(Coordinate(scene.members[1].coordinate)), MKMapPoint(.middle))
        return (place.x - middle.x, place.y - middle.y)
      }
      let before = offset()
      try await scene.show(zoom: 9)
      XCTAssertEqual(offset().x, before.x / 2, accuracy: 1)
      let mapView = MKMapView(frame: CGRect(x: 0, y: 0, width: 390, height: 844))
      mapView.look(at: MKMapPoint(.middle), zoom: 8, heading: 90, pitch: 0)
      MapProxy.mapView = mapView
      scene.model.show(MapCameraUpdateContext(rect: mapView.visibleMapRect, heading: 90), through: MapProxy())
      // The right of the screen is south.
      XCTAssertEqual(offset().x, -before.y, accuracy: 20)
      XCTAssertEqual(offset().y, before.x, accuracy: 20)
    }

    func testALargeStackIsSpreadInPart() async throws {
      let (scene, stack) = try await makeStack(100)
      scene.model.selection = stack.id
      XCTAssertEqual(scene.members.count, 40)
      XCTAssertEqual(scene.model.openStack?.count, 100)
      scene.model.selection = nil
      XCTAssertTrue(scene.members.isEmpty)
      XCTAssertNil(scene.model.selection)
    }

    func testAStackClosesOnceItIsNotShownByItselfOrOutOfView() async throws {
      for (center, zoom) in [(Coordinate.middle, 2.0), (Coordinate(longitude: 60, latitude: 0), 8)] {
        let (scene, stack) = try await makeStack(5)
        scene.model.selection = stack.id
        try await scene.show(zoom: 8.5)
        XCTAssertEqual(scene.members.count, 5)
        try await scene.show(center, zoom: zoom)
        XCTAssertTrue(scene.members.isEmpty)
        XCTAssertNil(scene.model.selection)
      }
    }

    func testToAStackTheMapOnlyMoves() async throws {
      let (scene, stack) = try await makeStack(5)
      scene.model.zoom(into: stack)
      try await scene.followPosition()
      XCTAssertEqual(try XCTUnwrap(scene.model.feed.viewport?.zoom), 8, accuracy: 0.5)
    }
  }
#endif
