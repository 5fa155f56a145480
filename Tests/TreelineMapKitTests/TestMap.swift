#if os(Linux) && canImport(MapKit)
  import MapKit
  import PointSets
  import Treeline
  import TreelineBuilder
  import TreelineMap
  import XCTest

  @testable import TreelineMapKit

  /// A map of 390 by 844 points with an adapter. The test draws its frames and sets its time.
  @MainActor final class TestMap: NSObject, MapViewAdapterDelegate {
    let mapView = MKMapView(frame: CGRect(x: 0, y: 0, width: 390, height: 844))
    let frames = TestFrames()
    let clock = ManualClock()
    private(set) var adapter: MapViewAdapter!
    private(set) var errors: [any Error] = []
    private(set) var selected: [ClusterAnnotation] = []
    private(set) var selectedRows: [Int] = []
    private(set) var opened: [RowNumbers] = []
    private(set) var rests = 0
    /// Returns the app's own view for an annotation, or nil to use the adapter's view.
    var ownView: (any MKAnnotation) -> MKAnnotationView? = { _ in nil }
    /// Updates the app's own view; nil to make a new view.
    var update: ((MKAnnotationView, ClusterAnnotation) -> Void)?
    /// The app's own renderer, for overlays that do not belong to the adapter.
    var ownRenderer: MKOverlayRenderer?
    /// A check that runs after each frame.
    var afterFrame: () -> Void = {}

    init(
      _ tree: ClusterTree, cut: Cut = .spacing(44), texts: BadgeTexts = BadgeTexts(), center: Coordinate = .middle,
      zoom: Double = 4, options: MapViewAdapter.Options = MapViewAdapter.Options()
    ) {
      super.init()
      mapView.visibleMapRect = MKMapRect(center: center, zoom: zoom, width: 390, height: 844)
      adapter = MapViewAdapter(
        mapView, feed: MapFeed(tree, cut: cut, clock: clock), texts: texts, options: options, in: (frames, clock))
      adapter.delegate = self
      mapView.delegate = adapter
    }

    /// Shows `center` at `zoom`, and waits until all badges are at rest.
    func show(_ center: Coordinate = .middle, zoom: Double) async throws {
      mapView.setVisibleMapRect(MKMapRect(center: center, zoom: zoom, width: 390, height: 844), animated: false)
      try await settle()
    }

    /// Waits for the answer for the visible part of the map, and draws frames until all badges are at rest.
    func settle() async throws {
      try await answer()
      settleFrames()
    }

    func settleFrames() { while frames.isRunning { draw() } }

    /// Waits until the answer for the visible part of the map, or an error, has arrived.
    func answer() async throws {
      let failures = errors.count
      for _ in 0..<10_000 {
        if frames.isRunning || errors.count > failures { return }
        try await Task.sleep(for: .milliseconds(1))
      }
      XCTFail("Expected an answer within ten seconds, found none")
    }

    func draw() {
      clock.advance(by: .milliseconds(16))
      frames.draw()
      // If the map creates views later, the views exist from the next frame on.
      defer { if mapView.defersViews { mapView.makeViews() } }
      afterFrame()
    }

    /// Annotations of all badges except those that are leaving.
    var shown: [ClusterAnnotation] { adapter.annotations.filter { !$0.badge.isLeaving } }

    func view(_ annotation: ClusterAnnotation) -> ClusterBadgeView {
      mapView.view(for: annotation) as! ClusterBadgeView
    }

    func mapView(_ mapView: MKMapView, viewFor annotation: any MKAnnotation) -> MKAnnotationView? {
      ownView(annotation)
    }
    func adapter(_ adapter: MapViewAdapter, update view: MKAnnotationView, for annotation: ClusterAnnotation) {
      if let update { update(view, annotation) } else { adapter.replaceView(of: annotation) }
    }
    func adapter(_ adapter: MapViewAdapter, didFail error: any Error) { errors.append(error) }
    func adapter(_ adapter: MapViewAdapter, didSelect annotation: ClusterAnnotation) { selected.append(annotation) }
    func adapter(_ adapter: MapViewAdapter, didSelectRow row: Int) { selectedRows.append(row) }
    func adapter(_ adapter: MapViewAdapter, didOpen stack: ClusterAnnotation, members: RowNumbers) {
      opened.append(members)
    }
    func mapView(_ mapView: MKMapView, rendererFor overlay: any MKOverlay) -> MKOverlayRenderer {
      ownRenderer ?? MKOverlayRenderer(overlay: overlay)
    }
    func adapterDidComeToRest(_ adapter: MapViewAdapter) { rests += 1 }
  }

  extension Coordinate {
    static let middle = Coordinate(longitude: 10, latitude: 50)
  }

  /// Returns points in clouds around the middle. The same seed always gives the same points.
  func cloudyPoints(_ count: Int, seed: UInt64 = 1) -> [Coordinate] {
    var random = SplitMix64(seed: seed)
    let middles = (0..<12).map { _ in
      Coordinate(longitude: .random(in: 0...20, using: &random), latitude: .random(in: 42...58, using: &random))
    }
    return (0..<count).map { index in
      let middle = middles[index % middles.count]
      let spread = 2.0 / Double(1 + index % 7)
      return Coordinate(
        longitude: middle.longitude + .random(in: -spread...spread, using: &random),
        latitude: middle.latitude + .random(in: -spread...spread, using: &random))
    }
  }

  extension MKMapView {
    var addedAnnotations: [any MKAnnotation] {
      events.flatMap { event -> [any MKAnnotation] in
        if case .added(let annotations) = event { annotations } else { [] }
      }
    }
    var removedAnnotations: [any MKAnnotation] {
      events.flatMap { event -> [any MKAnnotation] in
        if case .removed(let annotations) = event { annotations } else { [] }
      }
    }
    var moves: [(annotation: any MKAnnotation, coordinate: CLLocationCoordinate2D)] {
      events.compactMap {
        if case .moved(let annotation, let coordinate, _) = $0 { (annotation, coordinate) } else { nil }
      }
    }
  }
#endif
