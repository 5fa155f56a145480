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
  var sizes: Sizes
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

  package struct Sizes: Codable, Equatable {
    var points: [Int]
    var nodePoints: [Int]
    var leastCode: [Int]
    var pairs: [Int]
    var parts: [Int]
    var listed: Int
    var values: Int
    var fileBytes: Int

    init(_ sizes: PageSizes) {
      (points, nodePoints, leastCode) = (sizes.points, sizes.nodePoints, sizes.leastCode)
      (pairs, parts, listed) = (sizes.pairs, sizes.parts, sizes.listed)
      (values, fileBytes) = (sizes.values, sizes.fileBytes)
    }

    /// The sizes; nil if they are invalid. `PagePublisher` never writes invalid sizes.
    package var pageSizes: PageSizes? {
      guard 1...2 ~= points.count, nodePoints.count == points.count, leastCode.count == points.count,
        (points + nodePoints + pairs + [listed, fileBytes]).allSatisfy({ 1...1 << 32 ~= $0 }), 1..<1 << 32 ~= values,
        !pairs.isEmpty, !parts.isEmpty, parts.allSatisfy({ 2...1 << 32 ~= $0 }), leastCode.allSatisfy({ $0 >= 0 })
      else {
        return nil
      }
      return PageSizes(
        points: points, nodePoints: nodePoints, leastCode: leastCode, pairs: pairs, parts: parts, listed: listed,
        values: values, fileBytes: fileBytes)
    }
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

    fileprivate var json: JSONValue {
      .object(["file": JSONValue(file), "offset": .integer(Int(offset)), "length": .integer(Int(length))])
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
    self.sizes = Sizes(sizes)
    (self.file, self.values, self.spreads, self.first) = (file, values, spreads, Base64.text(of: first))
  }

  /// The bytes of the manifest's file.
  var json: [UInt8] {
    func list(_ numbers: [Int]) -> JSONValue { .list(numbers.map(JSONValue.integer)) }
    let sizes: [String: JSONValue?] = [
      "points": list(sizes.points), "node_points": list(sizes.nodePoints), "least_code": list(sizes.leastCode),
      "pairs": list(sizes.pairs), "parts": list(sizes.parts), "listed": .integer(sizes.listed),
      "values": .integer(sizes.values), "file_bytes": .integer(sizes.fileBytes),
    ]
    let columns = columns.map { JSONValue.object(["name": .text($0.name), "kind": .text($0.kind)]) }
    let members: [String: JSONValue?] = [
      "format": .text(format), "version": .integer(version), "content_hash": .text(contentHash),
      "point_count": .integer(pointCount), "clipped_point_count": .integer(clippedPointCount),
      "projection": .integer(Int(projection)), "seam": .integer(Int(seam)), "left": .number(left),
      "top": .number(top), "side": .number(side), "growth": .text(growth), "traits": .integer(Int(traits)),
      "has_codes": .flag(hasCodes), "curve": JSONValue(curve), "title": JSONValue(title),
      "attribution": JSONValue(attribution), "unit": JSONValue(unit), "columns": .list(columns),
      "sizes": .object(sizes), "file": JSONValue(file), "values": values.json, "spreads": spreads?.json,
      "first": .text(first),
    ]
    return Array(JSONValue.object(members).description.utf8)
  }
}

/// A value of the manifest. Its description is JSON, with members sorted by name.
private indirect enum JSONValue: CustomStringConvertible {
  case text(String)
  case integer(Int)
  case number(Double)
  case flag(Bool)
  case list([JSONValue])
  /// An object. Members that are nil are left out.
  case object([String: JSONValue?])

  init?(_ text: String?) {
    guard let text else { return nil }
    self = .text(text)
  }

  var description: String {
    switch self {
    case .text(let text): Self.quoted(text)
    case .integer(let number): "\(number)"
    case .number(let number): "\(number)"
    case .flag(let flag): "\(flag)"
    case .list(let values): "[" + values.map(\.description).joined(separator: ",") + "]"
    case .object(let members):
      "{"
        + members.compactMap { name, value in value.map { (name, $0) } }.sorted { $0.0 < $1.0 }
        .map { "\(Self.quoted($0)):\($1)" }.joined(separator: ",") + "}"
    }
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case ..<" ":
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
