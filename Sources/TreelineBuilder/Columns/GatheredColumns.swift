import Treeline

/// All different texts of columns with very many different texts. A survey of a column keeps only a limited number of
/// different texts. If a column has more different texts, a second pass over its values gathers all of its texts.
/// Texts can be gathered separately from different parts of the points, and the results can be added up in any order.
/// The total length of the texts is limited.
package struct GatheredColumns: Sendable {
  /// Surveys of the columns, without values.
  private let surveys: [ColumnSurvey]
  /// For each column, the distinct values found so far; nil if the survey of the column already contains every distinct
  /// value.
  private var entries: [ColumnEntries?]
  /// Greatest total length of all dictionaries, in bytes.
  private let most: Int
  /// Whether the dictionaries would be longer than `most`. If this property is true, no entries are kept.
  private var areTooLong = false

  /// Makes gathered columns without entries.
  ///
  /// - Parameter surveys: One survey for each column. All values of the column must have been added to the survey.
  package init(of surveys: [ColumnSurvey], most: Int) throws(ColumnError) {
    self.most = most
    self.surveys = surveys.map { ColumnSurvey(of: $0.purpose, name: $0.name) }
    entries = try surveys.map { survey throws(ColumnError) in try survey.mustGather() ? ColumnEntries() : nil }
  }

  /// The names of the columns.
  package var names: [String] { surveys.map(\.name) }

  /// Whether no column needs gathering.
  package var isEmpty: Bool { entries.allSatisfy { $0 == nil } }

  /// Whether `other` gathers texts of the same columns as this object.
  package func suits(_ other: GatheredColumns) -> Bool {
    names == other.names && surveys.map(\.purpose) == other.surveys.map(\.purpose)
      && entries.map { $0 == nil } == other.entries.map { $0 == nil } && most == other.most
  }

  /// Adds the values of some points. The columns are in the order of `names`.
  package mutating func add(_ values: [ColumnValues]) {
    for number in entries.indices { entries[number]?.add(values[number], of: surveys[number]) }
    checkLength()
  }

  /// Adds the entries that another object has gathered for the same columns.
  package mutating func add(_ other: GatheredColumns) {
    areTooLong = areTooLong || other.areTooLong
    for number in entries.indices { if let found = other.entries[number] { entries[number]?.add(found) } }
    checkLength()
  }

  private mutating func checkLength() {
    areTooLong = areTooLong || entries.reduce(0) { $0 + ($1?.dictionaryLength ?? 0) } > most
    if areTooLong { entries = entries.map { $0.map { _ in ColumnEntries() } } }
  }

  /// Returns all different values of a column; nil if the values of the column need not be gathered.
  ///
  /// - Throws: `PieceError.unsupported` if the different values of all columns take more bytes than allowed.
  package func entries(ofColumn number: Int) throws(PieceError) -> ColumnEntries? {
    guard !areTooLong || entries[number] == nil else {
      let long = zip(names, entries).filter { $1 != nil }.map(\.0.debugDescription)
      throw .unsupported(
        what: (long.count == 1 ? "Column " : "Columns ") + long.joined(separator: ", "),
        reason: "the distinct texts need more than the \(most) bytes that are available",
        remedy: "leave out a column and look up its values by row number, or allow more memory")
    }
    return entries[number]
  }
}

extension GatheredColumns: BinaryCodable {
  package func write(to bytes: inout PlainBytes) {
    bytes.append(surveys)
    for column in entries { bytes.append(column.map { [$0] } ?? []) }
    bytes.append([UInt64(most), areTooLong ? 1 : 0])
  }

  package init(from bytes: inout PlainBytes) throws(PieceError) {
    surveys = try bytes.readValues()
    entries = []
    for _ in surveys { entries.append(try bytes.readValues(of: ColumnEntries.self).first) }
    let fields: [UInt64] = try bytes.readArray()
    guard fields.count == 2, let most = Int(exactly: fields[0]), fields[1] <= 1 else {
      throw .damaged(what: "the entries of columns", expected: "a limit of their length", found: "\(fields)")
    }
    (self.most, areTooLong) = (most, fields[1] != 0)
  }
}
