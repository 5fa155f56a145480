#if os(Linux) && canImport(MapKit)
  import MapKit
  import SwiftUI
  import Treeline
  import TreelineMapKit
  import XCTest

  @testable import HotelsExample

  /// Checks the sources of the example. On a Mac, the example can be opened.
  @MainActor final class HotelsExampleTests: XCTestCase {
    func testHotelsAreMadeUpAroundCitiesAndOnTheEarth() {
      let hotels = Hotel.sample(1000)
      XCTAssertEqual(hotels.count, 1000)
      XCTAssertTrue(hotels.allSatisfy { abs($0.coordinate.longitude) <= 180 && abs($0.coordinate.latitude) < 60 })
      XCTAssertEqual(Set(hotels.map(\.name)).count, 1000)
    }

    func testItTellsThatTheTreeIsBeingBuilt() { XCTAssertEqual(ContentView().texts, ["Building…"]) }

    func testTheMapViewShowsAllHotels() async throws {
      let hotels = try await Hotel.map(of: Hotel.sample(500))
      let controller = HotelsViewController(hotels)
      controller.viewDidLoad()
      let mapView = try XCTUnwrap(controller.view.subviews.first as? MKMapView)
      XCTAssertEqual(mapView.bounds.size, controller.view.bounds.size)
      // This is the last view that the delegate gets. It contains all hotels.
      mapView.setVisibleMapRect(.world, animated: false)
      func counts() -> [Int] { mapView.annotations.compactMap { ($0 as? ClusterAnnotation)?.pointCount } }
      for _ in 0..<10_000 where counts().reduce(0, +) < 500 || UIUpdateLink.enabledCount > 0 {
        try await Task.sleep(for: .milliseconds(1))
        UIUpdateLink.update()
      }
      XCTAssertEqual(counts().reduce(0, +), 500)
      XCTAssertGreaterThan(counts().count, 1)
    }

    func testTheModelShowsAllHotels() async throws {
      let model = MapModel(try await Hotel.map(of: Hotel.sample(500)))
      model.size = CGSize(width: 390, height: 844)
      model.show(MKMapRect(center: Coordinate(longitude: 0, latitude: 0), zoom: 1, width: 390, height: 844))
      var count: Int { model.badges.map(\.cluster.pointCount).reduce(0, +) }
      for _ in 0..<10_000 where count < 500 { try await Task.sleep(for: .milliseconds(1)) }
      XCTAssertEqual(count, 500)
      XCTAssertFalse(HotelsMap(model: model).body.texts.isEmpty)
    }
  }
#endif
