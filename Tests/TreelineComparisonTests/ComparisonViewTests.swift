import Foundation
import GridBaseline
import Testing
@_spi(Server) import Treeline
import TreelineBuilder

@_spi(Server) @testable import TreelineComparison

@Suite struct ComparisonViewTests {
  private let plane = Plane.webMercator(seam: 123_456_789)

  @Test func aBoxFillsTheSizeOneWay() throws {
    let wide = try ComparisonView(
      Viewport(BoundingBox(west: 0, south: 0, east: 40, north: 5), width: 1024, height: 768), on: plane)
    #expect(abs(wide.width - 1024) < 1e-6 && wide.height < 768)
    let tall = try ComparisonView(
      Viewport(BoundingBox(west: 0, south: 0, east: 5, north: 40), width: 1024, height: 768), on: plane)
    #expect(abs(tall.height - 768) < 1e-6 && tall.width < 1024)
  }

  @Test func acrossTheAntimeridianIsOnePiece() throws {
    let view = try ComparisonView(
      Viewport(
        BoundingBox(west: 170, south: -20, east: -170, north: 0), width: 1024, height: 768), on: plane)
    for (longitude, share) in [(170.0, 0.0), (175, 0.25), (180, 0.5), (-180, 0.5), (-175, 0.75), (-170, 1)] {
      let point = plane.point(at: Coordinate(longitude: longitude, latitude: -10))
      #expect(abs(view.pixel(of: point).x - share * view.width) < 1e-3)
      #expect(abs(view.pixel(x: Double(point.x), y: Double(point.y)).x - share * view.width) < 1e-3)
    }
    // A position that is just outside the view stays just outside.
    let off = plane.point(at: Coordinate(longitude: 169, latitude: -10))
    #expect(view.pixel(x: Double(off.x), y: Double(off.y)).x < 0)
  }

  @Test func localizedDescriptionIsTheMessage() {
    let error = ComparisonError.limitBelowOne(found: 0)
    #expect((error as any Error).localizedDescription == error.description)
  }

  @Test func whatCannotBeShownIsRefused() throws {
    let box = BoundingBox(west: 0, south: 0, east: 1, north: 1)
    let line = BoundingBox(west: 0, south: 0, east: 1, north: 0)
    #expect(throws: ComparisonError.boxWithoutArea(found: line)) {
      try ComparisonView(Viewport(line, width: 1024, height: 768), on: plane)
    }
    #expect(throws: QueryError.self) { try ComparisonView(Viewport(box, zoom: .nan), on: plane) }
    #expect(throws: QueryError.self) { try ComparisonView(Viewport(box, width: 0, height: 10), on: plane) }
    for viewport in [.everything, Viewport(box)] {
      #expect(throws: ComparisonError.notAPicture(found: viewport)) { try ComparisonView(viewport, on: plane) }
    }
    #expect(throws: ComparisonError.self) { try ComparisonView(Viewport(box, zoom: 20), on: plane) }
    #expect(throws: ComparisonError.boxOffPlane(found: box)) {
      try ComparisonView(Viewport(box, zoom: 1), on: .planar(left: 5, top: 5, side: 2))
    }
    let tree = try ClusterTree([Coordinate(longitude: 0, latitude: 0)])
    #expect(throws: ComparisonError.limitBelowOne(found: 0)) {
      try ComparisonReport(
        of: [.breadthFirst(tree)], over: tree, and: Grid(over: tree), options: ComparisonOptions(limit: 0))
    }
  }

  @Test(arguments: UInt64(1)...6) func chosenViewsGetDenser(seed: UInt64) throws {
    let tree = try ClusterTree(SamplePoints.towns(seed: seed, count: 6_000))
    let report = try ComparisonReport(of: [.breadthFirst(tree)], over: tree, and: Grid(over: tree))
    #expect(2...5 ~= report.views.count, "seed \(seed)")
    #expect(report.views[0].pointCount == tree.pointCount)
    for (before, after) in zip(report.views, report.views.dropFirst()) {
      #expect(after.view.zoom > before.view.zoom && after.view.zoom == after.view.zoom.rounded())
      #expect(after.pointCount < before.pointCount && after.pointCount >= ViewChoice.leastPointCount)
      #expect(abs(after.view.width - 1024) < 0.1, "seed \(seed)")
    }
    // The box of a view in a report gives the same view again.
    for comparison in report.views {
      let options = ComparisonOptions(viewport: Viewport(comparison.view.box, zoom: comparison.view.zoom))
      #expect(
        try ComparisonReport(of: [.breadthFirst(tree)], over: tree, and: Grid(over: tree), options: options).views[0]
          .view == comparison.view)
    }
  }

  @Test(arguments: UInt64(1)...6) func theSplitRuleMakesNoDifferenceToViews(seed: UInt64) throws {
    func report(_ rule: SplitRule) throws -> ComparisonReport {
      let tree = try ClusterTree(SamplePoints.towns(seed: seed, count: 6_000), options: BuildOptions(splitRule: rule))
      var options = ComparisonOptions()
      options.journey = .flight
      return try ComparisonReport(of: [.breadthFirst(tree)], over: tree, and: Grid(over: tree), options: options)
    }
    let mean = try report(.mean)
    #expect(mean.views.count > 1)
    for rule in [SplitRule.leastScatter, .gamma(1.5)] {
      let other = try report(rule)
      #expect(other.views.map(\.view) == mean.views.map(\.view), "\(rule), seed \(seed)")
      #expect(other.journey!.views == mean.journey!.views, "\(rule), seed \(seed)")
    }
  }

  @Test(arguments: SamplePoints.nasty.map(\.name), [Plane.Projection.webMercator, .planar]) func nastySetsHaveViews(
    name: String, projection: Plane.Projection
  ) throws {
    let tree = try ClusterTree(SamplePoints.nasty.first { $0.name == name }!.points, as: projection)
    let views = try ComparisonReport(of: [.breadthFirst(tree)], over: tree, and: Grid(over: tree)).views
    #expect(views.isEmpty == (tree.pointCount == 0 || (projection == .planar && tree.root!.rect.isPoint)))
    #expect(views.first.map { $0.pointCount == tree.pointCount } ?? true)
  }
}
