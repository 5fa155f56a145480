import Foundation
import GridBaseline
import PointSets
import Testing
import Treeline
import TreelineBuilder

@_spi(Server) @testable import TreelineComparison

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite struct JourneyTests {
  @Test(arguments: [UInt64(3), 4]) func aFlightIsTheSameForAnyOrderOfTheInput(seed: UInt64) throws {
    let points = SamplePoints.towns(seed: seed)
    var random = SplitMix64(seed: seed)
    var options = ComparisonOptions()
    options.journey = .flight
    let one = try Compared(points).report(options)
    let other = try Compared(points.shuffled(using: &random)).report(options)
    #expect(one.journey != nil)
    #expect(one.json == other.json)
    #expect(one.text == other.text)
    #expect(one.html(title: "Towns") == other.html(title: "Towns"))
  }

  @Test(arguments: UInt64(1)...6, [Plane.Projection.webMercator, .planar]) func aFlightDivesPansAndRises(
    seed: UInt64, projection: Plane.Projection
  ) throws {
    let compared = try Compared(SamplePoints.towns(seed: seed), as: projection)
    let views = try Flight(choice: ViewChoice(tree: compared.tree, grid: compared.grid, size: .standard)).views()
    let moves = zip(views, views.dropFirst()).map { Move(from: $0, to: $1) }
    #expect(views.first == views.last)
    #expect(!moves.contains(.other), "seed \(seed)")
    // There are three round trips with four pans each. The journey first only zooms in, and then only zooms out.
    #expect(moves.count { $0 == .pan } == 12, "seed \(seed)")
    #expect(moves.lastIndex(of: .zoomIn)! < moves.firstIndex(of: .zoomOut)!, "seed \(seed)")
    // Views that a pan leads to are left out. Each of the other views lies inside all views at lower zooms.
    let still = views.enumerated().filter { $0.offset == 0 || moves[$0.offset - 1] != .pan }.map(\.element)
    for (one, other) in zip(still.sorted { $0.zoom < $1.zoom }, still.sorted { $0.zoom < $1.zoom }.dropFirst())
    where one.zoom < other.zoom { #expect(Move(from: one, to: other) == .zoomIn, "seed \(seed)") }
  }

  @Test(arguments: UInt64(1)...6) func cutsNeverTearAndSomeNeverMoveOnAPan(seed: UInt64) throws {
    let journey = try #require(try Compared(SamplePoints.towns(seed: seed)).journey())
    for result in journey.results {
      let measures = result.measures
      #expect(result.method.name == "grid" || measures[.nestedness] == 0, "seed \(seed), \(result.method.name)")
      if ["grid", "detail", "spacing/merge:distance"].contains(result.method.name) {
        #expect(measures[.panPersistence] == 1, "seed \(seed), \(result.method.name)")
      }
      if result.method.name == "spacing/merge:distance" {
        #expect(measures[.overlap] == 0 && measures[.closestPair]! >= 44, "seed \(seed)")
      }
      if ["breadth-first", "widest-first", "detail"].contains(result.method.name) {
        #expect(result.clusterCount <= Double(journey.limit), "seed \(seed), \(result.method.name)")
      }
    }
    #expect(journey.results[0].measures[.nestedness]! > 0.01, "a grid does tear, seed \(seed)")
  }

  @Test func thereIsNoJourneyWhereThereIsNothingToSee() throws {
    #expect(try Compared([]).journey() == nil)
    #expect(try Compared([Coordinate(longitude: 1, latitude: 2)], as: .planar).journey() == nil)
  }

  @Test(arguments: SamplePoints.nasty.map(\.name), [Plane.Projection.webMercator, .planar])
  func nastySetsAreFlownThrough(name: String, projection: Plane.Projection) throws {
    let compared = try Compared(SamplePoints.nasty.first { $0.name == name }!.points, as: projection)
    var options = ComparisonOptions()
    options.journey = .flight
    let report = try compared.report(options)
    for measures in report.journey?.results.map(\.measures) ?? [] {
      #expect(measures[.nestedness] ?? 0 >= 0)
      #expect(0...1 ~= measures[.panPersistence] ?? 0)
      #expect(measures[.movement]?.isFinite ?? true)
    }
    var rest = report.html(title: name)[...]
    #expect(!rest.contains("nan") && !rest.contains("inf\""))
    while let start = rest.range(of: "<svg"), let end = rest.range(of: "</svg>") {
      let parser = XMLParser(data: Data(rest[start.lowerBound..<end.upperBound].utf8))
      #expect(parser.parse(), "\(String(describing: parser.parserError))")
      rest = rest[end.upperBound...]
    }
  }

  @Test func everyFrameSaysWhatItShows() throws {
    var options = ComparisonOptions()
    options.journey = .flight
    let report = try Compared(SamplePoints.towns(seed: 5)).report(options)
    let html = report.html(title: "Towns")
    let steps = FilmStrip(journey: report.journey!, land: nil).steps
    #expect(steps == steps.sorted() && Set(steps).count == 8)
    for method in report.methods {
      #expect(html.components(separatedBy: "aria-label=\"\(method.title), ").count - 1 == 8)
    }
    #expect(html.utf8.count < 2_000_000)
  }

  @Test func aMethodWithoutFixedClustersStaysAtHome() throws {
    let compared = try Compared(SamplePoints.towns(seed: 6))
    let (tree, grid) = (compared.tree, compared.grid)
    var options = ComparisonOptions()
    options.journey = .flight
    options.kMeans = { points, _ in points.map { _ in 0 } }
    let methods: [ClusteringMethod] = [.kMeans(options.kMeans!, of: tree), .breadthFirst(tree)]
    let report = try ComparisonReport(of: methods, over: tree, and: grid, options: options)
    #expect(report.views[0].results.count == 2)
    #expect(report.journey?.results.map(\.method.name) == ["breadth-first"])
  }
}
