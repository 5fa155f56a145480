import Foundation
import Treeline
import TreelineComparison
@_spi(Server) import TreelineFormats

/// Outlines of land, which are installed together with the tool (Natural Earth, public domain).
enum Land {
  /// Returns outlines of land for some views. If all views lie in Iceland, as the example data does, returns fine
  /// outlines of Iceland. Otherwise returns coarser outlines of the whole world.
  static func rings(for views: [BoundingBox]) throws -> [[Coordinate]] {
    let iceland = BoundingBox(west: -30, south: 61, east: -9, north: 69)
    let isIceland = !views.isEmpty && views.allSatisfy { iceland.contains($0) }
    let name = isIceland ? "land_iceland_10m.geojson" : "land_50m.geojson"
    guard let path = Bundle.module.path(forResource: name, ofType: "gz") else {
      Notes.print("treelinemap: the land outlines were not found next to the tool, so the pictures show no land")
      return []
    }
    let collection = try JSONDecoder().decode(Collection.self, from: Data(try InputContents.read(path: path)))
    return collection.features.flatMap { feature in
      feature.geometry.coordinates.map { ring in ring.map { Coordinate(longitude: $0[0], latitude: $0[1]) } }
    }
  }

  /// A FeatureCollection of Polygons, as `scripts/build/fixtures` writes it.
  private struct Collection: Decodable {
    struct Feature: Decodable { var geometry: Geometry }
    struct Geometry: Decodable { var coordinates: [[[Double]]] }

    var features: [Feature]
  }
}

extension BoundingBox {
  /// Returns whether a box contains another box. Neither box may cross the antimeridian.
  fileprivate func contains(_ other: BoundingBox) -> Bool {
    west <= other.west && other.east <= east && other.west <= other.east && south <= other.south && other.north <= north
  }
}
