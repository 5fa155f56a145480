import Foundation
import PointSets
import TestSupport
import Testing
@_spi(Server) @testable import Treeline

/// Checks that a query can be written as a command line, as a URL and as JSON, and that all three are read as the same
/// query.
@Suite struct QueryParametersTests {
  @Test(arguments: 700..<702 as Range<UInt64>) func everySpellingIsReadBack(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<Trials.count(2000) {
      let query = Query.random(&random)
      let pairs = query.parameters.map { (name: $0.name, value: "\($0.value)") }

      // Reads the query from a command line.
      let options = pairs.flatMap { ["--" + $0.name, $0.value] }
      let names = stride(from: 0, to: options.count, by: 2)
      var fromOptions = QueryParameters(names.map { (name: String(options[$0].dropFirst(2)), value: options[$0 + 1]) })
      #expect(Query(&fromOptions) == query && fromOptions.faults.isEmpty, "\(options)")

      // Reads the query from a URL.
      var components = URLComponents()
      components.queryItems = pairs.map { URLQueryItem(name: $0.name, value: $0.value) }
      let text = try #require(components.string)
      let items = try #require(URLComponents(string: text)?.queryItems)
      var fromURL = QueryParameters(items.map { (name: $0.name, value: $0.value ?? "") })
      #expect(Query(&fromURL) == query, "\(text)")
      fromURL.refuseUnread()
      #expect(fromURL.faults.isEmpty, "\(text)")

      // Reads the query from JSON, as a whole and as its two parts.
      let json = try JSONEncoder().encode(query)
      let object = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
      #expect(Set(object.keys) == Set(pairs.map(\.name)))
      #expect(try JSONDecoder().decode(Query.self, from: json) == query)
      let parts = try (JSONEncoder().encode(query.cut), JSONEncoder().encode(query.viewport))
      #expect(try JSONDecoder().decode(Cut.self, from: parts.0) == query.cut)
      #expect(try JSONDecoder().decode(Viewport.self, from: parts.1) == query.viewport)
    }
  }

  /// The names of parameters are public: users have stored queries and must still be able to read them.
  @Test func namesAndValuesAreThese() throws {
    let view = Viewport(BoundingBox(west: 2.2, south: 48.8, east: 2.5, north: 48.9), zoom: 11.5)
    func text(_ query: Query) -> String { query.parameters.map { "\($0.name)=\($0.value)" }.joined(separator: "&") }
    #expect(text(Query(.spacing(44).atMost(500), in: view)) == "bbox=2.2,48.8,2.5,48.9&zoom=11.5&spacing=44&limit=500")
    #expect(
      text(Query(.limit(20, order: .widestFirst, continuity: .continuing), in: .everything))
        == "limit=20&order=widest-first&continuing=true")
    #expect(
      text(
        Query(
          .detail(20.5).unclustered(UnclusteredPoints(leastMembers: 4, fromZoom: 17)),
          in: Viewport(
            center: Coordinate(longitude: 2, latitude: 48), zoom: 3, width: 800, height: 600, tileSize: .pixels512)))
        == "center=2,48&zoom=3&width=800&height=600&tile-size=512&detail=20.5&min-points=4&alone-from-zoom=17")
    let json = #"{"zoom":4,"spacing":44,"bbox":[-1,50,1,52]}"#
    #expect(
      try JSONDecoder().decode(Query.self, from: Data(json.utf8))
        == Query(.spacing(44), in: Viewport(BoundingBox(west: -1, south: 50, east: 1, north: 52), zoom: 4)))
  }

  @Test(arguments: [
    (["limit": "0"], "limit must be a whole number, 1 or more, found 0."),
    (["detail": "9"], "detail is in pixels and needs zoom, or bbox with width and height."),
    (["detail": "9", "spacing": "9", "zoom": "3"], "detail and spacing exclude each other; choose one."),
    (["detail": "-1", "zoom": "3"], "detail must be a number of pixels, 0 or more, found -1."),
    (["zoom": "33"], "zoom must be a number from 0 to 32, found 33."),
    (["center": "2,48"], "center needs zoom, width and height."),
    (["center": "2,48", "zoom": "3"], "center needs width and height."),
    (["center": "2,48", "width": "300", "height": "200"], "center needs zoom."),
    (["center": "2,48", "zoom": "3", "width": "300"], "width needs height."),
    (["bbox": "1,2,3"], "bbox must be four numbers (west,south,east,north), such as 2.2,48.8,2.5,48.9, found 1,2,3."),
    (["order": "deepest-first"], "order must be breadth-first or widest-first or steepest-first, found deepest-first."),
    (["tile-size": "512"], "tile-size needs zoom or tile, because a tile size applies only to a zoom."),
    (["tile": "3,4,2", "width": "9", "height": "9"], "tile and width exclude each other; choose one."),
    (
      ["bbox": "1, 2, 3, x"],
      "bbox must be four numbers (west,south,east,north), such as 2.2,48.8,2.5,48.9, found 1, 2, 3, x."
    ),
    (["colour": "red"], "there is no parameter colour."),
    (
      ["tile": "1,2,0", "tile-size": "512", "spacing": "44", "margin": "8"],
      "tile must be a zoom from 0 to 24, and a column and a row that exist at this zoom, found 1,2,0."
    ), (["tile-size": "300"], "tile-size must be 256 or 512, found 300."),
  ]) func faultsAreTold(_ values: [String: String], message: String) {
    var parameters = QueryParameters(values.map { (name: $0, value: $1) })
    _ = Query(&parameters)
    parameters.refuseUnread()
    #expect(parameters.faults.first?.message { $0 } == message)
    let isLone = Set(values.keys).isSuperset(of: ["tile-size", "tile"]) || values == ["tile-size": "300"]
    if isLone { #expect(parameters.faults.count == 1, "\(parameters.faults)") }
  }

  /// Reads two queries from one list of parameters. The prefixes of the names tell which query a parameter belongs to.
  @Test(arguments: 720..<722 as Range<UInt64>) func severalQueriesAreToldApart(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<Trials.count(500) {
      let (first, second) = (Query.random(&random), Query.random(&random))
      var pairs: [(name: String, value: String)] = []
      for (prefix, query) in [("from-", first), ("to-", second)] {
        pairs += query.parameters.map { (prefix + $0.name, "\($0.value)") }
      }
      var parameters = QueryParameters(pairs.sorted { _, _ in random.index(below: 2) == 0 })
      let read = (
        parameters.read(prefix: "from-") { Query(&$0) }, parameters.read(prefix: "to-") { Query(&$0) }
      )
      parameters.refuseUnread()
      #expect(read == (first, second) && parameters.faults.isEmpty, "\(pairs)")
    }
  }

  @Test func whatIsSharedGivesWayByGroups() {
    func cuts(_ pairs: [(String, String)]) -> (Cut, Cut, [String]) {
      var parameters = QueryParameters(pairs.map { (name: $0, value: $1) })
      let first = parameters.read(prefix: "a-", sharing: Query.sharedParameters) { Cut(&$0) }
      let second = parameters.read(prefix: "b-", sharing: Query.sharedParameters) { Cut(&$0) }
      return (first, second, parameters.faults.map(\.name))
    }
    #expect(cuts([("spacing", "44"), ("a-detail", "9")]) == (.detail(9), .spacing(44), []))
    #expect(
      cuts([("spacing", "44"), ("a-order", "widest-first"), ("limit", "7")]) == (
        .limit(7, order: .widestFirst), .spacing(44).atMost(7), []
      ))
    #expect(cuts([("limit", "7"), ("b-limit", "8")]) == (.limit(7), .limit(8), []))
    // `min-points` without a prefix applies only to the queries whose cut supports unclustered points.
    let alone = UnclusteredPoints(leastMembers: 4)
    #expect(cuts([("min-points", "4"), ("b-detail", "9")]) == (.limit(100), .detail(9).unclustered(alone), []))
    #expect(cuts([("a-min-points", "4"), ("b-detail", "9")]).2 == ["a-min-points"])
    #expect(cuts([("spacing", "x")]).2 == ["spacing"] && cuts([("b-colour", "x")]).2 == ["b-colour"])
  }

  @Test func faultsOfJSONAreDecodingErrors() {
    for json in [#"{"limit": 0}"#, #"{"spacing": 4, "detail": 4, "zoom": 3}"#, #"{"limt": 4}"#, "3"] {
      #expect(throws: DecodingError.self) { try JSONDecoder().decode(Query.self, from: Data(json.utf8)) }
    }
  }

  @Test(arguments: [
    (#"{"zoom": "abc"}"#, "zoom must be a number, found abc."),
    (#"{"limit": []}"#, "limit must be a whole number, 1 or more, found nothing."),
    (#"{"limit": ""}"#, "limit must be a whole number, 1 or more, found nothing."),
    (#"{"limit": 10.5}"#, "limit must be a whole number, 1 or more, found 10.5."),
    (
      #"{"center": [2, 48], "zoom": 3, "width": 0, "height": 9}"#,
      "width must be a number of pixels greater than 0, found 0."
    ),
    (#"{"center": [2, 48]}"#, "center needs zoom, width and height."),
    (#"{"bbox": [1, 2, 3, 4], "zoom": 3, "margin": -1}"#, "margin must be a number, 0 or more, found -1."),
  ]) func faultsOfJSONSayWhatIsExpected(_ json: String, message: String) {
    let error = #expect(throws: DecodingError.self) { try JSONDecoder().decode(Query.self, from: Data(json.utf8)) }
    let context = if case .dataCorrupted(let context)? = error { context } else { nil as DecodingError.Context? }
    #expect(context?.debugDescription == message)
  }

  /// Checks that zooms of MapLibre, whose tiles have 512 px, are one less than zooms of tiles of 256 px.
  @Test func zoomsAreOfTheirTiles() throws {
    let viewport = Viewport(.world, zoom: 3, tileSize: .pixels512)
    #expect(viewport.zoom == 3 && viewport.tileSize == .pixels512)
    let tree = try PointSet.cities(500, seed: 172).tree()
    let box = BoundingBox(west: -20, south: 30, east: 40, north: 70)
    #expect(
      try tree.clusters(.detail(20), in: Viewport(box, zoom: 4))
        == tree.clusters(.detail(20), in: Viewport(box, zoom: 3, tileSize: .pixels512)))
    let root = try #require(tree.root)
    let zoom = try #require(try tree.separationZoom(of: root.id, for: .detail(20)))
    #expect(try tree.separationZoom(of: root.id, for: .detail(20), tileSize: .pixels512) == zoom - 1)
  }

  @Test func aMarginLooksFarther() throws {
    let plane = Plane.webMercator(seam: 77)
    let box = BoundingBox(west: 170, south: -10, east: -170, north: 10)
    let window = try #require(try Viewport(box, zoom: 4).located(on: plane)).window
    let wider = try #require(try Viewport(box, zoom: 4, margin: 32).located(on: plane)).window
    let units = UInt32(32 * Plane.unitsPerPixel(zoom: 4))
    #expect(wider.x == window.x &- units && wider.width == window.width + 2 * units)
    #expect(wider.minY == window.minY - units && wider.maxY == window.maxY + units)
    #expect(try Viewport(.world, zoom: 0, margin: 99).located(on: plane)?.window == .everything)
    let plain = Plane.planar(left: 0, top: 100, side: 100)
    let corner = try #require(
      try Viewport(BoundingBox(west: 0, south: 90, east: 10, north: 100), zoom: 2, margin: 8).located(on: plain)
    ).window
    #expect(corner.x == 0 && corner.minY == 0 && corner.width > 1 << 28)
  }
}
