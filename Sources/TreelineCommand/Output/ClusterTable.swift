import Foundation
@_spi(Server) import Treeline
@_spi(Server) import TreelineFormats

/// A table of clusters, either as lines with aligned columns or as CSV.
struct ClusterTable {
  private struct Column {
    /// Title in the aligned table.
    let title: String
    /// Title in CSV. If GeoJSON has a property for the column, the title is the name of this property.
    let name: String
    /// Whether the column is left out if no cluster has a value in it.
    var isOptional = true
    /// Cells of all clusters.
    let cells: [String?]

    var isShown: Bool { !isOptional || cells.contains { $0 != nil } }
  }

  private let columns: [Column]
  private let pointColumns: [Column]
  private let features: [ClusterFeature]

  /// - Parameters:
  ///   - requested: The requested aggregates. Each has a column, even if no cluster has a value.
  ///   - names: Columns of the points that the aligned table also shows. CSV shows all columns of the points.
  init(_ features: [ClusterFeature], _ requested: [Aggregate] = [], plane: Plane, columns names: [String] = []) {
    self.features = features
    let format = CoordinateFormat(of: plane)
    let isPlanar = plane.projection == .planar
    func coordinate(
      _ title: String, planar: String, _ planarName: String, _ value: (ClusterFeature) -> Double
    ) -> Column {
      Column(
        title: isPlanar ? planar : title, name: isPlanar ? planarName : title, isOptional: false,
        cells: features.map { format.string(value($0)) })
    }
    let geometry = [
      coordinate("longitude", planar: "x", "x", \.coordinate.longitude),
      coordinate("latitude", planar: "y", "y", \.coordinate.latitude),
      coordinate("west", planar: "min x", "min_x", \.bounds.west),
      coordinate("south", planar: "min y", "min_y", \.bounds.south),
      coordinate("east", planar: "max x", "max_x", \.bounds.east),
      coordinate("north", planar: "max y", "max_y", \.bounds.north),
    ]
    let aggregates = FeatureProperties.names(of: requested).enumerated().map { number, name in
      Column(title: name, name: name, isOptional: false, cells: features.map { $0.aggregates[number].value.cell })
    }
    let properties = PropertyColumns(features, format, isPlanar: isPlanar)
    pointColumns = names.map { name in
      Column(
        title: name.visible, name: name, isOptional: false,
        cells: features.map { feature in feature.columns.first { $0.name == name }?.value.name.visible })
    }
    columns = ClusterProperty.allCases.flatMap { property in
      let own = properties.columns(of: property)
      // The list of members may be long, so it is the last column.
      return property == .viewPointCount ? own + geometry : property == .members ? aggregates + own : own
    }
  }

  /// Makes the table columns for properties of clusters.
  private struct PropertyColumns {
    private let values: [[ClusterProperty: ClusterProperty.Value]]
    private let format: CoordinateFormat
    private let isPlanar: Bool

    init(_ features: [ClusterFeature], _ format: CoordinateFormat, isPlanar: Bool) {
      values = features.map { feature in
        var values: [ClusterProperty: ClusterProperty.Value] = [:]
        feature.properties.forEach { values[$0] = $1 }
        return values
      }
      (self.format, self.isPlanar) = (format, isPlanar)
    }

    func columns(of property: ClusterProperty) -> [Column] {
      guard let column = property.tableColumn else { return [] }
      guard property == .ellipseMeters || property == .ellipseUnits else { return [self.column(property, column)] }
      // On the sphere, lengths are given in meters. On a plane without a projection, they are given in the unit of the
      // data.
      if (property == .ellipseUnits) != isPlanar { return [] }
      return [
        lengths(property, title: "major") { major, _ in major },
        lengths(property, title: "minor") { _, minor in minor },
        self.column(.ellipse, ("angle", isOptional: true), name: "ellipse_angle"),
      ]
    }

    private func column(
      _ property: ClusterProperty, _ column: (title: String, isOptional: Bool), name: String? = nil
    ) -> Column {
      Column(
        title: column.title, name: name ?? property.rawValue, isOptional: column.isOptional,
        cells: values.map { $0[property]?.cell })
    }

    private func lengths(
      _ property: ClusterProperty, title: String, _ length: (_ major: Double, _ minor: Double) -> Double
    ) -> Column {
      let unit = isPlanar ? "" : "m"
      let cells = values.map { values -> String? in
        guard case .lengths(let major, let minor) = values[property] else { return nil }
        let found = length(major, minor)
        return isPlanar ? format.string(found) : String(format: "%.1f", found)
      }
      return Column(
        title: [title, unit].joined(separator: isPlanar ? "" : " "),
        name: "ellipse_" + [title, unit].joined(separator: isPlanar ? "" : "_"), cells: cells)
    }
  }

  /// The clusters as lines with aligned columns.
  var text: String {
    var lines = [String](repeating: "", count: features.count + 1)
    for column in columns + pointColumns where column.isShown {
      let texts = [column.title] + column.cells.map { $0 ?? "" }
      // Members are not aligned.
      let width = column.title == "members" ? 0 : texts.map(\.count).max()!
      for (line, text) in texts.enumerated() {
        lines[line] += (lines[line].isEmpty ? "" : "  ") + text.paddedInFront(to: width)
      }
    }
    return lines.map { $0.trimmingTrailingSpaces + "\n" }.joined()
  }

  /// The clusters as CSV (RFC 4180) with a header. The columns of single points follow the columns of clusters.
  var csv: String {
    let shown = columns.filter(\.isShown)
    let kept = CSVColumns(features.map(\.columns), after: shown.map(\.name))
    var csv = CSVText()
    csv.append(shown.map(\.name) + kept.names)
    for (number, feature) in features.enumerated() {
      csv.append(shown.map { $0.cells[number] } + kept.cells(of: feature.columns))
    }
    return csv.text
  }
}

extension ClusterProperty.Value {
  /// The value as the text of a cell; nil for lengths and corners. A value with two lengths needs two cells, which
  /// `PropertyColumns` makes.
  fileprivate var cell: String? {
    switch self {
    case .flag(let flag): "\(flag)"
    case .number(let number): "\(number)"
    case .decimal(let number): String(format: "%g", number)
    case .text(let text): text
    case .abbreviated(let count): BadgeText.abbreviated(count)
    case .ellipse(let ellipse): String(format: "%.1f", Double(ellipse.tenthsOfDegrees) / 10)
    case .lengths, .corners: nil
    case .numbers(let numbers): numbers.map(String.init).joined(separator: " ")
    }
  }
}

/// All columns in which any point has a value, in the order in which the columns first occur.
struct CSVColumns {
  private(set) var names: [String] = []
  private var numbers: [String: Int] = [:]
  private let taken: [String]

  /// - Parameter names: Names that other columns already have.
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

  /// Returns a cell for each column; nil in a column in which the point has no value.
  func cells(of columns: [(name: String, value: AttributeValue)]) -> [String?] {
    var cells = [String?](repeating: nil, count: names.count)
    FeatureProperties.forEachColumn(columns, after: taken) { name, value in
      if value != .null, let number = numbers[name] { cells[number] = value.name }
    }
    return cells
  }
}

/// CSV (RFC 4180) whose lines end with a line feed.
struct CSVText {
  private(set) var text = ""

  mutating func append(_ cells: [String?]) {
    text += cells.map { Self.quoted($0 ?? "") }.joined(separator: ",") + "\n"
  }

  mutating func removeAll() { text.removeAll(keepingCapacity: true) }

  private static func quoted(_ cell: String) -> String {
    let quote = UInt8(ascii: "\"")
    guard cell.utf8.contains(where: { [UInt8(ascii: ","), quote, 10, 13].contains($0) }) else { return cell }
    // A quote before a combining mark is a part of a longer character. So quotes are found among the bytes.
    var quoted = [quote]
    for byte in cell.utf8 {
      if byte == quote { quoted.append(quote) }
      quoted.append(byte)
    }
    quoted.append(quote)
    return String(decoding: quoted, as: UTF8.self)
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
