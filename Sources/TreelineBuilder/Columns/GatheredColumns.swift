import Treeline

/// All different texts of those of some columns that have more of them than a survey keeps, gathered by a second look
/// at the values. What was gathered of parts adds up in any order, up to a bound.
package struct GatheredColumns: Sendable {
  /// Of no values.
  private let surveys: [ColumnSurvey]
  /// nil for a column whose survey has all of its different values.
  private var entries: [ColumnEntries?]
  /// How long the dictionaries of all columns together may be, in bytes.
  private let most: Int
  /// Whether they would be longer. Then nothing is kept of them.
  private var areTooLong = false

  /// None yet.
  ///
  /// - Parameter surveys: Of all values.
  package init(of surveys: [ColumnSurvey], most: Int) throws(ColumnError) {
    self.most = most
    self.surveys = surveys.map { ColumnSurvey(of: $0.purpose, name: $0.name) }
    entries = try surveys.map { survey throws(ColumnError) in try survey.needsGathering() ? ColumnEntries() : nil }
  }

  /// The names of the columns.
  package var names: [String] { surveys.map(\.name) }

  /// Whether there is nothing to gather.
  package var isEmpty: Bool { entries.allSatisfy { $0 == nil } }

  /// Whether another is of the same columns.
  package func suits(_ other: GatheredColumns) -> Bool {
    names == other.names && surveys.map(\.purpose) == other.surveys.map(\.purpose)
      && entries.map { $0 == nil } == other.entries.map { $0 == nil } && most == other.most
  }

  /// Takes in the values of some points, in the order of the columns.
  package mutating func add(_ values: [ColumnValues]) {
    for number in entries.indices { entries[number]?.add(values[number], of: surveys[number]) }
    checkLength()
  }

  /// Takes in what another of the same columns has gathered.
  package mutating func add(_ other: GatheredColumns) {
    areTooLong = areTooLong || other.areTooLong
    for number in entries.indices { if let found = other.entries[number] { entries[number]?.add(found) } }
    checkLength()
  }

  private mutating func checkLength() {
    areTooLong = areTooLong || entries.reduce(0) { $0 + ($1?.dictionaryLength ?? 0) } > most
    if areTooLong { entries = entries.map { $0.map { _ in ColumnEntries() } } }
  }

  /// All different values of a column; nil where they were not to be gathered.
  ///
  /// - Throws: `PieceError.unsupported` where they are too many.
  package func entries(ofColumn number: Int) throws(PieceError) -> ColumnEntries? {
    guard !areTooLong || entries[number] == nil else {
      let long = zip(names, entries).filter { $1 != nil }.map(\.0.debugDescription)
      throw .unsupported(
        what: (long.count == 1 ? "Column " : "Columns ") + long.joined(separator: ", "),
        reason: "the different texts need more than the \(most) bytes that there are for them",
        remedy: "leave a column out and look its values up by row, or allow more memory")
    }
    return entries[number]
  }
}

extension GatheredColumns: PlainValue {
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
      throw .damaged(what: "the entries of columns", expected: "how many there may be", found: "\(fields)")
    }
    (self.most, areTooLong) = (most, fields[1] != 0)
  }
}
