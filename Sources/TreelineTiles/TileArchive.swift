import Foundation
import Treeline

/// A file of tiles. Tiles must be added in the order of their PMTiles ids.
package protocol TileArchive {
  mutating func append(_ tile: TilePyramid.Tile) throws

  /// Completes the archive after all tiles have been added.
  mutating func finish(_ description: TileDescription) throws
}

/// The metadata of an archive.
package struct TileDescription: Encodable {
  package let name: String
  /// The attribution of the index, written as HTML because web maps expect HTML. Nil if the index has no attribution.
  package let attribution: String?
  package let zooms: ClosedRange<Int>
  package let extent: TileExtent
  private let layer: TileFields

  /// - Parameters:
  ///   - pyramid: The tiles.
  ///   - name: Name for an index that has no title.
  package init(of pyramid: TilePyramid, name: String) {
    self.name = pyramid.tree.indexDescription.title ?? name
    attribution = pyramid.tree.indexDescription.attribution?.escapedAsHTML
    zooms = pyramid.zooms
    extent = TileExtent(of: pyramid.tree)
    layer = TileFields(of: pyramid.tree, aggregates: pyramid.aggregates, names: pyramid.names)
  }

  private enum CodingKeys: String, CodingKey {
    case name, attribution, type, generator
    case layers = "vector_layers"
  }

  /// Encodes the metadata of a PMTiles archive.
  package func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(name, forKey: .name)
    try members.encodeIfPresent(attribution, forKey: .attribution)
    try members.encode("overlay", forKey: .type)
    try members.encode("Treeline", forKey: .generator)
    try members.encode([layer], forKey: .layers)
  }

  /// Describes the layer in the form that MBTiles stores under `json`.
  package var layersAsJSON: String { get throws { try Self.json(["vector_layers": [layer]]) } }

  /// The metadata of a PMTiles archive.
  var json: String { get throws { try Self.json(self) } }

  private static func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }
}
