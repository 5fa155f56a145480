import Foundation
import Treeline

/// An index's header, sections and shape, for reading.
struct IndexDescription {
  let text: String

  init(_ header: IndexHeader, _ tree: ClusterTree) throws {
    let shape = try tree.shape()
    var lines = [
      "version          \(header.majorVersion).\(header.minorVersion)",
      "bytes            \(header.fileLength)\(Self.perPoint(header.fileLength, header))",
      "points           \(header.pointCount)",
      "positions        \(shape.positionCount)",
      "plane            \(Self.describe(header.plane))",
      "clipped points   \(header.clippedPointCount)",
      "split rule       \(header.splitRule)",
      String(format: "content hash     %016llx", header.contentHash),
      "depth            \(shape.depth)",
      "stored nodes     \(header.nodeCount), of them \(shape.bucketCount) buckets",
      "",
      "section      offset         bytes  bytes/point  checksum",
    ]
    lines += header.sections.map { section in
      let name = "\(section.kind)".padding(toLength: 10, withPad: " ", startingAt: 0)
      let perPoint = header.pointCount == 0 ? 0 : Double(section.length) / Double(header.pointCount)
      return name
        + String(
          format: "%9llu %13llu %12.3f  %016llx", section.offset, section.length, perPoint, section.checksum)
    }
    if !tree.attributeNames.isEmpty {
      lines += ["", "attributes   " + tree.attributeNames.map(\.debugDescription).joined(separator: ", ")]
    }
    text = lines.joined(separator: "\n") + "\n"
  }

  private static func perPoint(_ bytes: UInt64, _ header: IndexHeader) -> String {
    guard header.pointCount > 0 else { return "" }
    let attributes = header.sections.filter { $0.kind == .attribute }.reduce(0) { $0 + $1.length }
    let perPoint = String(format: "%.2f", Double(bytes - attributes) / Double(header.pointCount))
    return ", \(perPoint) a point" + (attributes > 0 ? " without attributes" : "")
  }

  private static func describe(_ plane: Plane) -> String {
    switch plane.projection {
    case .webMercator: "Web Mercator, cut at longitude \(Double(plane.seam) / 0x1p32 * 360 - 180)"
    case .planar: "plain, from (\(plane.left), \(plane.top)) right and down by \(plane.side)"
    }
  }
}
