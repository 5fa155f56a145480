import CTreeline
@_spi(Server) import Treeline
import TreelineBuilder
import TreelineFormats

/// A column that C passes to a build. The arrays of the column belong to the caller and must outlive the build.
struct InputColumn: @unchecked Sendable {
  let name: String
  /// Declared kind; nil if the kind is determined from the values.
  private let kind: IndexColumn.Kind?
  private let preparations: Set<IndexColumn.Preparation>
  private let column: treeline_column
  private let pointCount: Int
  private let stride: Int
  /// The texts to which codes refer. A code is the index of its text.
  private let entries: [String]

  /// - Parameters:
  ///   - number: Returns the row number that an error reports, given the index of a value.
  ///   - isLeftOut: Returns whether the build leaves out the point of a value. Such a value may be invalid.
  init(
    _ column: treeline_column, pointCount: Int, number: (Int) -> Int = { $0 },
    isLeftOut: (Int) -> Bool = { _ in false }
  ) throws {
    guard let name = try string(column.name, "a column name") else {
      throw ArgumentError("expected a name for each column, found NULL")
    }
    (self.name, self.column, self.pointCount) = (name, column, pointCount)
    (kind, preparations) = try Self.declaration(string(column.kind) ?? "", of: column.type, name: name)
    guard pointCount == 0 || column.type == TREELINE_TEXTS || column.values != nil else {
      throw ArgumentError("column \(name.debugDescription): expected \(pointCount) values, found NULL")
    }
    let needsTexts = column.type == TREELINE_TEXTS || column.type == TREELINE_CODES
    guard !needsTexts || column.offsets != nil && column.bytes != nil else {
      throw ArgumentError("column \(name.debugDescription): expected the offsets and bytes of texts, found NULL")
    }
    let width =
      switch column.type {
      case TREELINE_BOOLEANS: 1
      case TREELINE_CODES: 4
      default: 8
      }
    stride = column.stride == 0 ? width : column.stride
    guard fitsMemory(pointCount, stride: stride) else {
      throw ArgumentError(
        "column \(name.debugDescription): \(pointCount) values with a stride of \(stride) bytes do not fit into memory"
      )
    }
    if column.type == TREELINE_INSTANTS, ![1, 1000, 1_000_000, 1_000_000_000].contains(column.units_per_second) {
      throw ArgumentError(
        "column \(name.debugDescription): expected 1, 1000, 1000000 or 1000000000 units per second, "
          + "found \(column.units_per_second)")
    }
    guard column.type == TREELINE_CODES else {
      entries = []
      switch column.type {
      case TREELINE_TEXTS:
        try column.checkOffsets(pointCount, name)
        let row = (0..<pointCount).first { isValid($0) && !column.isUTF8($0) && !isLeftOut($0) }
        if let row { throw column.notUTF8(name, row: number(row)) }
      case TREELINE_BOOLEANS:
        try check("0 or 1", isLeftOut, number) { (value: UInt8) in value <= 1 }
      case TREELINE_DOUBLES:
        try check("a finite number, or NaN for a missing value", isLeftOut, number) { (value: Double) in
          !value.isInfinite
        }
      default: break
      }
      return
    }
    // Codes are signed 32-bit integers, so there are at most 2^31 - 1 texts.
    guard 0...Int(Int32.max) ~= column.entry_count else {
      throw ArgumentError(
        "column \(name.debugDescription): a column of codes can have at most 2^31 - 1 texts, "
          + "found \(size(column.entry_count))")
    }
    try column.checkOffsets(column.entry_count, name)
    if let entry = (0..<column.entry_count).first(where: { !column.isUTF8($0) }) {
      throw column.notUTF8(name, entry: entry)
    }
    entries = (0..<column.entry_count).map { column.text($0) }
    let count = Int32(entries.count)
    try check(count == 0 ? "-1" : "-1 to \(count - 1)", isLeftOut, number) { (code: Int32) in -1..<count ~= code }
  }

  /// Checks that each value is valid. Missing values are not checked.
  private func check<Value: Numeric & BitwiseCopyable>(
    _ expected: String, _ isLeftOut: (Int) -> Bool, _ number: (Int) -> Int, _ holds: (Value) -> Bool
  ) throws {
    let row = (0..<pointCount).first { isValid($0) && !holds(load($0)) && !isLeftOut($0) }
    guard let row else { return }
    throw ColumnError.unsuitableValue(
      column: name, row: number(row), expected: expected, found: "\(load(row) as Value)",
      remedy: "correct the value, or mark it as missing")
  }

  /// Reads the declaration of a column, such as `number+percentiles`.
  private static func declaration(_ text: String, of type: treeline_value_type, name: String) throws
    -> (IndexColumn.Kind?, Set<IndexColumn.Preparation>)
  {
    let words = text.split(separator: "+", omittingEmptySubsequences: false).map(String.init)
    let kinds = IndexColumn.Kind.allCases.map(\.rawValue).listed()
    let standard: IndexColumn.Kind?
    switch type {
    case TREELINE_DOUBLES, TREELINE_INTEGERS: standard = .number
    case TREELINE_BOOLEANS: standard = .boolean
    case TREELINE_TEXTS: standard = nil
    case TREELINE_CODES: standard = .category
    case TREELINE_INSTANTS: standard = .time
    default:
      throw ArgumentError(
        "column \(name.debugDescription): expected a treeline_value_type, found \(type.rawValue)")
    }
    let kind = words.first.flatMap(IndexColumn.Kind.init(rawValue:))
    guard kind != nil || words.first?.isEmpty ?? true else {
      throw ArgumentError("column \(name.debugDescription): expected one of the kinds \(kinds), found '\(words[0])'")
    }
    guard type != TREELINE_INSTANTS || kind == nil || kind == .time else {
      throw ArgumentError("column \(name.debugDescription): expected the kind 'time' for instants, found '\(words[0])'")
    }
    let preparations = try words.dropFirst().map { word in
      guard let preparation = IndexColumn.Preparation(rawValue: word) else {
        let known = IndexColumn.Preparation.allCases.map { "+\($0.rawValue)" }.listed()
        throw ArgumentError("column \(name.debugDescription): expected \(known) after the kind, found '+\(word)'")
      }
      return preparation
    }
    return (kind ?? standard, Set(preparations))
  }

  /// The column's declaration in the form that `IndexBuild` needs.
  var requested: IndexBuild.RequestedColumn { .init(.typed(kind), name: name, preparations: preparations) }

  /// Declared kind of the values; nil if the kind is determined from the values.
  ///
  /// - Throws: `ArgumentError` if the declaration has a suffix such as `+percentiles`.
  var plainKind: IndexColumn.Kind? {
    get throws {
      guard preparations.isEmpty else {
        throw ArgumentError(
          "column \(name.debugDescription): a build in steps does not support suffixes of a kind; leave out "
            + preparations.map { "+\($0.rawValue)" }.sorted().joined())
      }
      return kind
    }
  }

  var indexColumn: IndexColumn {
    let column: IndexColumn =
      if self.column.type == TREELINE_INSTANTS {
        IndexColumn(name: name, instant: { instant($0) })
      } else if kind == .number, self.column.type == TREELINE_DOUBLES || self.column.type == TREELINE_INTEGERS {
        .numbers(name: name) { number($0) }
      } else {
        IndexColumn(name: name, kind: kind) { value($0) }
      }
    return column.prepared(for: preparations)
  }
}

/// Returns the columns that C passes.
///
/// - Parameters:
///   - number: Returns the row number that an error reports, given the index of a value.
///   - isLeftOut: Returns whether the build leaves out the point of a value. Such a value may be invalid.
func inputColumns(
  _ columns: UnsafePointer<treeline_column>?, _ count: Int, pointCount: Int,
  number: (Int) -> Int = { $0 }, isLeftOut: (Int) -> Bool = { _ in false }
) throws -> [InputColumn] {
  let columns = try array(columns, count, of: "columns").map {
    try InputColumn($0, pointCount: pointCount, number: number, isLeftOut: isLeftOut)
  }
  var names: Set<String> = []
  if let twice = columns.first(where: { !names.insert($0.name).inserted }) {
    throw ColumnError.nameTwice(name: twice.name)
  }
  return columns
}

// MARK: - Values

extension InputColumn {
  /// Returns the value of a row. A missing value becomes null, like an empty CSV cell. In GeoJSON a point may lack a
  /// column, but here every point has every column.
  func value(_ row: Int) -> AttributeValue {
    guard isValid(row) else { return .null }
    switch column.type {
    case TREELINE_DOUBLES:
      let number: Double = load(row)
      return number.isFinite ? .number("\(number)") : .null
    case TREELINE_INTEGERS: return .number("\(load(row) as Int64)")
    case TREELINE_BOOLEANS: return .bool(load(row) as UInt8 != 0)
    case TREELINE_TEXTS: return .string(column.text(row))
    case TREELINE_CODES:
      let code = Int(load(row) as Int32)
      return entries.indices.contains(code) ? .string(entries[code]) : .null
    default: return instant(row).map { .string("\($0)") } ?? .null
    }
  }

  /// Returns whether this column marks the point of a row as never clustered. True, 1, and the texts `true` and `yes`
  /// mark the point. False, 0, the texts `false` and `no`, an empty text and a missing value do not. The command-line
  /// tool accepts `t` and `f` as well.
  ///
  /// - Throws: `ArgumentError` for any other value.
  func isTrue(_ row: Int) throws -> Bool {
    switch value(row) {
    case .null, .bool(false): return false
    case .bool(true), .number("1"), .number("1.0"): return true
    case .number("0"), .number("0.0"): return false
    case .string(let text) where ["true", "yes"].contains(text.lowercased()): return true
    case .string(let text) where ["false", "no", ""].contains(text.lowercased()): return false
    case let value:
      throw ArgumentError(
        "column \(name.debugDescription), row \(row): a never-cluster value must be true, false, yes, no, 1, 0 "
          + "or missing, found \((value.plainText ?? "").debugDescription)")
    }
  }

  private func instant(_ row: Int) -> Instant? {
    let count: Int64 = load(row)
    guard isValid(row), count != .min else { return nil }
    let units = column.units_per_second
    let (seconds, rest) = count.quotientAndRemainder(dividingBy: units)
    return rest < 0
      ? Instant(seconds: seconds - 1, nanoseconds: UInt32((rest + units) * (1_000_000_000 / units)))
      : Instant(seconds: seconds, nanoseconds: UInt32(rest * (1_000_000_000 / units)))
  }

  private func number(_ row: Int) -> StoredValue? {
    guard isValid(row) else { return nil }
    return column.type == TREELINE_INTEGERS ? .integer(load(row)) : .real(load(row))
  }

  private func isValid(_ row: Int) -> Bool { column.validity.map { $0[row / 8] >> (row % 8) & 1 == 1 } ?? true }

  private func load<Value: Numeric & BitwiseCopyable>(_ row: Int, as type: Value.Type = Value.self) -> Value {
    column.values!.loadUnaligned(fromByteOffset: row * stride, as: Value.self)
  }
}

extension treeline_column {
  /// Checks that the offsets of texts never decrease, so that no text has a negative length.
  fileprivate func checkOffsets(_ count: Int, _ name: String) throws {
    guard let offsets, count > 0 else { return }
    var last: Int64 = 0
    for number in 0...count {
      guard last <= offsets[number], offsets[number] <= 1 << 47 else {
        throw ArgumentError(
          "column \(name.debugDescription): expected text offsets from 0 to 2^47 that never decrease, "
            + "found \(offsets[number]) after \(last)")
      }
      last = offsets[number]
    }
  }

  fileprivate func text(_ number: Int) -> String {
    let (start, end) = (Int(offsets[number]), Int(offsets[number + 1]))
    guard start < end else { return "" }
    return String(decoding: UnsafeRawBufferPointer(start: bytes + start, count: end - start), as: UTF8.self)
  }
}
