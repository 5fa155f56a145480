import CTreeline
import Treeline
import TreelineBuilder

// Steps of a build in pieces: they survey the values of columns, choose encodings, and encode the values.

final class ColumnSurveyObject: CObject {
  static let noun = "a survey of columns"
  private var surveys: [ColumnSurvey]

  /// - Parameter columns: The columns. Only their names, types and kinds are read.
  init(of columns: [InputColumn]) throws {
    surveys = []
    for column in columns {
      guard !surveys.contains(where: { $0.name == column.name }) else { throw ColumnError.nameTwice(name: column.name) }
      surveys.append(ColumnSurvey(of: .typed(try column.plainKind), name: column.name))
    }
  }

  init(bytes: [UInt8]) throws { surveys = try PlainList(bytes: bytes).values }

  var bytes: [UInt8] { PlainList(surveys).bytes }

  /// Adds the values of some points.
  ///
  /// - Parameter rows: Rows of the points, for error messages.
  /// - Returns: The values as bytes. The bytes can be encoded when the values of all points have been surveyed.
  func add(_ columns: [InputColumn], rows: UnsafeBufferPointer<Int64>) throws -> BytesObject {
    let (names, found) = (surveys.map(\.name), columns.map(\.name))
    guard names == found else {
      throw ArgumentError("expected values of \(list(names)), found values of \(list(found))")
    }
    if let row = rows.first(where: { !(0...1 << 53 ~= $0) }) {
      throw ArgumentError("expected a row from 0 to 2^53, found \(row)")
    }
    try checkCount(adding: rows.count)
    let values = columns.map { column in
      var values = ColumnValues()
      for point in rows.indices { values.append(column.value(point)) }
      return values
    }
    for (index, found) in values.enumerated() { surveys[index].add(found) { Int(rows[$0]) } }
    return BytesObject(PlainList(values).bytes)
  }

  /// - Parameter firstRow: Number that is added to each row number in `other`.
  func add(_ other: ColumnSurveyObject, firstRow: Int) throws {
    let names = surveys.map(\.name)
    guard names == other.surveys.map(\.name), surveys.map(\.purpose) == other.surveys.map(\.purpose) else {
      throw ArgumentError(
        "expected a second survey of \(list(names)), with the same kinds as in the first survey, "
          + "found other columns or kinds; create both surveys with the same columns")
    }
    let numbered = try other.surveys.map { try $0.numbered(from: firstRow) }
    try checkCount(adding: other.surveys.first?.pointCount ?? 0)
    for (index, survey) in numbered.enumerated() { surveys[index].add(survey) }
  }

  /// Checks that the number of points is within the limit of an index.
  private func checkCount(adding count: Int) throws {
    let found = (surveys.first?.pointCount ?? 0) + count
    if found > IndexHeader.maximumPointCount { throw BuildError.tooManyPoints(found: found) }
  }

  /// Returns the columns whose texts must be gathered before the columns can be encoded.
  ///
  /// - Parameter most: Maximum total size of the dictionaries of these columns, in bytes.
  func gathering(most: Int) throws -> GatheredColumns { try GatheredColumns(of: surveys, most: most) }

  /// Returns the encodings of all columns.
  ///
  /// - Parameter gathered: The object that `gathering` returned. The texts of the columns must have been added to this
  ///   object. Nil if no texts must be gathered.
  func encodings(gathered: GatheredColumns?) throws -> [ColumnEncoding] {
    let names = surveys.map(\.name)
    if let gathered, gathered.names != names {
      throw ArgumentError("expected entries of \(list(names)), found entries of \(list(gathered.names))")
    }
    return try surveys.enumerated().map { number, survey in
      guard try survey.needsGathering() else { return try survey.encoding() }
      guard let entries = try gathered?.entries(ofColumn: number) else {
        throw ArgumentError(
          "column \(survey.name.debugDescription): gather the distinct texts first, because a survey keeps only "
            + "65,536 texts")
      }
      return try survey.encoding(gathered: entries)
    }
  }
}

func list(_ names: [String]) -> String {
  names.isEmpty ? "no columns" : "the columns " + names.map(\.debugDescription).joined(separator: ", ")
}

@_cdecl("treeline_column_survey_create")
public func createColumnSurvey(_ columns: UnsafePointer<treeline_column>?, _ columnCount: Int, _ error: ErrorPlace)
  -> OpaquePointer?
{
  attemptObject(error) { try ColumnSurveyObject(of: inputColumns(columns, columnCount, pointCount: 0)) }
}

@_cdecl("treeline_column_survey_read")
public func readColumnSurvey(_ start: UnsafeRawPointer?, _ count: Int, _ error: ErrorPlace) -> OpaquePointer? {
  attemptObject(error) { try ColumnSurveyObject(bytes: bytes(start, count)) }
}

@_cdecl("treeline_column_survey_add_values")
public func addValuesToColumnSurvey(
  _ survey: OpaquePointer?, _ columns: UnsafePointer<treeline_column>?, _ columnCount: Int,
  _ rows: UnsafePointer<Int64>?, _ pointCount: Int, _ error: ErrorPlace
) -> OpaquePointer? {
  attemptObject(error) {
    let rows = try array(rows, pointCount, of: "rows")
    return try survey.object(ColumnSurveyObject.self).add(
      inputColumns(columns, columnCount, pointCount: pointCount) { Int(rows[$0]) }, rows: rows)
  }
}

@_cdecl("treeline_column_survey_add_survey")
public func addSurveyToColumnSurvey(
  _ survey: OpaquePointer?, _ start: UnsafeRawPointer?, _ count: Int, _ firstRow: Int64, _ error: ErrorPlace
) -> Bool {
  attempt(error) { () -> Void in
    guard firstRow >= 0 else { throw ArgumentError("expected a first_row of 0 or more, found \(firstRow)") }
    try survey.object(ColumnSurveyObject.self).add(
      ColumnSurveyObject(bytes: bytes(start, count)), firstRow: Int(firstRow))
  } != nil
}

@_cdecl("treeline_column_survey_bytes")
public func columnSurveyBytes(_ survey: OpaquePointer?) -> OpaquePointer? {
  lent(survey.objectIfAny(ColumnSurveyObject.self)?.bytes)
}

@_cdecl("treeline_column_survey_encoding")
public func columnSurveyEncoding(_ survey: OpaquePointer?, _ entries: OpaquePointer?, _ error: ErrorPlace)
  -> OpaquePointer?
{
  attemptObject(error) {
    let gathered = entries.objectIfAny(EntriesObject.self)?.columns
    return BytesObject(PlainList(try survey.object(ColumnSurveyObject.self).encodings(gathered: gathered)).bytes)
  }
}

@_cdecl("treeline_column_survey_free") public func freeColumnSurvey(_ survey: OpaquePointer?) { survey?.release() }

// MARK: - Codes

final class EncodingObject: CObject {
  static let noun = "an encoding"
  let columns: [ColumnEncoding]
  /// Total size of a point's codes in all columns, in bytes.
  let width: Int

  init(bytes: [UInt8]) throws {
    columns = try PlainList(bytes: bytes).values
    width = columns.reduce(0) { $0 + $1.width }
  }

  /// - Parameter codes: Receives the codes of the first point in the order of the columns, then the codes of the second
  ///   point, and so on.
  func encode(_ values: [ColumnValues], pointCount: Int, to codes: UnsafeMutableRawPointer) throws {
    guard values.count == columns.count, values.allSatisfy({ $0.count == pointCount }) else {
      throw ArgumentError(
        "expected \(columns.count) columns with \(pointCount) values each, found \(values.count) columns "
          + "with \(values.first?.count ?? 0) values")
    }
    var offset = 0
    for (column, values) in zip(columns, values) {
      try column.encode(values, to: codes + offset, stride: width)
      offset += column.width
    }
  }
}

extension OpaquePointer? {
  /// The columns of an encoding; empty if C passes NULL.
  var encodedColumns: [ColumnEncoding] { objectIfAny(EncodingObject.self)?.columns ?? [] }
}

@_cdecl("treeline_encoding_read")
public func readEncoding(_ start: UnsafeRawPointer?, _ count: Int, _ error: ErrorPlace) -> OpaquePointer? {
  attemptObject(error) { try EncodingObject(bytes: bytes(start, count)) }
}

@_cdecl("treeline_encoding_width")
public func encodingWidth(_ encoding: OpaquePointer?) -> Int {
  encoding.objectIfAny(EncodingObject.self)?.width ?? 0
}

@_cdecl("treeline_encoding_encode")
public func encodeValues(
  _ encoding: OpaquePointer?, _ values: UnsafeRawPointer?, _ count: Int, _ codes: UnsafeMutablePointer<UInt8>?,
  _ pointCount: Int, _ error: ErrorPlace
) -> Bool {
  attempt(error) { () -> Void in
    let encoding = try encoding.object(EncodingObject.self)
    let values: [ColumnValues] = try PlainList(bytes: bytes(values, count)).values
    try encoding.encode(values, pointCount: pointCount, to: given(codes, "memory for codes"))
  } != nil
}

@_cdecl("treeline_encoding_free") public func freeEncoding(_ encoding: OpaquePointer?) { encoding?.release() }
