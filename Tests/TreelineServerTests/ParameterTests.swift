import Testing
@_spi(Server) import Treeline
import TreelineBuilder

@testable import TreelineServer

@Suite struct ParameterTests {
  /// Checks that the answer to a malformed value names the parameter and says what the server expected.
  @Test(arguments: [
    ("clusters?limit=0", "limit"), ("clusters?limit=10001", "limit"), ("clusters?limit=1e3", "limit"),
    ("clusters?limit=", "limit"), ("clusters?limit=5&limit=6", "limit"), ("clusters?bbox=1,2,3", "bbox"),
    ("clusters?bbox=1,2,3,x", "bbox"), ("clusters?bbox=1,2,3,nan", "bbox"), ("clusters?bbox=1,50,3,40", "bbox"),
    ("clusters?bbox=1,2,3,4e999", "bbox"), ("clusters?bbox=0x1,2,3,4", "bbox"), ("clusters?zoom=-1", "zoom"),
    ("clusters?zoom=33", "zoom"), ("clusters?zoom=inf", "zoom"), ("clusters?order=deepest-first", "order"),
    ("clusters?method=kmeans", "method"), ("clusters?detail=20", "zoom"), ("clusters?spacing=20", "zoom"),
    ("clusters?zoom=5&detail=-1", "detail"), ("clusters?zoom=5&detail=2&spacing=3", "spacing"),
    ("clusters?zoom=5&detail=2&order=breadth-first", "order"), ("clusters?min-points=3", "min-points"),
    ("clusters?zoom=5&detail=2&min-points=1", "min-points"), ("clusters?alone-from-zoom=3", "alone-from-zoom"),
    ("clusters?position=middle", "position"), ("clusters?keep-visible=yes", "keep-visible"),
    ("clusters?ellipses=1", "ellipses"), ("clusters?method=grid", "zoom"),
    ("clusters?method=grid&zoom=5&limit=5", "limit"), ("clusters?method=grid&zoom=5&cell=0", "cell"),
    ("clusters?cell=5", "cell"), ("clusters?width=100", "height"), ("clusters?height=100", "width"),
    ("clusters?width=100&height=100", "bbox"), ("clusters?bbox=0,0,1,1&width=0&height=9", "width"),
    ("clusters?center=2,48", "zoom"), ("clusters?center=2,48&zoom=5", "width"),
    ("clusters?center=2&zoom=5&width=9&height=9", "center"),
    ("clusters?center=2,48&bbox=0,0,1,1&zoom=5&width=9&height=9", "center"),
    ("clusters?center=1,91&zoom=3&width=9&height=9", "center"), ("clusters?zoom=5&tile-size=128", "tile-size"),
    ("clusters?zoom=5&margin=-1", "margin"), ("clusters?margin=9", "zoom"), ("clusters?zoom=5&margin=16385", "margin"),
    ("clusters?tile=3,4", "tile"),
    ("clusters?tile=3,8,0", "tile"), ("clusters?tile=0.5,0,0", "tile"), ("clusters?tile=25,0,0", "tile"),
    ("clusters?tile=3,4,2&bbox=0,0,1,1", "bbox"), ("clusters?tile=3,4,2&zoom=3", "zoom"),
    ("measures?tile=3,4,2&center=1,1&zoom=3&width=9&height=9", "center"), ("measures?tile=3,8,2", "tile"),
    ("measures?zoom=3&tile-size=x", "tile-size"), ("measures?zoom=3&margin=x", "margin"),
    ("clusters?colour=red", "colour"),
    ("clusters?limit", "limit"), ("clusters/x", "id"), ("clusters/9007199254740992", "id"),
    ("clusters/0/members?limit=1001", "limit"), ("clusters/0/members?offset=-1", "offset"),
    ("clusters/0/expansion-zoom", "spacing"), ("clusters/0/expansion-zoom?detail=2&spacing=2", "spacing"),
    ("where-is", "row"), ("where-is?row=x", "row"), ("measures", "zoom"), ("measures?zoom=20", "bbox"),
    ("transition?continuing=true&zoom=5&detail=9", "continuing"), ("transition?from-limit=0", "from-limit"),
    ("transition?from-detail=3", "from-zoom"), ("transition?from-min-points=3", "from-min-points"),
    ("transition?from-colour=3", "from-colour"), ("transition?from-bbox=1", "from-bbox"), ("transition?tile=1", "tile"),
    ("transition?tile-size=1", "tile-size"),
    ("transition?margin=x", "margin"), ("transition?from-tile=1", "from-tile"),
    ("transition?from-tile=3,4,2&from-zoom=3", "from-zoom"), ("transition?from-tile-size=1", "from-tile-size"),
    ("transition?from-margin=x", "from-margin"), ("where-is?row=1&min-points=3", "min-points"),
    ("where-is?row=1&detail=2&min-points=1", "min-points"),
    ("where-is?row=1&detail=2&alone-from-zoom=33", "alone-from-zoom"),
    ("clusters/0/expansion-zoom?detail=2&min-points=1", "min-points"),
    ("clusters/0/expansion-zoom?detail=2&alone-from-zoom=33", "alone-from-zoom"),
    ("tiles/0/0/0.mvt?spacing=-1", "spacing"),
    ("tiles/0/0/0.mvt?spacing=1&detail=1", "spacing"), ("tiles/0/0/0.mvt?buffer=129", "buffer"),
    ("tiles/0/0/0.mvt?tile-size=100", "tile-size"), ("tiles/z/0/0.mvt", "z"), ("tiles.json?zoom=3", "zoom"),
  ]) func faultsAreNamed(_ path: String, _ name: String) async throws {
    let client = try TestServer().client
    let response = try await client.get("/v1/places/\(path)")
    #expect(response.status == .badRequest)
    #expect(response.headers[.contentType] == "application/problem+json")
    #expect(try response.faults().contains(name))
    #expect(try response.json()["status"] as? Int == 400)
  }

  /// Checks that an answer of the grid never has more clusters than there are cells or points.
  @Test func aGridOfManyPointsHasAnEnd() async throws {
    let many = try ClusterTree(
      (0..<GridCells.most + 1).map { Coordinate(x: Double($0 % 256), y: Double($0 / 256)) }, as: .planar,
      options: BuildOptions())
    let client = try TestServer(["few": TestServer.plane, "many": many]).client
    let query = "clusters?method=grid&bbox=-8,-264,1024,768&zoom=8.84"
    let few = try await client.get("/v1/few/\(query)")
    #expect(try few.ids().count == 100)
    for part in ["", "&cell=0.001"] {
      #expect(try await client.get("/v1/many/\(query)\(part)").faults() == ["cell"])
    }
    #expect(try await client.get("/v1/many/\(query)&cell=9999999").ids().count == 1)
  }

  /// Checks that a tree which was split for limits refuses a spacing and badges, and that the list of indexes names the
  /// cut that suits each tree.
  @Test func aTreeForLimitsRefusesASpacingAndNamesTheRemedy() async throws {
    let points = (0..<100).map { Coordinate(longitude: Double($0 % 10), latitude: Double($0 / 10)) }
    let badges = try ClusterTree(points, options: BuildOptions(supporting: .badges()))
    let client = try TestServer(["limited": ClusterTree(points), "spaced": TestServer.tree(seed: 1), "badges": badges])
      .client
    for cut in ["spacing=44", "badges=1"] {
      let response = try await client.get("/v1/limited/clusters?zoom=3&\(cut)")
      #expect(response.status == .badRequest)
      let remedy = "--for \(cut.prefix { $0 != "=" })"
      #expect(try #require(response.json()["detail"] as? String).contains(remedy))
    }
    for (name, cut) in ["limited": ["limit": 100.0], "spaced": ["spacing": 44], "badges": ["badges": 1]] {
      #expect(try await client.get("/v1/\(name)").json()["default_cut"] as? [String: Double] == cut)
    }
  }

  /// Checks that messages say what to do.
  @Test(arguments: [
    ("clusters?cell=5", "cell: expected a request with method=grid, found '5'"),
    ("clusters?method=grid&zoom=3&limit=3", "limit: expected no such parameter with method=grid"),
    ("clusters?filter=price%3C)", "found ')'"), ("clusters?filter=kind='a'+'b'", "found the text 'b'"),
    ("clusters?zoom=3&order=x&detail=2", "found 'x'"), ("clusters?colour=red", "colour: expected no such parameter"),
  ]) func faultsSayWhatToDo(_ path: String, _ words: String) async throws {
    let client = try TestServer().client
    let problem = try await client.get("/v1/places/\(path)").json()
    #expect(try #require(problem["detail"] as? String).contains(words))
  }

  /// A zoom out of range is given, so it is not reported as missing.
  @Test(arguments: [
    "clusters?zoom=99&margin=10", "clusters?zoom=99&spacing=9&tile-size=512", "clusters?zoom=99&method=grid",
    "measures?zoom=99",
  ]) func aWrongZoomIsReportedOnce(_ path: String) async throws {
    #expect(try await TestServer().client.get("/v1/places/\(path)").faults() == ["zoom"])
  }

  @Test func everyMissingParameterIsNamed() async throws {
    let client = try TestServer().client
    for (query, names) in [
      ("center=2,48", ["zoom", "width", "height"]), ("center=2,48&zoom=3", ["width", "height"]),
      ("center=2,48&width=300&height=200", ["zoom"]),
    ] {
      #expect(try await client.get("/v1/places/clusters?\(query)").faults() == names, "\(query)")
    }
  }

  /// Checks that all faults of a request are reported at once.
  @Test func faultsAreToldTogether() async throws {
    let client = try TestServer().client
    let response = try await client.get("/v1/places/clusters?limit=0&zoom=x&order=y&z=1")
    #expect(try Set(response.faults()) == ["limit", "zoom", "order", "z"])
  }

  @Test func valuesAreDecoded() throws {
    var parameters = try QueryParameters(url: "a=%31+2&b=%25zz&c=%C3%A9&&d&e=1=2&_=%FF")
    #expect(parameters.text("a") == "1 2")
    #expect(parameters.text("b") == "%zz")
    #expect(parameters.text("c") == "é")
    #expect(parameters.text("d") == "")
    #expect(parameters.text("e") == "1=2")
    #expect(parameters.text("f") == nil)
    #expect(parameters.faults.isEmpty)
  }

  @Test(arguments: ["%zz", "%F", "%", "%FF", "%C3x", "a%E9"]) func invalidEncodingsAreRefused(
    _ value: String
  ) async throws {
    let client = try TestServer().client
    for path in ["places/clusters?filter=\(value)&limit=0", "places/events?filter=\(value)", "indexes?filter=\(value)"]
    {
      let answer = try await client.get("/v1/\(path)")
      #expect(answer.status == .badRequest)
      #expect(try answer.faults() == ["filter"])
      #expect(try (answer.json()["detail"] as? String)?.contains("valid percent-encoding") ?? false)
    }
    #expect(try await client.get("/v1/places/clusters?a\(value)=1").faults() == ["a\(value)"])
    #expect(try await client.get("/viewer/\(value)").status == .badRequest)
  }

  /// Checks what the answers to malformed values say.
  @Test(arguments: [
    ("clusters?method=grid&zoom=5&filter=a=1", "filter: expected no such parameter with method=grid; leave out"),
    ("clusters?method=grid&zoom=5&ellipses=true", "ellipses: expected no such parameter with method=grid"),
    ("clusters?method=grid&zoom=5&aggregate=count", "aggregate: expected no such parameter with method=grid"),
    ("clusters?method=grid&zoom=5&position=mean", "position: expected no such parameter with method=grid"),
    ("tiles.json?limit=5", "limit: expected no such parameter here; use a detail, a spacing or badges instead"),
    ("clusters?zoom=abc", "zoom: expected a number from 0 to 32, found 'abc'"),
    ("clusters?zoom=5&spacing=4&badges=1", "badges: expected either a spacing or badges, found '1'"),
    ("clusters?bbox=0,0,1,1&center=2,48&zoom=5&width=9&height=9", "expected either a bbox or a center, found '2,48'"),
    ("clusters/99999999999999999999999", "and below 2^53, found '99999999999999999999999'"),
    ("clusters/9007199254740992", "and below 2^53"),
    ("clusters?aggregate=percentile(population,-1)", "expected a number from 0 to 100 at character 23"),
    ("clusters?aggregate=top(population,-1)", "expected a whole number from 1 to 1000000 at character 16"),
  ]) func faultsAreToldInWords(_ path: String, _ words: String) async throws {
    let detail = try await TestServer().client.get("/v1/places/\(path)").json()["detail"] as? String
    #expect(detail?.contains(words) ?? false, "\(detail ?? "none")")
  }

  @Test(arguments: ["", "indexes", "a b", "a/b", "..", "ü", String(repeating: "a", count: 65)]) func namesStandInPaths(
    _ name: String
  ) throws {
    let server = try TestServer()
    #expect(throws: CatalogError.notAName(name)) { try Catalog([(name, server.path("places"))]) }
    #expect(throws: CatalogError.nameTwice("a")) {
      try Catalog([("a", server.path("places")), ("a", server.path("places"))])
    }
  }
}
