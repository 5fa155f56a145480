import CTreeline
import Treeline
import TreelineBuilder

// A survey keeps only a limited number of distinct texts. If a column has more, its distinct texts are gathered here.

final class EntriesObject: CObject {
  static let noun = "entries"
  private(set) var columns: GatheredColumns

  init(_ columns: GatheredColumns) { self.columns = columns }

  init(bytes: [UInt8]) throws {
    let columns = try PlainList<GatheredColumns>(bytes: bytes).values
    guard columns.count == 1 else {
      throw PieceError.damaged(what: "the entries of columns", expected: "one list", found: "\(columns.count)")
    }
    self.columns = columns[0]
  }

  var bytes: [UInt8] { PlainList([columns]).bytes }

  /// Adds the values of some points.
  func add(_ values: [ColumnValues]) throws {
    guard values.count == columns.names.count else {
      throw ArgumentError("expected values of \(columns.names.count) columns, found values of \(values.count)")
    }
    columns.add(values)
  }

  /// Adds the entries that were gathered from other points.
  func add(_ other: EntriesObject) throws {
    guard columns.suits(other.columns) else {
      throw ArgumentError(
        "expected entries of \(list(columns.names)), found entries of other columns or kinds; "
          + "gather all entries with the same columns")
    }
    columns.add(other.columns)
  }
}

@_cdecl("treeline_column_survey_gathering")
public func columnSurveyGathering(_ survey: OpaquePointer?, _ most: Int, _ error: ErrorPlace) -> OpaquePointer? {
  attemptObject(error) {
    let columns = try survey.object(ColumnSurveyObject.self).gathering(most: Int(clamping: size(most)))
    return BytesObject(columns.isEmpty ? [] : EntriesObject(columns).bytes)
  }
}

@_cdecl("treeline_entries_read")
public func readEntries(_ start: UnsafeRawPointer?, _ count: Int, _ error: ErrorPlace) -> OpaquePointer? {
  attemptObject(error) { try EntriesObject(bytes: bytes(start, count)) }
}

@_cdecl("treeline_entries_add_values")
public func addValuesToEntries(
  _ entries: OpaquePointer?, _ values: UnsafeRawPointer?, _ count: Int, _ error: ErrorPlace
) -> Bool {
  attempt(error) { () -> Void in
    try entries.object(EntriesObject.self).add(PlainList(bytes: bytes(values, count)).values)
  } != nil
}

@_cdecl("treeline_entries_add_entries")
public func addEntriesToEntries(
  _ entries: OpaquePointer?, _ start: UnsafeRawPointer?, _ count: Int, _ error: ErrorPlace
) -> Bool {
  attempt(error) { () -> Void in
    try entries.object(EntriesObject.self).add(EntriesObject(bytes: bytes(start, count)))
  } != nil
}

@_cdecl("treeline_entries_bytes")
public func entriesBytes(_ entries: OpaquePointer?) -> OpaquePointer? {
  lent(entries.objectIfAny(EntriesObject.self)?.bytes)
}

@_cdecl("treeline_entries_free") public func freeEntries(_ entries: OpaquePointer?) { entries?.release() }
