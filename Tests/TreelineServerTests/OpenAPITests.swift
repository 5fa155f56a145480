import Foundation
import Testing
@_spi(Server) import Treeline
@_spi(Server) import TreelineFormats

@testable import TreelineServer

/// Checks what `openapi.json` says about cuts and bounds against the library and the server. `OpenAPIProseTests` of
/// the main package check defaults of the library. `Tests/ServerTests` compares answers with the rest of the file.
@Suite struct OpenAPITests {
  private let document: JSONObject
  private let text: String

  private typealias JSONObject = [String: Any]

  init() throws {
    // The server's package contains its tests through a link.
    let tests = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
    let file = tests.appendingPathComponent("../../Sources/TreelineServer/Resources/openapi.json")
    text = try String(contentsOf: file, encoding: .utf8)
    document = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? JSONObject)
  }

  @Test func everyRouteThatCutsTakesEveryParameterOfACut() throws {
    let shared = Cut.parameterNames.filter { $0 != "continuing" }
    for (route, method) in [("clusters", "get"), ("measures", "get"), ("transition", "get"), ("transition", "post")] {
      #expect(try names(of: route, method).isSuperset(of: shared), "\(route)")
    }
    #expect(try names(of: "transition", "get").isSuperset(of: shared.map { "from-\($0)" }))
    let byPixels = Set(Cut.parameterNames).subtracting(["limit", "order", "continuing"])
    for route in ["clusters/{id}/expansion-zoom", "where-is", "tiles.json", "tiles/{z}/{x}/{y}.mvt"] {
      #expect(try names(of: route, "get").isSuperset(of: byPixels), "\(route)")
    }
  }

  @Test func choicesAreThoseOfTheLibrary() throws {
    let choices = [
      "order": ExpansionOrder.allCases.map(\.rawValue), "position": ShownPosition.Rule.allCases.map(\.rawValue),
      "method": ClusterRoutes.Method.allCases.map(\.rawValue),
    ]
    for (name, expected) in choices {
      for schema in try schemas(of: name) { #expect(schema["enum"] as? [String] == expected, "\(name)") }
    }
    for schema in try schemas(of: "tile-size") {
      #expect(schema["enum"] as? [Int] == Viewport.TileSize.allCases.map(\.rawValue))
    }
  }

  @Test func boundsAreThoseOfTheServer() throws {
    let limits = [QueryParameters.largestLimit, 1000, SearchRoutes.mostPoints]
    for schema in try schemas(of: "limit") {
      let maximum = try #require(schema["maximum"] as? Int)
      #expect(limits.contains(maximum), "\(maximum)")
    }
    func accepts(_ number: Double, as name: String) -> Bool {
      var parameters = QueryParameters([(name, "\(number)"), ("detail", "20")])
      _ = Query(&parameters)
      return !parameters.faults.contains { $0.name == name }
    }
    for name in ["zoom", "alone-from-zoom", "width", "height"] {
      for schema in try schemas(of: name) {
        let maximum = try #require(schema["maximum"] as? Double)
        #expect(accepts(maximum, as: name) && !accepts(maximum.nextUp, as: name), "\(name) of \(maximum)")
      }
    }
  }

  @Test func proseTellsTheDefaults() {
    #expect(text.contains("By default \(Cut.standard.limit), or \(QueryParameters.largestLimit) with "))
    #expect(text.contains("A view may have \(GridCells.most) cells at most"))
  }

  private func names(of route: String, _ method: String) throws -> Set<String> {
    let paths = try #require(document["paths"] as? JSONObject)
    let path = try #require(paths["/v1/{index}/\(route)"] as? JSONObject, "\(route)")
    let operation = try #require(path[method] as? JSONObject, "\(route)")
    let parameters = try #require(operation["parameters"] as? [JSONObject])
    return Set(
      parameters.compactMap { parameter in
        parameter["name"] as? String ?? (parameter["$ref"] as? String)?.split(separator: "/").last.map(String.init)
      })
  }

  /// Returns all schemas of a parameter and of its form with the prefix `from-`, wherever they occur.
  private func schemas(of name: String) throws -> [JSONObject] {
    var found: [JSONObject] = []
    func look(_ value: Any) {
      if let list = value as? [Any] { return list.forEach(look) }
      guard let object = value as? JSONObject else { return }
      if object["in"] as? String == "query", [name, "from-\(name)"].contains(object["name"] as? String),
        let schema = object["schema"] as? JSONObject
      {
        found.append(schema)
      }
      object.values.forEach(look)
    }
    look(document)
    return try #require(found.isEmpty ? nil : found)
  }
}
