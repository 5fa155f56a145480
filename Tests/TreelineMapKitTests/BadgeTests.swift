#if os(Linux) && canImport(MapKit)
  import MapKit
  @_spi(Server) import Treeline
  import TreelineBuilder
  @_spi(MapLibre) import TreelineMap
  import XCTest

  @testable import TreelineMapKit

  @MainActor final class BadgeTests: XCTestCase {
    private struct Hotel {
      var name: String
      var phone: String
      var coordinate: Coordinate
    }

    private static let hotels = cloudyPoints(500).enumerated().map {
      Hotel(name: "Hotel \($0)", phone: "+49 \($0)", coordinate: $1)
    }
    private static let map = try! ClusterMap(
      hotels, at: \.coordinate, options: BuildOptions(supporting: .spacing))

    private func makeMap(zoom: Double = 4, namedMembers: Int = 3) async throws -> TestMap {
      var texts = BadgeTexts(Self.map, title: { $0.name }, subtitle: { $0.phone })
      texts.clusterTitle = { cluster, _ in "\(cluster.pointCount) hotels" }
      texts.locale = Locale(identifier: "en_US")
      texts.namedMemberCount = namedMembers
      let map = TestMap(Self.map.tree, texts: texts, zoom: zoom)
      try await map.settle()
      return map
    }

    func testAClusterIsTitledByItsTemplateAndSubtitledByTheFirstNames() async throws {
      let map = try await makeMap()
      let cluster = try XCTUnwrap(map.shown.first { $0.pointCount > 3 })
      XCTAssertEqual(cluster.title, "\(cluster.pointCount) hotels")
      let names = try XCTUnwrap(map.adapter.members(of: cluster)).prefix(3).map { "Hotel \($0)" }
      XCTAssertEqual(cluster.subtitle, "\(names.joined(separator: ", ")), +\(cluster.pointCount - 3)")
      let unnamed = try await makeMap(namedMembers: 0)
      XCTAssertTrue(unnamed.shown.filter { $0.pointCount > 1 }.allSatisfy { $0.subtitle == nil })
    }

    func testAPointIsTitledByItsOwnWords() async throws {
      let map = try await makeMap(zoom: 9)
      let point = try XCTUnwrap(map.shown.first { $0.row != nil })
      let row = try XCTUnwrap(point.row)
      XCTAssertEqual(point.title, "Hotel \(row)")
      XCTAssertEqual(point.subtitle, "+49 \(row)")
      XCTAssertNil(map.view(point).number)
      XCTAssertTrue(map.view(point).canShowCallout)
    }

    func testVoiceOverReadsWhatTheCalloutShowsAndWhatATapDoes() async throws {
      let map = try await makeMap()
      for annotation in map.shown {
        let view = map.view(annotation)
        XCTAssertTrue(view.isAccessibilityElement)
        XCTAssertEqual(view.accessibilityTraits, .button)
        let label = [annotation.title, annotation.subtitle].compactMap { $0 }.joined(separator: ", ")
        XCTAssertEqual(view.accessibilityLabel, label)
        XCTAssertEqual(view.accessibilityHint, annotation.pointCount > 1 ? "Zooms in" : nil)
      }
    }

    func testVoiceOverIsSilentOfWhatLeavesOrHasNotFormedYet() async throws {
      let map = try await makeMap(zoom: 6)
      var silent = 0
      map.afterFrame = {
        for annotation in map.adapter.annotations {
          let isSpoken = map.view(annotation).isAccessibilityElement
          let badge = annotation.badge
          XCTAssertEqual(isSpoken, !badge.isLeaving && badge.appearance.isVisible)
          if !isSpoken { silent += 1 }
        }
      }
      try await map.show(zoom: 4)
      XCTAssertGreaterThan(silent, 0)
    }

    func testTextAndBadgesGrowWithTheUsersTextAndStillDoNotTouch() async throws {
      UIFontMetrics.textScale = 1.3
      defer { UIFontMetrics.textScale = 1 }
      let map = try await makeMap()
      XCTAssertEqual(map.adapter.feed.shownCut, .spacing(44 * 1.3))
      let shown = map.shown
      for (index, a) in shown.enumerated() {
        XCTAssertEqual(map.view(a).bounds.width, a.badge.diameter * 1.3, accuracy: 1e-9)
        XCTAssertEqual(map.view(a).fontSize, 12 * 1.3, accuracy: 1e-9)
        for b in shown[(index + 1)...] {
          let (p, q) = (MKMapPoint(Coordinate(a.coordinate)), MKMapPoint(Coordinate(b.coordinate)))
          let distance = ((p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y)).squareRoot()
          // At zoom 4, a screen point is 2^16 map points wide.
          XCTAssertGreaterThan(
            distance / 0x1p16, (map.view(a).bounds.width + map.view(b).bounds.width) / 2 - 1e-6)
        }
      }
    }

    func testBadgesOfAMapThatStandsStillFollowTheTextSize() async throws {
      defer { UIFontMetrics.textScale = 1 }
      for cut in [Cut.spacing(44), .limit(12)] {
        UIFontMetrics.textScale = 1
        let map = TestMap(Self.map.tree, cut: cut)
        try await map.settle()
        UIFontMetrics.textScale = 1.3
        map.mapView.changeTraits()
        if cut.isByPixels { try await map.settle() }
        for annotation in map.shown {
          XCTAssertEqual(map.view(annotation).bounds.width, annotation.badge.diameter * 1.3, accuracy: 1e-9)
        }
      }
    }

    func testTheLargestTextSizesMakeBadgesHalfAsLargeAgainAtMost() async throws {
      UIFontMetrics.textScale = 3
      defer { UIFontMetrics.textScale = 1 }
      let map = try await makeMap()
      XCTAssertEqual(map.adapter.feed.shownCut, .spacing(66))
    }

    func testTheRingContrastsWithTheDiscInLightAndDarkMode() async throws {
      let map = try await makeMap()
      let ring = try XCTUnwrap(map.view(try XCTUnwrap(map.shown.first)).backgroundColor)
      XCTAssertEqual(ring.resolvedColor(with: UITraitCollection(userInterfaceStyle: .light)), .white)
      XCTAssertEqual(ring.resolvedColor(with: UITraitCollection(userInterfaceStyle: .dark)), .black)
    }

    func testTheRingIsColoredOnWhateverThreadDrawsIt() async throws {
      let map = try await makeMap()
      let ring = try XCTUnwrap(map.view(try XCTUnwrap(map.shown.first)).backgroundColor)
      let color = await Task.detached { ring.resolvedColor(with: UITraitCollection(userInterfaceStyle: .dark)) }.value
      XCTAssertEqual(color, .black)
    }

    func testAViewOfTheDelegatesIsDrawnAsABadgeAndNeverHiddenOrClusteredByTheMap() async throws {
      let map = TestMap(Self.map.tree, texts: BadgeTexts(Self.map, title: { $0.name }))
      // The app returns a view of its own, made in the same way as an `MKMarkerAnnotationView`.
      map.ownView = { annotation in
        let view =
          map.mapView.dequeueReusableAnnotationView(withIdentifier: "own")
          ?? MKAnnotationView(annotation: annotation, reuseIdentifier: "own")
        view.displayPriority = .defaultHigh
        view.clusteringIdentifier = "hotels"
        return view
      }
      var hidden = 0
      map.afterFrame = {
        for annotation in map.adapter.annotations {
          guard let view = map.mapView.view(for: annotation) else { return XCTFail("Expected a view") }
          XCTAssertTrue(view.annotation === annotation)
          XCTAssertEqual(view.reuseIdentifier, "own")
          XCTAssertEqual(view.isHidden, !annotation.badge.appearance.isVisible)
          XCTAssertEqual(view.displayPriority, .required)
          XCTAssertNil(view.clusteringIdentifier)
          if view.isHidden { hidden += 1 }
        }
      }
      try await map.settle()
      for zoom in [6.0, 4] { try await map.show(zoom: zoom) }
      XCTAssertGreaterThan(hidden, 0)
    }

    func testADotIsAsEasyToHitAsABadge() async throws {
      let map = try await makeMap(zoom: 9)
      let dot = map.view(try XCTUnwrap(map.shown.first { $0.row != nil }))
      XCTAssertLessThan(dot.bounds.width, 20)
      let middle = dot.bounds.width / 2
      XCTAssertTrue(dot.point(inside: CGPoint(x: middle + 21, y: middle - 21), with: nil))
      XCTAssertFalse(dot.point(inside: CGPoint(x: middle + 23, y: middle), with: nil))
    }

    func testAWholeIsAboveThePartsThatComeOutOfIt() async throws {
      let map = try await makeMap()
      map.mapView.setVisibleMapRect(MKMapRect(center: .middle, zoom: 6, width: 390, height: 844), animated: false)
      try await map.answer()
      map.draw()
      let wholes = map.adapter.annotations.filter { $0.badge.isAbove }
      XCTAssertFalse(wholes.isEmpty)
      XCTAssertTrue(wholes.allSatisfy { map.view($0).zPriority == .max })
    }
  }
#endif
