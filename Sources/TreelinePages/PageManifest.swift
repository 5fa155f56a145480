import Treeline

/// The small file that a browser loads first to open a published index. The manifest describes the tree and contains
/// the first page.
package struct PageManifest: Codable, Equatable {
  static let formatName = "treelinemap pages"
  static let version = 3
  static let fileName = "manifest.json"
  /// Name of the folder that contains the pages, if the pages are in several files.
  static let folderName = "pages"

  var format = formatName
  var version = PageManifest.version
  /// The content hash of the index, in hexadecimal digits.
  var contentHash: String
  var pointCount: Int
  var clippedPointCount: Int
  var projection: UInt32
  var seam: UInt32
  var left: Double
  var top: Double
  var side: Double
  var growth: String
  var traits: UInt32
  var hasCodes: Bool
  /// The badge curve in Base64, with the same bytes as in the index; nil if the index has no badge curve.
  var curve: String?
  var title: String?
  var attribution: String?
  var unit: String?
  /// The names and kinds of the columns.
  var columns: [ColumnName]
  /// The sizes that were used to divide the tree into pages. A verifier uses these sizes to divide the index in the
  /// same way.
  var sizes: PageSizes
  /// Name of the single file that contains all pages; nil if the pages are in a folder.
  var file: String?
  /// The place of the page that lists all pages of values. A page of values contains the column values of points.
  var values: Reference
  /// The place of the page with the spreads (covariance matrices) of the first page's nodes; nil if the first page
  /// itself contains these spreads.
  var spreads: Reference?
  /// The first page, compressed, in Base64.
  var first: String

  struct ColumnName: Codable, Equatable {
    var name: String
    var kind: String
  }

  /// The place of a page. The page has its own file, or it is in the file of all pages.
  struct Reference: Codable, Equatable {
    /// The checksum of the page's own file, which is also the name of the file; nil if all pages are in one file.
    var file: String?
    var offset: UInt64
    var length: UInt32

    init(_ reference: PageReference) {
      (file, offset, length) = (reference.file.map(hexadecimal), reference.offset, reference.length)
    }

    fileprivate var json: String {
      object(["file": file.map(quoted), "offset": "\(offset)", "length": "\(length)"])
    }

    /// The place of the page; nil if the name of the file is not a checksum.
    var reference: PageReference? {
      let checksum = file.flatMap { UInt64($0, radix: 16) }
      guard (checksum == nil) == (file == nil) else { return nil }
      return PageReference(file: checksum, fileLength: checksum == nil ? 0 : length, offset: offset, length: length)
    }
  }

  init(
    _ tree: ClusterTree, _ sizes: PageSizes, contentHash: UInt64, file: String?, values: Reference,
    spreads: Reference?, first: [UInt8]
  ) {
    self.contentHash = hexadecimal(contentHash)
    (pointCount, clippedPointCount) = (tree.pointCount, tree.clippedPointCount)
    (projection, seam) = (tree.plane.projection.rawValue, tree.plane.seam)
    (left, top, side) = (tree.plane.left, tree.plane.top, tree.plane.side)
    growth = "\(tree.growth)"
    (traits, hasCodes, curve) = tree.withStorage {
      ($0.mergeTraits.rawValue, $0.separations != nil, $0.badgeCurve.map { Base64.text(of: $0.bytes) })
    }
    let description = tree.withStorage(\.description)
    (title, attribution, unit) = (description.title, description.attribution, description.unit)
    columns = tree.columns.map { ColumnName(name: $0.name, kind: $0.kind.rawValue) }
    (self.sizes, self.file, self.values, self.spreads) = (sizes, file, values, spreads)
    self.first = Base64.text(of: first)
  }

  /// The bytes of the manifest's file.
  var json: [UInt8] {
    let sizes = object([
      "points": list(sizes.points), "node_points": list(sizes.nodePoints), "least_code": list(sizes.leastCode),
      "pairs": list(sizes.pairs), "parts": list(sizes.parts), "listed": "\(sizes.listed)",
      "values": "\(sizes.values)", "file_bytes": "\(sizes.fileBytes)",
    ])
    let columns = columns.map { object(["name": quoted($0.name), "kind": quoted($0.kind)]) }
    let manifest = object([
      "format": quoted(format), "version": "\(version)", "content_hash": quoted(contentHash),
      "point_count": "\(pointCount)", "clipped_point_count": "\(clippedPointCount)", "projection": "\(projection)",
      "seam": "\(seam)", "left": "\(left)", "top": "\(top)", "side": "\(side)", "growth": quoted(growth),
      "traits": "\(traits)", "has_codes": "\(hasCodes)", "curve": curve.map(quoted), "title": title.map(quoted),
      "attribution": attribution.map(quoted), "unit": unit.map(quoted), "columns": list(columns), "sizes": sizes,
      "file": file.map(quoted), "values": values.json, "spreads": spreads?.json, "first": quoted(first),
    ])
    return Array(manifest.utf8)
  }
}

/// Returns a JSON object, given the JSON text of each member. Its members are sorted by name, and members that are nil
/// are left out.
private func object(_ members: [String: String?]) -> String {
  let texts = members.sorted { $0.key < $1.key }.compactMap { name, json in json.map { "\(quoted(name)):\($0)" } }
  return "{" + texts.joined(separator: ",") + "}"
}

private func list(_ values: [some CustomStringConvertible]) -> String {
  "[" + values.map(\.description).joined(separator: ",") + "]"
}

private func quoted(_ text: String) -> String {
  var bytes: [UInt8] = []
  text.writeJSONLiteral { bytes += $0 }
  return String(decoding: bytes, as: UTF8.self)
}
