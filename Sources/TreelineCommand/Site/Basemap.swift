import ArgumentParser
import Foundation
import Treeline

/// The map below the badges of a page. Python's `to_html` makes the same styles, but accepts other addresses, too.
struct Basemap {
  /// JSON text: a style that shows tiles, or the address of a style.
  let style: String

  /// - Parameter address: The address of a MapLibre style, or of tiles.
  /// - Throws: `ValidationError` if the text is not such an address.
  init(_ address: String) throws {
    let expected =
      "'--basemap' must be the address of a MapLibre style, such as https://host/style.json, or of tiles, such as "
      + "https://host/{z}/{x}/{y}.png, found \(address.isEmpty ? "nothing" : "'\(address.visible)'")"
    guard Self.isAddress(address) else { throw ValidationError(expected + ".") }
    guard address.contains("{") else {
      style = try Self.json(address)
      return
    }
    for name in ["{z}", "{x}", "{y}"] where !address.contains(name) {
      throw ValidationError("\(expected); the address of tiles needs \(name).")
    }
    // Some addresses for Leaflet have {s} for one of several servers, and {r} for tiles of twice the size. MapLibre
    // knows neither.
    let plain = address.replacing("{r}", with: "")
    let addresses = plain.contains("{s}") ? ["a", "b", "c"].map { plain.replacing("{s}", with: $0) } : [plain]
    style =
      #"{"version":8,"sources":{"basemap":{"type":"raster","tiles":\#(try Self.json(addresses)),"tileSize":256}},"#
      + #""layers":[{"id":"basemap","type":"raster","source":"basemap"}]}"#
  }

  /// Returns whether a browser can load a style from an address. An address may be relative to the page. A single word
  /// such as `osm` is not an address, because other programs use such words as names of maps.
  private static func isAddress(_ text: String) -> Bool {
    if let scheme = text.firstMatch(of: /^([A-Za-z][A-Za-z0-9+.\-]*):/)?.1.lowercased() {
      return ["http", "https", "data"].contains(scheme)
    }
    return text.contains("/") || text.hasSuffix(".json")
  }

  private static func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }
}
