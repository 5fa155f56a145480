#if os(Linux) && canImport(MapKit)
  import MapKit
  import Observation
  import SwiftUI
  import Treeline
  import TreelineBuilder
  import TreelineMap
  import XCTest

  @testable import TreelineMapKit

  @MainActor final class MapModelTests: XCTestCase {
    private static let tree = try! ClusterTree(cloudyPoints(2000), options: BuildOptions(supporting: .spacing))

    /// A model of a map of 390 by 844 points. The test draws its frames and sets its time.
    @MainActor private final class Scene {
      let frames = TestFrames()
      let clock = ManualClock()
      let model: MapModel
      var afterFrame: () -> Void = {}

      init(_ tree: ClusterTree = MapModelTests.tree, cut: Cut = .spacing(44)) {
        var texts = BadgeTexts { ("Hotel \($0)", nil) }
        texts.clusterTitle = { cluster, _ in "\(cluster.pointCount) hotels" }
        model = MapModel(MapFeed(tree, cut: cut, clock: clock), texts: texts, in: (frames, clock))
        model.size = CGSize(width: 390, height: 844)
      }

      func show(_ center: Coordinate = .middle, zoom: Double) async throws {
        model.show(MKMapRect(center: center, zoom: zoom, width: 390, height: 844))
        try await settle()
      }

      func settle() async throws {
        try await answer()
        while frames.isRunning { draw() }
      }

      func answer() async throws {
        for _ in 0..<10_000 where !frames.isRunning && model.error == nil {
          try await Task.sleep(for: .milliseconds(1))
        }
      }

      func draw() {
        clock.advance(by: .milliseconds(16))
        frames.draw()
        afterFrame()
      }
    }

    /// The SwiftUI view that the documentation shows.
    private struct HotelsMap: View {
      @Bindable var model: MapModel

      var map: Map<MapContentView> {
        Map(position: $model.position, selection: $model.selection) {
          ForEach(model.badges) { badge in
            Annotation(badge.title, coordinate: badge.coordinate) { ClusterBadge(badge) }.annotationTitles(.hidden)
          }
        }
      }

      var body: some View { map.updates(model) }
    }

    func testAMapOfItsBadgesShowsAllPointsEachBadgeByItsID() async throws {
      let scene = Scene()
      try await scene.show(zoom: 4)
      XCTAssertEqual(scene.model.badges.map(\.cluster.pointCount).reduce(0, +), 2000)
      let shown = HotelsMap(model: scene.model).map.shown
      XCTAssertEqual(shown.map(\.id), scene.model.badges.map { AnyHashable($0.id) })
      XCTAssertEqual(Set(shown.map(\.id)).count, shown.count)
      for (annotation, badge) in zip(shown, scene.model.badges) {
        XCTAssertEqual(annotation.title, badge.title)
        XCTAssertEqual(Coordinate(annotation.coordinate), Coordinate(badge.coordinate))
        // VoiceOver reads the label of the badge, which describes all points of the badge.
        XCTAssertEqual(annotation.texts, [badge.accessibilityLabel])
        XCTAssertEqual(badge.number, badge.cluster.pointCount > 1 ? "\(badge.cluster.pointCount)" : nil)
      }
    }

    func testBadgesKeepTheirIDsWhileTheyMoveAndSplitOutOfOneAnother() async throws {
      let scene = Scene()
      try await scene.show(zoom: 4)
      var before = Dictionary(uniqueKeysWithValues: scene.model.badges.map { ($0.id, $0) })
      var gone = Set<MapModel.Badge.ID>()
      var moved = 0
      scene.afterFrame = {
        let now = Dictionary(uniqueKeysWithValues: scene.model.badges.map { ($0.id, $0) })
        XCTAssertTrue(gone.isDisjoint(with: now.keys), "An id came back")
        gone.formUnion(Set(before.keys).subtracting(now.keys))
        for (id, badge) in now {
          guard let old = before[id] else { continue }
          XCTAssertEqual(old.cluster.id, badge.cluster.id)
          if old.coordinate.latitude != badge.coordinate.latitude { moved += 1 }
        }
        var counted = Set<Int>()
        for badge in scene.model.badges where badge.number != nil {
          XCTAssertTrue(counted.isDisjoint(with: badge.cluster.range), "A point is in two numbers")
          counted.formUnion(badge.cluster.range)
        }
        before = now
      }
      for zoom in [5.0, 6.5, 4] { try await scene.show(zoom: zoom) }
      XCTAssertGreaterThan(moved, 100)
      XCTAssertEqual(scene.model.badges.map(\.cluster.pointCount).reduce(0, +), 2000)
    }

    func testItChangesOnlyWhileSomethingMoves() async throws {
      let scene = Scene()
      try await scene.show(zoom: 4)
      nonisolated(unsafe) var changes = 0
      withObservationTracking {
        _ = scene.model.badges
      } onChange: {
        changes += 1
      }
      scene.model.show(MKMapRect(center: .middle, zoom: 4, width: 390, height: 844))
      try await Task.sleep(for: .milliseconds(30))
      XCTAssertFalse(scene.frames.isRunning)
      XCTAssertEqual(changes, 0)
      try await scene.show(zoom: 5)
      XCTAssertEqual(changes, 1)
    }

    func testNothingIsAskedBeforeTheMapHasASize() async throws {
      let scene = Scene()
      scene.model.size = .zero
      scene.model.show(.world)
      XCTAssertNil(scene.model.feed.viewport)
      scene.model.size = CGSize(width: 256, height: 256)
      XCTAssertEqual(scene.model.feed.viewport?.zoom, 0)
    }

    func testAClusterFallsApartAtThePositionInside() async throws {
      let scene = Scene()
      for bars in [0.0, 90] {
        try await scene.show(zoom: 4)
        let badge = try XCTUnwrap(scene.model.badges.max { $0.cluster.pointCount < $1.cluster.pointCount })
        scene.model.selection = badge.id
        XCTAssertNil(scene.model.selection)
        let rect = try XCTUnwrap(scene.model.position.shownRect)
        scene.model.show(
          rect.fitted(in: scene.model.size, margins: UIEdgeInsets(top: bars, left: 0, bottom: bars, right: 0)))
        try await scene.answer()
        while scene.frames.isRunning { scene.draw() }
        XCTAssertFalse(scene.model.badges.contains { $0.cluster.id == badge.cluster.id })
        XCTAssertGreaterThan(scene.model.badges.filter { badge.cluster.isAncestor(of: $0.cluster) }.count, 1)
      }
      let point = try XCTUnwrap(
        Self.tree.clusters(.limit(3000), in: Viewport(.world)).first { $0.pointCount == 1 })
      try await scene.show(point.coordinate, zoom: 16)
      let dot = try XCTUnwrap(scene.model.badges.first { $0.row == point.row })
      XCTAssertEqual(dot.title, "Hotel \(try XCTUnwrap(point.row))")
    }

    func testAnotherTreeAndAnotherCutAreFollowed() async throws {
      let scene = Scene()
      try await scene.show(zoom: 4)
      let count = scene.model.badges.count
      scene.model.cut = .spacing(120)
      try await scene.settle()
      XCTAssertLessThan(scene.model.badges.count, count)
      scene.model.tree = try ClusterTree(cloudyPoints(50), options: BuildOptions(supporting: .spacing))
      try await scene.settle()
      XCTAssertEqual(scene.model.badges.map(\.cluster.pointCount).reduce(0, +), 50)
      let badge = try XCTUnwrap(scene.model.badges.first)
      XCTAssertEqual(scene.model.members(of: badge)?.count, badge.cluster.pointCount)
    }

    func testAMapPassesItsCameraItsSizeAndReduceMotionToTheModel() async throws {
      let scene = Scene()
      scene.model.size = .zero
      let mapView = MKMapView(frame: CGRect(x: 0, y: 0, width: 390, height: 844))
      mapView.look(at: MKMapPoint(.middle), zoom: 5.25, heading: 30, pitch: 50)
      MapProxy.mapView = mapView
      EnvironmentValues.reducesMotion = true
      defer { EnvironmentValues.reducesMotion = false }
      for action in HotelsMap(model: scene.model).body.actions {
        if let action = action as? (MapCameraUpdateContext) -> Void {
          action(MapCameraUpdateContext(rect: mapView.visibleMapRect, heading: 30))
        } else if let action = action as? (GeometryProxy) -> Void {
          action(GeometryProxy(size: mapView.bounds.size))
        }
      }
      XCTAssertEqual(scene.model.size, mapView.bounds.size)
      XCTAssertTrue(scene.model.prefersReducedMotion)
      XCTAssertEqual(try XCTUnwrap(scene.model.feed.viewport?.zoom), 5.25, accuracy: 1e-4)
    }

    func testBadgesAndDotsHaveATargetOf44Points() async throws {
      let scene = Scene()
      try await scene.show(zoom: 9)
      XCTAssertTrue(scene.model.badges.contains { $0.diameter < 20 })
      for annotation in HotelsMap(model: scene.model).map.shown {
        XCTAssertEqual(annotation.targetSize, CGSize(width: 44, height: 44))
      }
    }

    func testBadgesSayWhatTheirOwnTreeSaysAndWithoutOneThereAreNone() async throws {
      let scene = Scene()
      try await scene.show(zoom: 4)
      scene.model.show(MKMapRect(center: .middle, zoom: 6, width: 390, height: 844))
      try await scene.answer()
      for _ in 0..<5 { scene.draw() }
      let names = (0..<30).map { "Museum \($0)" }
      var texts = BadgeTexts { (names[$0], nil) }
      texts.clusterTitle = { cluster, _ in "\(cluster.pointCount) museums" }
      scene.model.show(
        try ClusterTree(cloudyPoints(30), options: BuildOptions(supporting: .spacing)), texts: texts)
      for badge in scene.model.badges { _ = scene.model.members(of: badge) }
      scene.model.show(MKMapRect(center: .middle, zoom: 4, width: 390, height: 844))
      // The answer for the earlier viewport may still arrive.
      for _ in 0..<10_000
      where scene.frames.isRunning || scene.model.badges.map(\.cluster.pointCount).reduce(0, +) != 30 {
        try await Task.sleep(for: .milliseconds(1))
        while scene.frames.isRunning { scene.draw() }
      }
      XCTAssertEqual(scene.model.badges.map(\.cluster.pointCount).reduce(0, +), 30)
      XCTAssertTrue(scene.model.badges.allSatisfy { $0.title.lowercased().contains("museum") })
      scene.model.tree = nil
      XCTAssertTrue(scene.model.badges.isEmpty)
    }

    func testFramesOfTasksEndWithWhoeverHasThem() async throws {
      var count = 0
      do {
        let frames = TimedFrames()
        frames.start { count += 1 }
        for _ in 0..<2000 where count < 3 { try await Task.sleep(for: .milliseconds(1)) }
        withExtendedLifetime(frames) {}
      }
      let last = count
      try await Task.sleep(for: .milliseconds(60))
      XCTAssertEqual(count, last)
    }

    func testByALimitThePositionInsideIsThatOfTheClustersPoints() async throws {
      let scene = Scene(cut: .limit(8))
      try await scene.show(zoom: 4)
      let badge = try XCTUnwrap(scene.model.badges.max { $0.cluster.pointCount < $1.cluster.pointCount })
      scene.model.zoom(into: badge)
      let rect = try XCTUnwrap(scene.model.position.shownRect)
      XCTAssertEqual(try XCTUnwrap(BoundingBox(rect)).west, badge.cluster.bounds.west, accuracy: 1e-6)
    }

    func testWhyThereIsNoAnswerIsTold() async throws {
      let scene = Scene(try ClusterTree(cloudyPoints(10)))
      scene.model.show(.world)
      try await scene.answer()
      XCTAssertTrue(scene.model.error is QueryError)
    }

    func testAnErrorStaysUntilAQuerySucceeds() async throws {
      let scene = Scene()
      try await scene.show(zoom: 4)
      scene.model.show(MKMapRect(center: .middle, zoom: 6, width: 390, height: 844))
      try await scene.answer()
      scene.model.cut = .badges()
      for _ in 0..<10_000 where scene.model.error == nil { try await Task.sleep(for: .milliseconds(1)) }
      // The badges of the latest answer still move.
      scene.draw()
      XCTAssertTrue(scene.model.error is QueryError)
      while scene.frames.isRunning { scene.draw() }
      XCTAssertTrue(scene.model.error is QueryError)
      scene.model.cut = .spacing(60)
      for _ in 0..<10_000 where scene.model.error != nil { try await Task.sleep(for: .milliseconds(1)) }
      XCTAssertNil(scene.model.error)
      scene.model.cut = .badges()
      for _ in 0..<10_000 where scene.model.error == nil { try await Task.sleep(for: .milliseconds(1)) }
      scene.model.tree = nil
      XCTAssertNil(scene.model.error)
    }

    func testFramesOfTasksComeUntilTheyAreStopped() async throws {
      let frames = TimedFrames()
      var count = 0
      frames.start { count += 1 }
      for _ in 0..<2000 where count < 3 { try await Task.sleep(for: .milliseconds(1)) }
      frames.stop()
      let last = count
      XCTAssertGreaterThanOrEqual(last, 3)
      try await Task.sleep(for: .milliseconds(60))
      XCTAssertEqual(count, last)
    }
  }
#endif
