import Treeline
import TreelineFormats

/// Clusters as lines of aligned columns, for reading.
struct ClusterTable {
  let plane: Plane

  func text(_ features: [ClusterFeature]) -> String {
    let format = CoordinateFormat(of: plane)
    let isPlanar = plane.projection == .planar
    var header = ["cluster_id", "points", isPlanar ? "x" : "longitude", isPlanar ? "y" : "latitude"]
    header += isPlanar ? ["min x", "min y", "max x", "max y"] : ["west", "south", "east", "north"]
    let hasMembers = features.contains { $0.members != nil }
    let hasShown = features.contains { $0.shownIndex != nil }
    if hasShown { header.append("shown_index") }
    header.append("index")
    if hasMembers { header.append("members") }
    let rows = features.map { feature in
      var row = ["\(feature.id)", "\(feature.pointCount)"]
      let box = feature.bounds
      row += [feature.coordinate.longitude, feature.coordinate.latitude].map(format.string)
      row += [box.west, box.south, box.east, box.north].map(format.string)
      if hasShown { row.append(feature.shownIndex.map(String.init) ?? "") }
      row.append(feature.index.map(String.init) ?? "")
      if let members = feature.members { row.append(members.map(String.init).joined(separator: " ")) }
      return row
    }
    return aligned([header] + rows, isLastLong: hasMembers)
  }

  /// Right-aligned but for a last column that may be long.
  private func aligned(_ rows: [[String]], isLastLong: Bool) -> String {
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max()! }
    return rows.map { row in
      let cells = row.indices.map { column in
        let padding = String(repeating: " ", count: widths[column] - row[column].count)
        return isLastLong && column == row.count - 1 ? row[column] : padding + row[column]
      }
      return cells.joined(separator: "  ").trimmingTrailingSpaces + "\n"
    }.joined()
  }
}

extension String {
  fileprivate var trimmingTrailingSpaces: Substring {
    var rest = self[...]
    while rest.last == " " { rest.removeLast() }
    return rest
  }
}
