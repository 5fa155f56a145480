import Foundation
import Treeline
@_spi(Server) import TreelineFormats

/// Clusters as lines: with aligned columns for people to read, or as CSV.
struct ClusterTable {
  private struct Column {
    /// Title for people.
    let title: String
    /// Title in CSV. If GeoJSON has a property for the column, the property has this name, too.
    let name: String
    /// Whether the column is omitted if no cluster has a value in it.
    var isOptional = true
    let cell: (ClusterFeature) -> String?
  }

  private let columns: [Column]
  private let features: [ClusterFeature]

  init(_ features: [ClusterFeature], plane: Plane) {
    self.features = features
    let format = CoordinateFormat(of: plane)
    let isPlanar = plane.projection == .planar
    func coordinate(
      _ title: String, planar: String, _ planarName: String, _ value: @escaping (ClusterFeature) -> Double
    ) -> Column {
      Column(title: isPlanar ? planar : title, name: isPlanar ? planarName : title, isOptional: false) {
        format.string(value($0))
      }
    }
    func length(_ title: String, _ value: @escaping (Ellipse) -> Double) -> Column {
      Column(title: isPlanar ? title : title + " m", name: "ellipse_\(title)\(isPlanar ? "" : "_m")") { feature in
        feature.ellipse.map { ellipse in
          let length = value(ellipse) * feature.unitLength
          return isPlanar ? format.string(length) : String(format: "%.1f", length)
        }
      }
    }
    var columns = [
      Column(title: "cluster_id", name: "cluster_id", isOptional: false) { "\($0.id)" },
      Column(title: "points", name: "point_count", isOptional: false) { "\($0.pointCount)" },
      Column(title: "in view", name: "point_count_in_view") { $0.viewPointCount.map(String.init) },
      coordinate("longitude", planar: "x", "x", \.coordinate.longitude),
      coordinate("latitude", planar: "y", "y", \.coordinate.latitude),
      coordinate("west", planar: "min x", "min_x", \.bounds.west),
      coordinate("south", planar: "min y", "min_y", \.bounds.south),
      coordinate("east", planar: "max x", "max_x", \.bounds.east),
      coordinate("north", planar: "max y", "max_y", \.bounds.north),
      length("major", \.semiMajor), length("minor", \.semiMinor),
      Column(title: "angle", name: "ellipse_angle") {
        $0.ellipse.map { String(format: "%.1f", Double($0.tenthsOfDegrees) / 10) }
      },
      Column(title: "cluster_group", name: "cluster_group") { $0.group },
      Column(title: "badge_px", name: "badge_px") { $0.badgeDiameter.map { String(format: "%g", $0) } },
      Column(title: "shown_index", name: "shown_index") { $0.shownRow.map(String.init) },
      Column(title: "index", name: "index", isOptional: false) { $0.row.map(String.init) },
    ]
    for (number, aggregate) in (features.first?.aggregates ?? []).enumerated() {
      columns.append(Column(title: aggregate.name, name: aggregate.name) { $0.aggregates[number].value.cell })
    }
    columns.append(
      Column(title: "members", name: "members") { $0.members?.map(String.init).joined(separator: " ") })
    self.columns = columns
  }

  /// Lines of aligned columns, for people.
  var text: String {
    var lines = [String](repeating: "", count: features.count + 1)
    for column in columns {
      let cells = features.map(column.cell)
      if column.isOptional && cells.allSatisfy({ $0 == nil }) { continue }
      let texts = [column.title] + cells.map { $0 ?? "" }
      // Members may be many, so they come last and are not aligned.
      let width = column.title == "members" ? 0 : texts.map(\.count).max()!
      for (line, text) in texts.enumerated() {
        lines[line] += (lines[line].isEmpty ? "" : "  ") + text.paddedInFront(to: width)
      }
    }
    return lines.map { $0.trimmingTrailingSpaces + "\n" }.joined()
  }

  /// CSV (RFC 4180) with a header. The columns of the single points follow the columns of the clusters.
  var csv: String {
    let shown = columns.filter { column in !column.isOptional || features.contains { column.cell($0) != nil } }
    let names = features.first?.aggregates.map(\.name) ?? []
    let kept = CSVColumns(features.map(\.columns), after: names)
    var csv = CSVText()
    csv.append(shown.map(\.name) + kept.names)
    for feature in features { csv.append(shown.map { $0.cell(feature) } + kept.cells(of: feature.columns)) }
    return csv.text
  }
}

/// The columns that some points have, in the order in which they first appear.
struct CSVColumns {
  private(set) var names: [String] = []
  private var numbers: [String: Int] = [:]
  private let taken: [String]

  /// - Parameter names: Names that are taken by other columns.
  init(_ points: some Sequence<[(name: String, value: AttributeValue)]>, after names: [String] = []) {
    taken = names
    for columns in points {
      FeatureProperties.forEachColumn(columns, after: taken) { name, _ in
        if numbers[name] == nil {
          numbers[name] = self.names.count
          self.names.append(name)
        }
      }
    }
  }

  /// Returns a cell for each column; a cell is nil if the point has no value in the column.
  func cells(of columns: [(name: String, value: AttributeValue)]) -> [String?] {
    var cells = [String?](repeating: nil, count: names.count)
    FeatureProperties.forEachColumn(columns, after: taken) { name, value in
      if value != .null, let number = numbers[name] { cells[number] = value.name }
    }
    return cells
  }
}

/// Lines of CSV (RFC 4180), which end with a line feed.
struct CSVText {
  private(set) var text = ""

  mutating func append(_ cells: [String?]) {
    text += cells.map { Self.quoted($0 ?? "") }.joined(separator: ",") + "\n"
  }

  mutating func removeAll() { text.removeAll(keepingCapacity: true) }

  private static func quoted(_ cell: String) -> String {
    let isSpecial = cell.utf8.contains { [UInt8(ascii: ","), UInt8(ascii: "\""), 10, 13].contains($0) }
    return isSpecial ? "\"" + cell.replacing("\"", with: "\"\"") + "\"" : cell
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
