import PointSets
import Foundation
import GridBaseline
import Testing
import Treeline
import TreelineBuilder

@_spi(Server) @testable import TreelineComparison

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite struct ReportTests {
  private func report(_ points: [Coordinate], _ projection: Plane.Projection = .webMercator) throws -> ComparisonReport
  {
    let tree = try ClusterTree(points, as: projection)
    let grid = Grid(over: tree)
    return try ComparisonReport(of: [.grid(grid), .breadthFirst(tree)], over: tree, and: grid)
  }

  @Test func theOrderOfTheInputChangesNothing() throws {
    let points = SamplePoints.towns(seed: 8)
    var random = SplitMix64(seed: 1)
    let (one, other) = (try report(points), try report(points.shuffled(using: &random)))
    #expect(one.json == other.json)
    #expect(one.text == other.text)
    #expect(one.html(title: "Towns") == other.html(title: "Towns"))
  }

  @Test func jsonHasItsShape() throws {
    let report = try report(SamplePoints.towns(seed: 3))
    let json = try #require(try JSONSerialization.jsonObject(with: Data(report.json.utf8)) as? [String: Any])
    #expect(json["points"] as? Int == 3_000)
    let views = try #require(json["views"] as? [[String: Any]])
    #expect(views.count == report.views.count)
    for (view, comparison) in zip(views, report.views) {
      let box = comparison.view.box
      #expect(view["bbox"] as? [Double] == [box.west, box.south, box.east, box.north])
      #expect(view["zoom"] as? Double != nil)
      let methods = try #require(view["methods"] as? [[String: Any]])
      #expect(methods.map { $0["name"] as? String } == ["grid", "breadth-first"])
      for (method, result) in zip(methods, comparison.results) {
        #expect(method["clusters"] as? Int == result.clusters.count)
        #expect(method["points"] as? Int == result.pointCount)
        for key in [
          "distortion_px", "distortion_to_grid", "overlap", "closest_pair_px", "grid_look", "on_data_px", "fill",
        ] { #expect(method[key] as? Double != nil, "\(key)") }
      }
    }
    #expect(try self.report([]).json == "{\"points\": 0, \"views\": []}\n")
  }

  @Test func aLoneClusterHasNullsInJSON() throws {
    let json = try report([Coordinate(longitude: 1, latitude: 2)]).json
    #expect(json.contains("\"grid_look\": null, \"neighbour_spread\": null"))
    _ = try JSONSerialization.jsonObject(with: Data(json.utf8))
  }

  @Test func onePointIsSingular() throws {
    let report = try report([Coordinate(longitude: 1, latitude: 2)])
    #expect(report.text.contains(", 1 point\n"), "\(report.text)")
    let html = report.html(title: "Place")
    #expect(!html.contains("1 points") && html.contains("· 1 point<"))
  }

  /// A box of plain coordinates is printed with as many digits as a picture needs.
  @Test func edgesOfAPlaneAreRounded() throws {
    let points = [(0.0, 0.0), (200, 171), (100, 50)].map { Coordinate(x: $0.0, y: $0.1) }
    let line = try #require(try report(points, .planar).text.split(separator: "\n").first { $0.hasPrefix("bbox ") })
    #expect(line.dropFirst(5).split(separator: ",").allSatisfy { $0.count <= 8 }, "\(line)")
  }

  @Test func tablesFitATerminal() throws {
    let text = try report(SamplePoints.towns(seed: 5)).text
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
    #expect(text.contains("*") && text.contains("Every point counted once"))
    #expect(text.split(separator: "\n", omittingEmptySubsequences: false).allSatisfy { !$0.hasSuffix(" ") })
  }

  @Test func htmlNeedsNothingElseAndEscapesItsText() throws {
    let html = try report(SamplePoints.towns(seed: 2)).html(
      title: "<script>alert('&')</script>", credits: ["A & B <c>"])
    #expect(!html.contains("<script"))
    #expect(html.contains("&lt;script&gt;alert(&#39;&amp;&#39;)"))
    #expect(html.contains("A &amp; B &lt;c&gt;"))
    for word in ["http:", "https:", "src=", "url(", "@import", "nan", "inf\""] {
      #expect(!html.contains(word), "\(word)")
    }
  }

  @Test func captionsBelowPicturesSayTheMethodAndTheNumberOfBadges() throws {
    let report = try report(SamplePoints.towns(seed: 6))
    let captions = report.html(title: "Towns").components(separatedBy: "<figcaption><b class=\"t").dropFirst()
    let expected = report.views.flatMap { view in
      zip(report.methods, view.results).map { "\($0.title)</b> \($1.clusters.count) badges · \($0.summary)" }
    }
    #expect(captions.count == expected.count && expected.count >= 6)
    for (caption, text) in zip(captions, expected) {
      #expect(caption.dropFirst(3).hasPrefix(text), "\(caption.prefix(80))")
    }
  }

  @Test(arguments: SamplePoints.nasty.map(\.name), [Plane.Projection.webMercator, .planar]) func picturesAreWellFormed(
    name: String, projection: Plane.Projection
  ) throws {
    let report = try report(SamplePoints.nasty.first { $0.name == name }!.points, projection)
    let land = [[(0.0, 0.0), (30, 0), (30, 30)].map { Coordinate(longitude: $0.0, latitude: $0.1) }]
    let html = report.html(title: name, land: land)
    var rest = html[...]
    var count = 0
    while let start = rest.range(of: "<svg"), let end = rest.range(of: "</svg>") {
      let parser = XMLParser(data: Data(rest[start.lowerBound..<end.upperBound].utf8))
      #expect(parser.parse(), "\(String(describing: parser.parserError))")
      rest = rest[end.upperBound...]
      count += 1
    }
    #expect(count == 2 * report.views.count)
    #expect(projection == .webMercator || !html.contains("class=\"land\""))
  }

  @Test func everyClusterIsDrawn() throws {
    let report = try report(SamplePoints.towns(seed: 7))
    let html = report.html(title: "Towns")
    let shown = report.views.flatMap(\.results).reduce(0) { $0 + $1.clusters.count }
    #expect(html.components(separatedBy: "<circle").count - 1 == shown)
  }

  @Test func theHeadSaysThatItsNumbersAreAverages() throws {
    let tree = try ClusterTree(SamplePoints.towns(seed: 9))
    let grid = Grid(over: tree)
    let methods = [ClusteringMethod.grid(grid), .breadthFirst(tree)]
    let report = try ComparisonReport(of: methods, over: tree, and: grid)
    let html = report.html(title: "Towns")
    #expect(report.views.count > 1 && html.contains("every number here is an average over"))
    #expect(html.contains(" The Breadth-first method ") && !html.contains(" With Breadth-first"))
    let single = try ComparisonReport(of: methods, over: tree, and: grid, in: [report.views[0].view])
    #expect(!single.html(title: "Towns").contains("every number here"))
  }

  @Test func findingsCountWins() throws {
    let report = try report(SamplePoints.towns(seed: 9))
    for measure in ViewMeasure.all {
      guard let finding = Finding(measure, in: report.views) else { continue }
      #expect(finding.wins.reduce(0, +) <= finding.viewCount)
      #expect(finding.means.count == 2)
    }
  }
}
