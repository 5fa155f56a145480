import Treeline
import TreelineBuilder
import TreelineFormats

/// The points of one input and the tree over them.
struct Points {
  let table: PointTable
  let tree: ClusterTree

  /// Reads and builds, showing progress, and says on standard error what was skipped or moved.
  init(_ input: InputOptions, keepsColumns: Bool) throws {
    let progress = ProgressBar()
    defer { progress.clear() }
    let options = ReadingOptions(
      columns: input.columns, skipsInvalid: input.skipInvalid, keepsColumns: keepsColumns)
    table = try PointReader.read(path: input.path, options: options) { read, total in
      progress.show(
        "Reading", fraction: total.map { Double(read) / Double(max($0, 1)) }, detail: "\(read / 1_000_000) MB")
    }
    progress.show("Building", fraction: nil, detail: "\(table.coordinates.count) points")
    tree = try ClusterTree(table.coordinates, as: table.isPlanar ? .planar : .webMercator)
    progress.clear()
    reportSkippedRows(input.path)
    if tree.clippedPointCount > 0 {
      printToStandardError(
        "treeline: \(tree.clippedPointCount) points beyond latitude \(Plane.maximumLatitude) north or south, "
          + "where Web Mercator ends, were moved to its edge")
    }
  }

  private func reportSkippedRows(_ path: String) {
    guard table.invalidRowCount > 0 else { return }
    printToStandardError("treeline: skipped \(table.invalidRowCount) of \(table.rowCount) rows:")
    for row in table.invalidRows.prefix(Self.listedRows) {
      printToStandardError("  \(path == "-" ? "standard input" : path):\(row)")
    }
    if table.invalidRowCount > Self.listedRows {
      printToStandardError("  … and \(table.invalidRowCount - Self.listedRows) more")
    }
  }

  private static let listedRows = 1000

  /// A cluster of any method as it is written out.
  func feature(
    id: UInt64, pointCount: Int, coordinate: Coordinate, bounds: BoundingBox, index: Int?, members: [Int]?
  ) -> ClusterFeature {
    ClusterFeature(
      id: id, pointCount: pointCount, coordinate: coordinate, bounds: bounds,
      index: index.map(table.row(ofPoint:)),
      columns: index.map(table.columns(ofPoint:)) ?? [],
      members: members.map { $0.map(table.row(ofPoint:)) })
  }
}
