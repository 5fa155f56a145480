import Treeline
import TreelineFormats

/// A summary of the input in one line: rows, extent, columns of coordinates, kept columns, and anything unusual.
struct InputSummary {
  private let name: String
  private let rowCount: Int
  private let extent: PointExtent
  private let isPlanar: Bool
  private let columns: PositionColumns?

  init(of table: PointTable, in input: Input) {
    (name, rowCount, extent) = (input.name, table.rowCount, table.extent)
    (isPlanar, columns) = (table.isPlanar, table.positionColumns)
  }

  /// - Parameter reports: A report on each column of the index.
  func print(_ reports: [ColumnReport] = []) { Notes.print("treelinemap: \(text(reports))") }

  private func text(_ reports: [ColumnReport]) -> String {
    var parts = ["\(name): \(rowCount) \(rowCount == 1 ? "row" : "rows")"]
    if extent.pointCount > 0 {
      let (x, y) = isPlanar ? ("x", "y") : ("longitude", "latitude")
      let areOne = columns.map { $0.first == $0.second } ?? true
      parts.append(
        phrase(x, extent.least.longitude, extent.greatest.longitude, areOne ? nil : columns?.first) + ", "
          + phrase(y, extent.least.latitude, extent.greatest.latitude, columns?.second))
    }
    if !reports.isEmpty { parts.append(ColumnReport.phrase(reports)) }
    let odd = oddities + reports.compactMap(\.oddity)
    if !odd.isEmpty { parts.append("looks odd: " + odd.joined(separator: ", ")) }
    return parts.joined(separator: "; ")
  }

  private func phrase(_ axis: String, _ least: Double, _ greatest: Double, _ column: String?) -> String {
    "\(axis) \(number(least)) to \(number(greatest))" + (column.map { " from column \($0.debugDescription)" } ?? "")
  }

  /// Returns a number as text. Degrees are rounded to about a meter.
  private func number(_ value: Double) -> String {
    AttributeColumn.text(of: isPlanar ? value : (value * 1e5).rounded() / 1e5 + 0)
  }

  private var oddities: [String] {
    let (least, greatest) = (extent.least, extent.greatest)
    guard extent.pointCount > 0 else { return [] }
    var odd: [String] = []
    if isPlanar, isWithinDegrees, let columns, columns.areFound {
      odd.append(
        "x and y may be degrees (give --longitude \(columns.first.debugDescription) --latitude "
          + "\(columns.second.debugDescription) if they are)")
    }
    if !isPlanar, mayBeSwapped { odd.append("longitude and latitude may be swapped") }
    if extent.pointCount > 1, least == greatest {
      odd.append("all points lie at one spot")
    } else if !isPlanar, extent.zeroCount > 0 {
      odd.append("\(extent.zeroCount) \(extent.zeroCount == 1 ? "point lies" : "points lie") at 0, 0")
    }
    return odd
  }

  private var isWithinDegrees: Bool {
    max(-extent.least.longitude, extent.greatest.longitude) <= 180
      && max(-extent.least.latitude, extent.greatest.latitude) <= 90
  }

  /// Whether longitude and latitude seem to be swapped. This is true if the names of the columns suggest a swap. It
  /// is also true if few people live at the latitudes that were read, and the longitudes that were read would be
  /// valid latitudes.
  private var mayBeSwapped: Bool {
    if let columns {
      let (first, second) = (columns.first.lowercased(), columns.second.lowercased())
      if ["lat", "latitude"].contains(first) || ["lon", "lng", "long", "longitude"].contains(second) { return true }
    }
    let wouldDo = max(-extent.least.longitude, extent.greatest.longitude) <= 90
    return wouldDo && (extent.least.latitude < -60 || extent.least.latitude > 72 || extent.greatest.latitude > 84)
  }
}
