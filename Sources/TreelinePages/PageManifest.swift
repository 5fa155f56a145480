import Foundation
import Treeline

/// The small file from which a published index is opened. It describes the tree and holds the first page.
package struct PageManifest: Codable, Equatable {
  package static let formatName = "treelinemap pages"
  package static let version = 1
  package static let fileName = "manifest.json"

  package var format = formatName
  package var version = PageManifest.version
  /// The content hash of the index, in hexadecimal digits.
  package var contentHash: String
  package var pointCount: Int
  package var clippedPointCount: Int
  package var projection: UInt32
  package var seam: UInt32
  package var left: Double
  package var top: Double
  package var side: Double
  package var growth: String
  package var traits: UInt32
  package var hasCodes: Bool
  /// The bytes of the badge curve, as in an index; nil without one.
  package var curve: Data?
  package var title: String?
  package var attribution: String?
  package var unit: String?
  /// The names of the columns and their kinds.
  package var columns: [ColumnName]
  /// How pages were divided, so that they can be compared with the index.
  package var sizes: Sizes
  /// The file of all pages; nil if each page is a file.
  package var file: String?
  /// The page that lists the pages of values.
  package var values: Reference
  /// The first page, compressed.
  package var first: Data

  package struct ColumnName: Codable, Equatable {
    package var name: String
    package var kind: String
  }

  package struct Sizes: Codable, Equatable {
    package var points: Int
    package var nodePoints: Int
    package var firstPairs: Int
    package var pairs: Int
    package var parts: Int
    package var values: Int
    package var leastCode: Int

    init(_ sizes: PageSizes) {
      (points, nodePoints, values) = (sizes.points, sizes.nodePoints, sizes.values)
      (firstPairs, pairs, parts, leastCode) = (sizes.firstPairs, sizes.pairs, sizes.parts, sizes.leastCode)
    }

    /// The sizes; nil if no publication writes them.
    var pageSizes: PageSizes? {
      guard [points, nodePoints, firstPairs, pairs, values].allSatisfy({ 1...1 << 32 ~= $0 }), 2...1 << 32 ~= parts,
        leastCode >= 0
      else {
        return nil
      }
      return PageSizes(
        points: points, nodePoints: nodePoints, firstPairs: firstPairs, pairs: pairs, parts: parts, values: values,
        leastCode: leastCode)
    }
  }

  package struct Reference: Codable, Equatable {
    package var checksum: String
    package var offset: UInt64
    package var length: UInt32

    init(_ reference: PageReference) {
      (checksum, offset, length) = (hexadecimal(reference.checksum), reference.offset, reference.length)
    }

    var reference: PageReference? {
      UInt64(checksum, radix: 16).map { PageReference(checksum: $0, offset: offset, length: length) }
    }
  }

  init(
    _ tree: ClusterTree, _ sizes: PageSizes, contentHash: UInt64, file: String?, values: PageReference,
    first: [UInt8]
  ) {
    self.contentHash = hexadecimal(contentHash)
    (pointCount, clippedPointCount) = (tree.pointCount, tree.clippedPointCount)
    (projection, seam) = (tree.plane.projection.rawValue, tree.plane.seam)
    (left, top, side) = (tree.plane.left, tree.plane.top, tree.plane.side)
    growth = "\(tree.growth)"
    (traits, hasCodes, curve) = tree.withStorage {
      ($0.mergeTraits.rawValue, $0.separations != nil, $0.badgeCurve.map { Data($0.bytes) })
    }
    let description = tree.withStorage(\.description)
    (title, attribution, unit) = (description.title, description.attribution, description.unit)
    columns = tree.columns.map { ColumnName(name: $0.name, kind: $0.kind.rawValue) }
    self.sizes = Sizes(sizes)
    (self.file, self.values, self.first) = (file, Reference(values), Data(first))
  }

  package var json: Data {
    get throws {
      let encoder = JSONEncoder()
      encoder.keyEncodingStrategy = .convertToSnakeCase
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return try encoder.encode(self)
    }
  }

  init(json: Data) throws {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    self = try decoder.decode(PageManifest.self, from: json)
  }
}
