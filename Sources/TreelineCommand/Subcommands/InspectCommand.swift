import ArgumentParser
import Foundation
@_spi(Server) import Treeline
@_spi(Server) import TreelineFormats

struct InspectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect", abstract: "Prints the contents of an index and the sizes of its parts.")

  @Argument(help: .init("The index; '-' is standard input, which must be redirected from a file.", valueName: "index"))
  var path: String

  @Flag(help: "Print JSON.") var json = false

  func run() throws {
    try reportingFailures {
      let header = try IndexHeader(ofIndex: path)
      let tree = try ClusterTree(contentsOfFile: path)
      let report = try IndexReport(header, tree)
      if json { return try writeToStandardOutput(json: report) }
      try writeToStandardOutput(report.text(CoordinateFormat(of: tree.plane)))
    }
  }
}

/// The contents of an index: its header, its sections and the shape of its tree.
private struct IndexReport: Encodable {
  struct Plane: Encodable {
    let projection: String
    /// The seam of a Web Mercator plane: the longitude at which the world is cut open.
    var seamLongitude: Double?
    /// Upper left corner and side of the square plane, if the points have no map projection.
    var left, top, side: Double?
  }

  struct Section: Encodable {
    let kind: String
    /// Name of the column that the section belongs to.
    let name: String?
    let offset: UInt64
    let bytes: UInt64
    let checksum: String
  }

  struct Column: Encodable {
    let name: String
    let kind: String
    /// Size of the code of one value, in bytes.
    let width: Int
    let entries: Int?

    init(_ column: Treeline.Column) {
      (name, kind) = (column.name, column.kind.rawValue)
      switch column.values {
      case .integers(let integers): (width, entries) = (integers.codes.width, nil)
      case .reals: (width, entries) = (8, nil)
      case .entries(let values): (width, entries) = (values.codes.width, values.dictionary.valueCount)
      }
    }
  }

  struct Attribute: Encodable {
    let name: String
    let encoding: String
    let entries: Int?
  }

  let version: String
  /// Texts about the index. A text is left out if the index does not have it.
  let title, attribution, unit: String?
  let bytes: UInt64
  let points, positions: Int
  /// West, south, east and north. If the extent crosses the antimeridian, west is greater than east.
  let extent: [Double]?
  let plane: Plane
  let clippedPoints: Int
  /// Split rule, if the tree was grown by splitting.
  let splitRule: String?
  /// Metric, if the tree was grown by merging.
  let mergedBy: String?
  /// `member` if a cluster is shown at one of its points; left out if it is shown at the mean of its points.
  let anchor: String?
  let contentHash: String
  let depth, storedNodes, buckets: Int
  let hasSeparations: Bool
  /// Sizes of badges; left out if the index does not support badges.
  let badges: Badges?
  /// The groups of the index; left out if the index has no groups. Points of different groups never share a cluster.
  let groups: [Group]?
  let neverClusteredPoints: Int?
  let sections: [Section]
  let attributes: [Attribute]
  /// Columns for filters and aggregates.
  let columns: [Column]

  struct Group: Encodable {
    let name: String
    let points: Int
  }

  /// The diameters of badges and the gap between badges, in pixels.
  struct Badges: Encodable {
    let least, greatest, gap: Double

    init(_ curve: BadgeCurve) {
      (least, greatest) = (curve.diameter(pointCount: 1), curve.diameter(pointCount: .max))
      gap = Double(curve.gap) / 64
    }

    var text: String {
      func length(_ pixels: Double) -> String { String(format: "%g", pixels) }
      return "\(length(least)) to \(length(greatest)) px" + (gap > 0 ? ", \(length(gap)) px apart" : "")
    }
  }

  init(_ header: IndexHeader, _ tree: ClusterTree) throws {
    let shape = try tree.shape()
    let format = CoordinateFormat(of: tree.plane)
    let kept = tree.columns.compactMap(\.attribute)
    // Each of these lists has names in the order of the sections. So each section takes the first name that is left
    // in its list.
    var names = tree.columns.map(\.name)[...]
    var ownNames: [IndexSection.Kind: ArraySlice<String>] = [:]
    for column in tree.columns {
      for (kind, _) in column.ownSections { ownNames[kind, default: []].append(column.name) }
    }
    version = "\(header.majorVersion).\(header.minorVersion)"
    let description = tree.indexDescription
    (title, attribution, unit) = (description.title, description.attribution, description.unit)
    bytes = header.fileLength
    (points, positions) = (header.pointCount, shape.positionCount)
    extent = tree.root.map { [$0.bounds.west, $0.bounds.south, $0.bounds.east, $0.bounds.north].map(format.rounded) }
    plane =
      switch header.plane.projection {
      case .webMercator:
        Plane(
          projection: "web-mercator",
          seamLongitude: format.rounded(Double(header.plane.seam) / 0x1p32 * 360 - 180))
      case .planar: Plane(projection: "plain", left: header.plane.left, top: header.plane.top, side: header.plane.side)
      }
    clippedPoints = header.clippedPointCount
    splitRule = header.splitRule.map { "\($0)" }
    mergedBy = header.growth.mergeMetric?.rawValue
    anchor = tree.anchor == .mean ? nil : tree.anchor.rawValue
    contentHash = String(format: "%016llx", header.contentHash)
    (depth, storedNodes, buckets) = (shape.depth, header.nodeCount, shape.bucketCount)
    hasSeparations = tree.hasSeparations
    badges = tree.badgeCurve.map(Badges.init)
    groups = tree.isGrouped ? tree.groups.map { Group(name: $0.name, points: $0.cluster?.pointCount ?? 0) } : nil
    neverClusteredPoints = tree.isGrouped ? tree.neverClusteredPointCount : nil
    sections = header.sections.map { section in
      Section(
        kind: "\(section.kind)",
        name: section.kind.isColumn ? names.popFirst() : ownNames[section.kind]?.popFirst(),
        offset: section.offset, bytes: section.length, checksum: String(format: "%016llx", section.checksum))
    }
    columns = tree.columns.filter { $0.attribute == nil }.map(Column.init)
    attributes = kept.map { column in
      Attribute(
        name: column.name, encoding: "\(column.encoding)",
        entries: column.encoding == .dictionary ? column.entryCount : nil)
    }
  }

  /// The report as text.
  func text(_ coordinates: CoordinateFormat) -> String {
    let attributeBytes = sections.lazy.filter { $0.name != nil }.reduce(0) { $0 + $1.bytes }
    var lines = ["version          \(version)"]
    for (name, text) in [("title", title), ("attribution", attribution), ("unit", unit)] {
      if let text { lines.append(name.padded(to: 17) + text.debugDescription) }
    }
    lines += [
      "bytes            \(bytes)" + (points > 0 ? "; \(perPoint(bytes - attributeBytes, "%.2f")) per point" : "")
        + (points > 0 && attributeBytes > 0
          ? ", not counting \(attributes.isEmpty ? "columns" : columns.isEmpty ? "attributes" : "attributes and columns")"
          : ""),
      "points           \(points)", "positions        \(positions)",
      "extent           \(extent.map { $0.map(coordinates.string).joined(separator: ",") } ?? "none")",
      "plane            \(planeText(coordinates))", "clipped points   \(clippedPoints)", growthText,
      "content hash     \(contentHash)", "depth            \(depth)",
      "stored nodes     \(storedNodes), of them \(buckets) \(buckets == 1 ? "bucket" : "buckets")",
      "spacing          \(hasSeparations ? "supported" : "not supported: \(mergedBy == MergeMetric.badges.rawValue ? "grown for badges" : "not built for spacing")")",
    ]
    if mergedBy == MergeMetric.badges.rawValue {
      lines.append(
        "badges           \(badges.map { "supported: \($0.text)" } ?? "not supported: no separations")")
    }
    if let neverClusteredPoints, neverClusteredPoints > 0 { lines.append("never clustered  \(neverClusteredPoints)") }
    lines += [
      "",
      "section                  offset         bytes  bytes/point  checksum",
    ]
    lines += sections.map { section in
      row(section.kind, "\(section.offset)", section.bytes) + "  \(section.checksum)"
        + (section.name.map { "  " + $0.debugDescription } ?? "")
    }
    lines.append(row("header and padding", "", bytes - sections.reduce(0) { $0 + $1.bytes }))
    if let groups, !groups.isEmpty {
      lines += ["", "group        points  name"]
      lines += groups.map { "\($0.points)".paddedInFront(to: 19) + "  \($0.name.debugDescription)" }
    }
    if !attributes.isEmpty {
      lines += ["", "attribute       entries  name"]
      lines += attributes.map { attribute in
        attribute.encoding.padded(to: 10) + (attribute.entries.map(String.init) ?? "").paddedInFront(to: 13)
          + "  \(attribute.name.debugDescription)"
      }
    }
    if !columns.isEmpty {
      lines += ["", "column    width      entries  name"]
      lines += columns.map { column in
        column.kind.padded(to: 10) + "\(column.width)".paddedInFront(to: 5)
          + (column.entries.map(String.init) ?? "").paddedInFront(to: 13) + "  \(column.name.debugDescription)"
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private var growthText: String {
    splitRule.map { "split rule       \($0)" }
      ?? "merged by        \(mergedBy ?? "")" + (anchor.map { ", clusters are shown at a \($0)" } ?? "")
  }

  private func planeText(_ coordinates: CoordinateFormat) -> String {
    if let seam = plane.seamLongitude { return "Web Mercator, cut at longitude \(coordinates.string(seam))" }
    let numbers = [plane.left, plane.top, plane.side].map { coordinates.string($0 ?? 0) }
    return "no map projection, a square of side \(numbers[2]) with upper left corner (\(numbers[0]), \(numbers[1]))"
  }

  /// Returns the first columns of a row in the table of sections: name, offset, bytes, and bytes per point.
  private func row(_ name: String, _ offset: String, _ bytes: UInt64) -> String {
    name.padded(to: 18) + offset.paddedInFront(to: 13) + String(format: " %13llu ", bytes)
      + perPoint(bytes, "%12.3f")
  }

  private func perPoint(_ bytes: UInt64, _ format: String) -> String {
    String(format: format, points == 0 ? 0 : Double(bytes) / Double(points))
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
