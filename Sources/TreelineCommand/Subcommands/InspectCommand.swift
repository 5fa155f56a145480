import ArgumentParser
import Foundation
import Treeline

struct InspectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect", abstract: "Prints what an index holds and where its bytes go.")

  @Argument(help: .init("The index; '-' is standard input, redirected from one.", valueName: "index")) var path: String

  func run() throws {
    try reportingFailures {
      let header = try IndexHeader(ofIndex: path)
      let tree = try ClusterTree(index: path)
      try writeToStandardOutput(try Self.text(header, tree))
    }
  }

  /// An index's header, sections and shape, for reading.
  private static func text(_ header: IndexHeader, _ tree: ClusterTree) throws -> String {
    let shape = try tree.shape()
    var lines = [
      "version          \(header.majorVersion).\(header.minorVersion)",
      "bytes            \(header.fileLength)\(Self.perPoint(header.fileLength, header))",
      "points           \(header.pointCount)", "positions        \(shape.positionCount)",
      "plane            \(Self.describe(header.plane))", "clipped points   \(header.clippedPointCount)",
      "split rule       \(header.splitRule)", String(format: "content hash     %016llx", header.contentHash),
      "depth            \(shape.depth)", "stored nodes     \(header.nodeCount), of them \(shape.bucketCount) buckets",
      "spacing          \(tree.hasSeparations ? "can be asked for" : "cannot be asked for: no separations")", "",
      "section                  offset         bytes  bytes/point  checksum",
    ]
    lines += header.sections.map { section in
      Self.row("\(section.kind)", "\(section.offset)", bytes: section.length, header)
        + String(format: "  %016llx", section.checksum)
    }
    let rest = header.fileLength - header.sections.reduce(0) { $0 + $1.length }
    lines.append(Self.row("header and padding", "", bytes: rest, header))
    let columns = tree.withStorage { $0.attributes }
    if !columns.isEmpty {
      lines += ["", "attribute       entries  name"]
      lines += columns.map { column in
        let entries = column.encoding == .dictionary ? "\(column.entryCount)" : ""
        return "\(column.encoding)".padded(to: 10) + entries.paddedInFront(to: 13) + "  \(column.name.debugDescription)"
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// A row of the table of sections, but for the checksum.
  private static func row(_ name: String, _ offset: String, bytes: UInt64, _ header: IndexHeader) -> String {
    let perPoint = header.pointCount == 0 ? 0 : Double(bytes) / Double(header.pointCount)
    return name.padded(to: 18) + offset.paddedInFront(to: 13) + String(format: " %13llu %12.3f", bytes, perPoint)
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

extension String {
  fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
