import Foundation
import Treeline
@_spi(Server) import TreelineFormats

/// Clusters as lines of aligned columns, for people to read.
struct ClusterTable {
  private typealias Column = (title: String, cell: (ClusterFeature) -> String?)

  private let columns: [Column]
  /// Columns that are omitted if no cluster has a value in them.
  private static let optionalTitles: Set = [
    "major m", "minor m", "major", "minor", "angle", "cluster_group", "badge_px", "shown_index", "members",
  ]

  init(plane: Plane) {
    let format = CoordinateFormat(of: plane)
    func coordinate(_ title: String, planar: String, _ value: @escaping (ClusterFeature) -> Double) -> Column {
      (plane.projection == .planar ? planar : title, { format.string(value($0)) })
    }
    func length(_ title: String, _ plane: Plane, _ value: @escaping (Ellipse) -> Double) -> Column {
      let isPlanar = plane.projection == .planar
      return (
        isPlanar ? title : title + " m",
        { feature in
          feature.ellipse.map { ellipse in
            let length = value(ellipse) * feature.unitLength
            return isPlanar ? format.string(length) : String(format: "%.1f", length)
          }
        }
      )
    }
    columns = [
      ("cluster_id", { "\($0.id)" }), ("points", { "\($0.pointCount)" }),
      coordinate("longitude", planar: "x", \.coordinate.longitude),
      coordinate("latitude", planar: "y", \.coordinate.latitude), coordinate("west", planar: "min x", \.bounds.west),
      coordinate("south", planar: "min y", \.bounds.south), coordinate("east", planar: "max x", \.bounds.east),
      coordinate("north", planar: "max y", \.bounds.north), length("major", plane, \.semiMajor),
      length("minor", plane, \.semiMinor),
      ("angle", { $0.ellipse.map { String(format: "%.1f", Double($0.tenthsOfDegrees) / 10) } }),
      ("cluster_group", { $0.group }), ("badge_px", { $0.badgeDiameter.map { String(format: "%g", $0) } }),
      ("shown_index", { $0.shownRow.map(String.init) }),
      ("index", { $0.row.map(String.init) }), ("members", { $0.members?.map(String.init).joined(separator: " ") }),
    ]
  }

  func text(_ features: [ClusterFeature]) -> String {
    var lines = [String](repeating: "", count: features.count + 1)
    for column in columns {
      let cells = features.map(column.cell)
      if Self.optionalTitles.contains(column.title) && cells.allSatisfy({ $0 == nil }) { continue }
      let texts = [column.title] + cells.map { $0 ?? "" }
      // Members may be many, so they come last and are not aligned.
      let width = column.title == "members" ? 0 : texts.map(\.count).max()!
      for (line, text) in texts.enumerated() {
        lines[line] += (lines[line].isEmpty ? "" : "  ") + text.paddedInFront(to: width)
      }
    }
    return lines.map { $0.trimmingTrailingSpaces + "\n" }.joined()
  }
}

extension String {
  func paddedInFront(to width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }

  fileprivate var trimmingTrailingSpaces: Substring {
    var rest = self[...]
    while rest.last == " " { rest.removeLast() }
    return rest
  }
}
