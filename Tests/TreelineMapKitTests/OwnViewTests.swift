#if os(Linux) && canImport(MapKit)
  import MapKit
  import Treeline
  import TreelineBuilder
  import TreelineMap
  import XCTest

  @testable import TreelineMapKit

  /// Checks maps whose badges are views of the app.
  @MainActor final class OwnViewTests: XCTestCase {
    private struct Hotel {
      var stars: Int
      var coordinate: Coordinate
    }

    /// A view that draws its number when the app makes it.
    private final class HotelsView: MKAnnotationView {
      var text = ""
      var isPrepared = false
      override func prepareForDisplay() {
        super.prepareForDisplay()
        isPrepared = true
      }
    }

    private static let hotels = try! ClusterMap(
      cloudyPoints(1000).enumerated().map { Hotel(stars: $0 % 5, coordinate: $1) }, at: \.coordinate,
      columns: .number(\.stars), options: BuildOptions(supporting: .spacing))

    private func makeMap() async throws -> TestMap {
      let map = TestMap(Self.hotels.tree)
      map.ownView = { [weak map] annotation in
        guard let map, let annotation = annotation as? ClusterAnnotation else { return nil }
        let view =
          map.mapView.dequeueReusableAnnotationView(withIdentifier: "hotels") as? HotelsView
          ?? HotelsView(annotation: annotation, reuseIdentifier: "hotels")
        view.text = "\(annotation.pointCount) hotels"
        view.canShowCallout = true
        (view.accessibilityLabel, view.accessibilityHint) = ("Of the app", "Opens a list")
        return view
      }
      try await map.settle()
      return map
    }

    private func view(_ annotation: ClusterAnnotation, on map: TestMap) throws -> HotelsView {
      try XCTUnwrap(map.mapView.view(for: annotation) as? HotelsView)
    }

    /// Checks that each view shows the number of its annotation. Returns the number of badges that stayed on the map
    /// and have another number.
    private func checkNumbers(
      _ map: TestMap, after before: [ObjectIdentifier: Int], line: UInt = #line
    ) throws -> Int {
      var stayed = 0
      for annotation in map.shown {
        let view = try view(annotation, on: map)
        XCTAssertEqual(view.text, "\(annotation.pointCount) hotels", line: line)
        XCTAssertEqual(annotation.pointCount, annotation.cluster.pointCount, line: line)
        XCTAssertTrue(view.annotation === annotation, line: line)
        if let old = before[ObjectIdentifier(annotation)], old != annotation.pointCount { stayed += 1 }
      }
      return stayed
    }

    private func counts(_ map: TestMap) -> [ObjectIdentifier: Int] {
      Dictionary(uniqueKeysWithValues: map.shown.map { (ObjectIdentifier($0), $0.pointCount) })
    }

    func testAViewOfTheAppShowsTheNewNumberAfterAFilter() async throws {
      let map = try await makeMap()
      let before = counts(map)
      map.adapter.tree = try Self.hotels.tree.filtered(by: Filter("stars >= 3"))
      try await map.settle()
      XCTAssertEqual(map.shown.map(\.pointCount).reduce(0, +), 400)
      XCTAssertGreaterThan(try checkNumbers(map, after: before), 3)
      let filtered = counts(map)
      map.adapter.tree = Self.hotels.tree
      try await map.settle()
      XCTAssertGreaterThan(try checkNumbers(map, after: filtered), 3)
      XCTAssertTrue(try map.shown.allSatisfy { try view($0, on: map).isPrepared })
    }

    func testAnAppThatUpdatesItsViewsKeepsThem() async throws {
      let map = try await makeMap()
      var updates = 0
      map.update = { view, annotation in
        (view as? HotelsView)?.text = "\(annotation.pointCount) hotels"
        updates += 1
      }
      let before = counts(map)
      let views = try map.shown.map { ($0, try view($0, on: map)) }
      map.mapView.events = []
      map.adapter.tree = try Self.hotels.tree.filtered(by: Filter("stars >= 3"))
      try await map.settle()
      XCTAssertGreaterThan(try checkNumbers(map, after: before), 3)
      XCTAssertGreaterThan(updates, 3)
      for (annotation, view) in views where map.shown.contains(where: { $0 === annotation }) {
        XCTAssertTrue(map.mapView.view(for: annotation) === view)
        XCTAssertFalse(map.mapView.removedAnnotations.contains { $0 === annotation })
      }
    }

    func testOtherTitlesUpdateViewsAndTheSelectionStays() async throws {
      let map = try await makeMap()
      try map.adapter.select(row: 9, at: Self.hotels.values[9].coordinate)
      var updates = 0
      map.update = { [weak map] view, annotation in
        updates += 1
        map?.adapter.replaceView(of: annotation)
      }
      var texts = BadgeTexts()
      texts.clusterTitle = { cluster, _ in "\(cluster.pointCount) Hotels" }
      map.adapter.show(Self.hotels.tree, texts: texts)
      XCTAssertGreaterThan(updates, 3)
      XCTAssertEqual(map.adapter.selectedRow, 9)
      XCTAssertEqual(map.mapView.selectedAnnotations.count, 1)
    }

    func testLabelsAndCalloutsOfTheAppAreLeftAlone() async throws {
      let map = try await makeMap()
      for zoom in [6.0, 4] { try await map.show(zoom: zoom) }
      map.adapter.tree = try Self.hotels.tree.filtered(by: Filter("stars >= 1"))
      try await map.settle()
      for annotation in map.shown {
        let view = try view(annotation, on: map)
        XCTAssertEqual(view.accessibilityLabel, "Of the app")
        XCTAssertEqual(view.accessibilityHint, "Opens a list")
        XCTAssertFalse(view.isAccessibilityElement)
        XCTAssertTrue(view.canShowCallout)
      }
    }

    func testABadgeViewOfTheAppKeepsItsCallout() async throws {
      final class SilentBadge: ClusterBadgeView {
        override init(annotation: (any MKAnnotation)?, reuseIdentifier: String?) {
          super.init(annotation: annotation, reuseIdentifier: reuseIdentifier)
          canShowCallout = false
        }
        required init?(coder: NSCoder) { nil }
      }
      let map = TestMap(Self.hotels.tree)
      map.ownView = { [weak map] annotation in
        map?.mapView.dequeueReusableAnnotationView(withIdentifier: "silent")
          ?? SilentBadge(annotation: annotation, reuseIdentifier: "silent")
      }
      try await map.settle()
      for zoom in [6.0, 4, 7] { try await map.show(zoom: zoom) }
      XCTAssertTrue(map.shown.allSatisfy { !map.view($0).canShowCallout })
    }

    /// An app may be the delegate of the map itself, and use the adapter for the badges.
    func testViewsOfAnotherDelegateOfTheMapAreUpdatedToo() async throws {
      @MainActor final class App: NSObject, MKMapViewDelegate {
        var adapter: MapViewAdapter!
        var viewCount = 0
        func mapView(_ mapView: MKMapView, viewFor annotation: any MKAnnotation) -> MKAnnotationView? {
          guard let annotation = annotation as? ClusterAnnotation else { return nil }
          viewCount += 1
          let view = HotelsView(annotation: annotation, reuseIdentifier: "own")
          view.text = "\(annotation.pointCount) hotels"
          view.displayPriority = .defaultHigh
          return view
        }
        func mapView(_ mapView: MKMapView, didAdd views: [MKAnnotationView]) {
          adapter.mapView(mapView, didAdd: views)
        }
        func mapViewDidChangeVisibleRegion(_ mapView: MKMapView) { adapter.mapViewDidChangeVisibleRegion(mapView) }
      }
      let map = TestMap(Self.hotels.tree)
      let app = App()
      app.adapter = map.adapter
      map.adapter.delegate = nil
      map.mapView.delegate = app
      try await map.settle()
      let before = counts(map)
      map.adapter.tree = try Self.hotels.tree.filtered(by: Filter("stars >= 3"))
      try await map.settle()
      XCTAssertGreaterThan(try checkNumbers(map, after: before), 3)
      XCTAssertTrue(map.shown.allSatisfy { map.mapView.view(for: $0)?.displayPriority == .required })
      XCTAssertGreaterThan(app.viewCount, before.count)
    }
  }

  /// Checks that the app receives all calls of the map.
  @MainActor final class ForwardingTests: XCTestCase {
    private struct Failure: Error {}

    func testTheAppReceivesEachCallOfTheMap() async throws {
      @MainActor final class App: NSObject, MapViewAdapterDelegate {
        var calls: [String] = []
        let accessory = MKSelectionAccessory()
        let own = MKAnnotationView(annotation: nil, reuseIdentifier: "own")

        func mapView(_ mapView: MKMapView, regionWillChangeAnimated animated: Bool) { calls.append("willMove") }
        func mapViewDidChangeVisibleRegion(_ mapView: MKMapView) { calls.append("moves") }
        func mapView(_ mapView: MKMapView, regionDidChangeAnimated animated: Bool) { calls.append("moved \(animated)") }
        func mapViewWillStartLoadingMap(_ mapView: MKMapView) { calls.append("willLoad") }
        func mapViewDidFinishLoadingMap(_ mapView: MKMapView) { calls.append("loaded") }
        func mapViewDidFailLoadingMap(_ mapView: MKMapView, withError error: any Error) { calls.append("notLoaded") }
        func mapViewWillStartRenderingMap(_ mapView: MKMapView) { calls.append("willRender") }
        func mapViewDidFinishRenderingMap(_ mapView: MKMapView, fullyRendered: Bool) {
          calls.append("rendered \(fullyRendered)")
        }
        func mapViewWillStartLocatingUser(_ mapView: MKMapView) { calls.append("willLocate") }
        func mapViewDidStopLocatingUser(_ mapView: MKMapView) { calls.append("stopped") }
        func mapView(_ mapView: MKMapView, didUpdate userLocation: MKUserLocation) { calls.append("located") }
        func mapView(_ mapView: MKMapView, didFailToLocateUserWithError error: any Error) { calls.append("notLocated") }
        func mapView(_ mapView: MKMapView, didChange mode: MKUserTrackingMode, animated: Bool) {
          calls.append("tracks \(mode)")
        }
        func mapView(_ mapView: MKMapView, viewFor annotation: any MKAnnotation) -> MKAnnotationView? {
          annotation is ClusterAnnotation ? nil : own
        }
        func mapView(_ mapView: MKMapView, didAdd views: [MKAnnotationView]) { calls.append("added \(views.count)") }
        func mapView(
          _ mapView: MKMapView, annotationView view: MKAnnotationView, calloutAccessoryControlTapped control: UIControl
        ) { calls.append("tapped") }
        func mapView(
          _ mapView: MKMapView, clusterAnnotationForMemberAnnotations memberAnnotations: [any MKAnnotation]
        ) -> MKClusterAnnotation { MKClusterAnnotation(memberAnnotations: []) }
        func mapView(
          _ mapView: MKMapView, annotationView view: MKAnnotationView, didChange newState: MKAnnotationView.DragState,
          fromOldState oldState: MKAnnotationView.DragState
        ) { calls.append("drags \(newState)") }
        func mapView(_ mapView: MKMapView, didSelect view: MKAnnotationView) { calls.append("selectedView") }
        func mapView(_ mapView: MKMapView, didDeselect view: MKAnnotationView) { calls.append("deselectedView") }
        func mapView(_ mapView: MKMapView, didSelect annotation: any MKAnnotation) { calls.append("selected") }
        func mapView(_ mapView: MKMapView, didDeselect annotation: any MKAnnotation) { calls.append("deselected") }
        func mapView(
          _ mapView: MKMapView, selectionAccessoryFor annotation: any MKAnnotation
        ) -> MKSelectionAccessory? { accessory }
        func mapView(_ mapView: MKMapView, didAdd renderers: [MKOverlayRenderer]) { calls.append("drew") }
      }
      let (map, app) = (
        TestMap(try ClusterTree(cloudyPoints(50), options: BuildOptions(supporting: .spacing))), App()
      )
      try await map.settle()
      map.adapter.delegate = app
      let (mapView, own) = (map.mapView, MKPointAnnotation())
      let delegate = try XCTUnwrap(mapView.delegate)
      mapView.addAnnotation(own)
      mapView.selectAnnotation(own, animated: false)
      mapView.deselectAnnotation(own, animated: false)
      XCTAssertEqual(app.calls, ["added 1", "selectedView", "selected", "deselectedView", "deselected"])
      app.calls = []
      mapView.setVisibleMapRect(.world, animated: true)
      XCTAssertEqual(app.calls, ["willMove", "moves", "moved true"])
      app.calls = []
      delegate.mapViewWillStartLoadingMap(mapView)
      delegate.mapViewDidFinishLoadingMap(mapView)
      delegate.mapViewDidFailLoadingMap(mapView, withError: Failure())
      delegate.mapViewWillStartRenderingMap(mapView)
      delegate.mapViewDidFinishRenderingMap(mapView, fullyRendered: true)
      delegate.mapViewWillStartLocatingUser(mapView)
      delegate.mapViewDidStopLocatingUser(mapView)
      delegate.mapView(mapView, didUpdate: MKUserLocation())
      delegate.mapView(mapView, didFailToLocateUserWithError: Failure())
      delegate.mapView(mapView, didChange: .followWithHeading, animated: true)
      delegate.mapView(mapView, annotationView: app.own, calloutAccessoryControlTapped: UIControl())
      delegate.mapView(mapView, annotationView: app.own, didChange: .dragging, fromOldState: .starting)
      delegate.mapView(mapView, didAdd: [MKOverlayRenderer]())
      XCTAssertEqual(
        app.calls,
        [
          "willLoad", "loaded", "notLoaded", "willRender", "rendered true", "willLocate", "stopped", "located",
          "notLocated", "tracks followWithHeading", "tapped", "drags dragging", "drew",
        ])
      XCTAssertTrue(delegate.mapView(mapView, selectionAccessoryFor: own) === app.accessory)
      XCTAssertTrue(
        delegate.mapView(mapView, clusterAnnotationForMemberAnnotations: [own]).memberAnnotations.isEmpty)
      map.adapter.delegate = nil
      XCTAssertNil(delegate.mapView(mapView, selectionAccessoryFor: own))
      XCTAssertEqual(
        delegate.mapView(mapView, clusterAnnotationForMemberAnnotations: [own]).memberAnnotations.count, 1)
    }

    /// If the app is the map's delegate and calls the adapter, no call comes back to the app.
    func testNoCallGoesInACircle() async throws {
      @MainActor final class App: NSObject, MapViewAdapterDelegate {
        var adapter: MapViewAdapter!
        var count = 0
        func mapView(_ mapView: MKMapView, regionDidChangeAnimated animated: Bool) {
          count += 1
          adapter.mapView(mapView, regionDidChangeAnimated: animated)
        }
        func mapView(_ mapView: MKMapView, viewFor annotation: any MKAnnotation) -> MKAnnotationView? {
          adapter.mapView(mapView, viewFor: annotation)
        }
      }
      let (map, app) = (
        TestMap(try ClusterTree(cloudyPoints(50), options: BuildOptions(supporting: .spacing))), App()
      )
      app.adapter = map.adapter
      map.adapter.delegate = app
      map.mapView.delegate = app
      map.mapView.setVisibleMapRect(MKMapRect(center: .middle, zoom: 5, width: 390, height: 844), animated: false)
      try await map.settle()
      XCTAssertEqual(app.count, 1)
      XCTAssertTrue(map.shown.allSatisfy { map.mapView.view(for: $0) is ClusterBadgeView })
    }
  }

  /// Checks that the adapter sees a turned and tilted map as MapKit draws it.
  @MainActor final class CameraTests: XCTestCase {
    func testHeadingAndPitchDoNotChangeTheZoom() async throws {
      let map = TestMap(try ClusterTree(cloudyPoints(500), options: BuildOptions(supporting: .spacing)))
      try await map.settle()
      for zoom in [2.0, 5.5, 12, 19] {
        for center in [Coordinate.middle, Coordinate(longitude: 179.9999, latitude: -60)] {
          for (heading, pitch) in [(0.0, 0.0), (45, 0), (90, 0), (0, 60), (200, 35)] {
            map.mapView.look(at: MKMapPoint(center), zoom: zoom, heading: heading, pitch: pitch)
            let viewport = try XCTUnwrap(map.adapter.feed.viewport)
            XCTAssertEqual(try XCTUnwrap(viewport.zoom), zoom, accuracy: 1e-5, "\(heading), \(pitch), \(zoom)")
          }
        }
      }
    }

    func testARevealedPointOfATurnedMapIsShownByItself() async throws {
      let points = cloudyPoints(500)
      let map = TestMap(try ClusterTree(points, options: BuildOptions(supporting: .spacing)))
      try await map.settle()
      map.mapView.look(at: MKMapPoint(.middle), zoom: 6, heading: 120, pitch: 40)
      try await map.settle()
      try map.adapter.reveal(row: 7, at: points[7])
      try await map.settle()
      let selected = try XCTUnwrap(map.mapView.selectedAnnotations.first as? ClusterAnnotation)
      XCTAssertEqual(selected.row, 7)
    }

    func testWhereTheMapDrawsNothingTheZoomComesFromTheRectangle() throws {
      let invalid = CLLocationCoordinate2D(latitude: -180, longitude: -180)
      XCTAssertNil(MKMapRect.zoom(at: CGPoint(x: 100, y: 100)) { _ in nil })
      XCTAssertNil(MKMapRect.zoom(at: CGPoint(x: 100, y: 100)) { _ in invalid })
      XCTAssertNil(MKMapRect.zoom(at: .zero) { _ in CLLocationCoordinate2D() })
      XCTAssertNil(MKMapRect.zoom(at: CGPoint(x: 9, y: 9)) { _ in CLLocationCoordinate2D() })
    }
  }
#endif
