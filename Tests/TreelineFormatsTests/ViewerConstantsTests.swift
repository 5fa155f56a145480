import Foundation
import GridBaseline
import PointSets
import TestSupport
import Testing
@_spi(Server) import Treeline
import TreelineFormats

/// Values of the map layer of the web package and of the viewer, checked against the library.
@Suite struct ViewerConstantsTests {
  @Test func badgesFollowTheCurveOfTheLibrary() throws {
    let constants = try JavaScriptConstants()
    let (largest, rate, power) = (
      try constants.number("LARGEST_BADGE"), try constants.number("BADGE_RATE"), try constants.number("BADGE_POWER")
    )
    for count in [1, 2, 10, 1000, 1_000_000_000] {
      let diameter = largest / (1 + exp(-rate * pow(Double(count), power)))
      #expect(abs(diameter - BadgeSize.diameter(pointCount: count)) < 1e-12)
    }
  }

  @Test func stacksOpenAsInTheLibrary() throws {
    let constants = try JavaScriptConstants()
    let spacing = try constants.number("SPREAD_SPACING")
    let mostOnCircle = Int(try constants.number("MOST_ON_CIRCLE"))
    let (start, stretch) = (try constants.number("SPIRAL_START"), try constants.number("SPIRAL_STRETCH"))
    #expect(mostOnCircle == StackSpread.mostOnCircle)
    for count in 1...60 {
      let spread = StackSpread(count: count)
      for (member, offset) in spread.enumerated() {
        // Computes the radius by the formula in `badge.js`.
        var radius = max(spacing, count < 2 ? 0 : spacing / (2 * sin(.pi / Double(count))))
        if count > mostOnCircle {
          let (pitch, first) = (stretch * spacing / (2 * .pi), 2 * .pi * start)
          radius = pitch * (first * first + 2 * Double(member) * stretch * spacing / pitch).squareRoot()
        }
        #expect(abs(hypot(offset.x, offset.y) - radius) < 1e-9, "member \(member) of \(count)")
      }
    }
  }

  @Test func idsTellTheFirstPoint() throws {
    let bits = Int(try JavaScriptConstants().number("LEVEL_BITS"))
    let clusters = try ClusterTree(PointSet.uniformWorld(1000, seed: 1).coordinates).clusters(
      .limit(50), in: .everything)
    for cluster in clusters { #expect(Int(cluster.id.rawValue >> bits) == cluster.indices.lowerBound.rawValue) }
  }

  @Test func areasAreThoseOfTiles() throws {
    let constants = try JavaScriptConstants()
    #expect(try constants.number("AREA_DEVIATIONS") == Plane.areaDeviations)
    #expect(try constants.number("LEAST_WIDTH") == Plane.leastWidth)
  }

  @Test func countsEndInTheLettersOfTheLibrary() throws {
    let letters = [3, 6, 9, 12].map { BadgeText.abbreviated(Int(pow(10.0, $0))).dropFirst() }
    #expect(try JavaScriptConstants().value("COUNT_SUFFIXES") == letters.joined())
  }

  @Test func cutsAndTheirDefaultsAreThoseOfTheLibrary() throws {
    func standards(_ path: String) throws -> [String] {
      try source(path).matches(of: /(?m)^  (\w+): \{\n(?:.*\n)??.* standard: (\d+),/).map { "\($0.1) \($0.2)" }
    }
    let byPixels = PixelCriterion.allCases.map { "\($0) \(Int($0.standard))" }
    #expect(try Set(standards("TreelineWeb/src/criterion.js")) == Set(byPixels))
    #expect(try standards("TreelineServer/Resources/viewer/cut.js") == ["limit \(Cut.standard.limit)"])
    let orders: [String] = try JavaScriptConstants("TreelineWeb/src/criterion.js").value("ORDERS")
    #expect(orders == ExpansionOrder.allCases.map(\.rawValue))
  }

  @Test func gridCellsAreThoseOfTheGridButForTheNarrowest() throws {
    let offered: [Double] = try JavaScriptConstants("TreelineServer/Resources/viewer/cut.js").value("GRID_CELLS")
    let published = try Set(
      (0...22).map { zoom in
        Double(try CellSize.published.units(zoom: Double(zoom))) / exp2(24 - Double(zoom))
      })
    #expect(published.subtracting(offered) == [try #require(published.min())])
    #expect(offered == offered.sorted())
  }

  @Test func badgesAreAsWideAsTheStandardSpacing() throws {
    #expect(try JavaScriptConstants().number("LARGEST_BADGE") == PixelCriterion.spacing.standard)
  }

  @Test func zoomsAreThoseOfTheLibrary() throws {
    let constants = try JavaScriptConstants()
    let (serverSize, mapSize) = (
      try constants.number("SERVER_WORLD_SIZE"), try constants.number("WORLD_SIZE")
    )
    #expect(serverSize == 0x1p32 / exp2(24))
    #expect(serverSize == Double(Viewport.TileSize.pixels256.rawValue))
    #expect(mapSize == Double(Viewport.TileSize.pixels512.rawValue))
    #expect(try constants.number("ELLIPSE_ZOOM") == 24)
  }
}

/// What `openapi.json` says about defaults and aggregates, checked against the library. `OpenAPITests` of the server
/// check the rest.
@Suite struct OpenAPIProseTests {
  private let text: String

  init() throws { text = try source("TreelineServer/Resources/openapi.json") }

  @Test func proseNamesAllAggregates() {
    for name in Aggregate.functionNames { #expect(text.contains("`\(name)`"), "\(name)") }
  }

  @Test func proseTellsTheDefaults() {
    let criteria = PixelCriterion.list { $0 == "badges" ? "`badges`" : "a `\($0)`" }
    #expect(text.contains(" with \(criteria)."))
    #expect(text.contains("By default \(Int(PixelCriterion.spacing.standard)) if the index has separations"))
    #expect(text.contains("By default \(Int(PixelCriterion.detail.standard)) if the index supports neither"))
    let shares = "ellipse of two standard deviations along each axis, at least a quarter as wide as long"
    #expect(text.contains(shares) && Plane.areaDeviations == 2 && Plane.leastWidth == 0.25)
  }
}

/// Returns the text of a file, by its path in `Sources`.
private func source(_ path: String) throws -> String {
  String(decoding: try Repository.bytes("Sources/\(path)"), as: UTF8.self)
}

/// Exports of a module, each on a line of its own with a JSON value.
private struct JavaScriptConstants {
  private let text: String

  init(_ path: String = "TreelineWeb/src/map/constants.js") throws { text = try source(path) }

  func value<Value: Decodable>(_ name: String) throws -> Value {
    let start = "export const \(name) = "
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(start) && $0.hasSuffix(";") })
    return try JSONDecoder().decode(Value.self, from: Data(line.dropFirst(start.count).dropLast().utf8))
  }

  func number(_ name: String) throws -> Double { try value(name) }
}
