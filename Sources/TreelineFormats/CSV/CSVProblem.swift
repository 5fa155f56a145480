import Treeline

/// Describes why a record is invalid.
struct CSVProblem {
  let layout: CSVLayout
  let axes: Axes
  let bytes: Bytes
  let record: CSVRecord
  let line: Int

  func invalidRow(_ row: Int, first: CSVCell, second: CSVCell) -> InvalidRow {
    let count = record.columnCount
    if record.strayColumn >= 0 {
      return invalidRow(row, record.strayColumn, "a delimiter after the closing quote", "other text")
    }
    if count < layout.leastColumnCount {
      let found = "a row of \(count) column\(count == 1 ? "" : "s")"
      if layout.first >= count { return invalidRow(row, layout.first, firstExpected, found) }
      if layout.second >= count { return invalidRow(row, layout.second, axes.second, found) }
    }
    if count < layout.leastColumnCount || count > layout.columnCount {
      return InvalidRow(
        row: row, line: line, part: "the row", expected: "\(layout.columnCount) columns as in the first row",
        found: "\(count)")
    }
    switch layout.spelling {
    case .wellKnownText: return invalidPoint(row, first.bytes(of: bytes))
    case .pair(let isLatitudeFirst, let mark): return invalidPair(row, first.bytes(of: bytes), isLatitudeFirst, mark)
    case .decimalPoints, .decimalCommas:
      return invalidNumbers(row, first.bytes(of: bytes), second.bytes(of: bytes))
    }
  }

  private var firstExpected: String {
    switch layout.spelling {
    case .wellKnownText: Self.point
    case .pair(let isLatitudeFirst, _): Self.pair(isLatitudeFirst)
    case .decimalPoints, .decimalCommas: axes.first
    }
  }

  private static func pair(_ isLatitudeFirst: Bool) -> String {
    isLatitudeFirst
      ? "a latitude and a longitude in one cell, such as \"48.85, 2.35\""
      : "a longitude and a latitude in one cell, such as \"2.35, 48.85\""
  }

  private func invalidPair(_ row: Int, _ cell: Bytes, _ isLatitudeFirst: Bool, _ mark: DecimalMark) -> InvalidRow {
    guard let pair = CoordinatePair(cell, mark) else {
      let hasCommas = mark == .point && CoordinatePair(cell, .comma) != nil
      return invalidRow(
        row, layout.first, Self.pair(isLatitudeFirst), describe(cell) + (hasCommas ? " with decimal commas" : ""),
        remedy: hasCommas ? Self.commaRemedy : unclearLetterRemedy(cell))
    }
    let (first, second) = pair.ordered(isLatitudeFirst: isLatitudeFirst)
    let swapping = isLatitudeFirst ? "--lon-lat reads the longitude first" : "--lat-lon reads the latitude first"
    return invalidRow(
      row, layout.first, axes.holdsFirst(first) ? axes.second : axes.first, describe(cell),
      remedy: pair.isLatitudeFirst == nil && axes.areSwapped(first, second)
        ? "are the coordinates swapped? \(swapping)" : nil)
  }

  private func invalidNumbers(_ row: Int, _ first: Bytes, _ second: Bytes) -> InvalidRow {
    let mark = layout.decimal.mark
    let isFirstValid = axes.number(first, mark, isLatitude: false).map(axes.holdsFirst) ?? false
    let cell = isFirstValid ? second : first
    var (found, remedy) = (describe(cell), nil as String?)
    switch layout.decimal {
    case .point where cell.contains(Byte.comma):
      // Degrees are below 1000, so a comma in them does not separate thousands.
      remedy = axes.isPlanar ? CellNumber.commaRemedy(String(decoding: cell, as: UTF8.self)) : nil
      if remedy == Self.commaRemedy || remedy == nil && hasDecimalComma(cell) {
        (found, remedy) = (found + " with a decimal comma", Self.commaRemedy)
      }
      remedy = remedy ?? unclearLetterRemedy(cell)
    case .comma where cell.contains(Byte.point) && parseDecimal(cell) != nil:
      (found, remedy) = (found + " with a decimal point", "leave out --decimal comma if numbers have decimal points")
    default: remedy = unclearLetterRemedy(cell)
    }
    if let first = axes.number(first, mark, isLatitude: true),
      let second = axes.number(second, mark, isLatitude: false),
      axes.areSwapped(first, second)
    {
      remedy =
        "are the columns swapped? If so, give --longitude \(layout.second + 1) --latitude \(layout.first + 1)"
    }
    return isFirstValid
      ? invalidRow(row, layout.second, axes.second, found, remedy: remedy)
      : invalidRow(row, layout.first, axes.first, found, remedy: remedy)
  }

  private static let commaRemedy = "give --decimal comma to read such numbers"

  private func unclearLetterRemedy(_ cell: Bytes) -> String? {
    Angle.hasUnclearLetter(cell)
      ? "write E or W instead of O, which means east in German but west in French, Italian and Spanish" : nil
  }

  private static let point = "a point as text, such as POINT (2.35 48.85)"

  private func invalidPoint(_ row: Int, _ cell: Bytes) -> InvalidRow {
    let (expected, found, remedy): (String, String, String?) =
      switch WellKnownText(cell) {
      case .point(_, _, let srid?) where !axes.holds(srid: srid):
        (
          "degrees of WGS 84, with SRID 4326 or without an SRID", "SRID \(srid)",
          "convert the coordinates with ST_Transform(geom, 4326) or ogr2ogr -t_srs EPSG:4326"
        )
      case .point(let first, let second, _):
        (
          axes.holdsFirst(first) ? axes.second : axes.first, describe(cell),
          axes.areSwapped(first, second)
            ? "are the coordinates swapped? The longitude must come first; ST_FlipCoordinates swaps them" : nil
        )
      case .emptyPoint: ("a point with coordinates", describe(cell), nil)
      case .other(let type): (Self.point, "a \(type)", "ST_PointOnSurface gives a point on a line or in an area")
      case .brokenBinary:
        (
          "a point in well-known binary", describe(cell),
          "write points as text with ST_AsText or ogr2ogr -lco GEOMETRY=AS_WKT"
        )
      case .unknown: (Self.point, describe(cell), nil)
      }
    return invalidRow(row, layout.first, expected, found, remedy: remedy)
  }

  private func invalidRow(_ row: Int, _ column: Int, _ expected: String, _ found: String, remedy: String? = nil)
    -> InvalidRow
  {
    let isNamed = column < layout.names.count
    let part = isNamed ? "column \"\(visible(layout.names[column]))\" (\(column + 1))" : "column \(column + 1)"
    return InvalidRow(row: row, line: line, part: part, expected: expected, found: found, remedy: remedy)
  }

  private func describe(_ cell: Bytes) -> String { trimmed(cell).isEmpty ? "an empty cell" : excerpt(cell) }
}
