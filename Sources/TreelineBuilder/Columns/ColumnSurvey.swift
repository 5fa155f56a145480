import Treeline

/// A summary of all values of a column, which determines the encoding of the values. Different machines may survey
/// different parts of the points, and the surveys can be added up in any order.
///
/// ```swift
/// var survey = ColumnSurvey(of: .typed(.number), name: "price")
/// survey.add(values, firstPoint: 0)
/// let encoding = try survey.encoding()
/// ```
public struct ColumnSurvey: Sendable {
  /// The purpose of a column, which decides what an index keeps of the column's values.
  public enum Purpose: Hashable, Sendable {
    /// A typed column. If the kind is nil, the kind is found from the values.
    case typed(IndexColumn.Kind?)
    /// Values in their original spelling, for display.
    case attribute
  }

  /// Name of the column.
  public private(set) var name: String
  /// Purpose of the column, which decides what the index keeps of its values.
  public let purpose: Purpose
  /// Number of points in the survey.
  public internal(set) var pointCount = 0
  var hasMissing = false
  /// Kinds that are still possible for the column after the values surveyed so far.
  var candidates: Candidates
  var numbers = NumberSurvey()
  var times = TimeSurvey()
  /// Decimal mark of numbers in cells, such as the cells of a CSV file; nil if values are not cells. A cell does not
  /// say whether it is a text or a number. So a cell that looks like a number counts as a number only if all cells of
  /// the column are numbers.
  let cells: DecimalMark?
  var spelling = CellSpelling()
  /// Entries of the dictionary; nil once there are more than `mostEntries`.
  var entries: EntrySet? = EntrySet()
  /// The first value that does not suit the declared kind.
  var problem: UnsuitableValue?

  struct Candidates: OptionSet {
    let rawValue: UInt8
    static let numbers = Candidates(rawValue: 1)
    static let booleans = Candidates(rawValue: 2)
    static let times = Candidates(rawValue: 4)
    static let categories = Candidates(rawValue: 8)
    /// The numbers of an attribute, stored as doubles. This form is possible only if the spelling of each number can
    /// be reproduced from its double.
    static let doubles = Candidates(rawValue: 16)
  }

  /// A column of texts without a declared kind becomes a column of categories if it has few entries: at most
  /// `fewEntries` or a 16th of the number of points, whichever is greater, but never more than `mostEntries`.
  static let fewEntries = 256
  static let mostEntries = 65_536

  /// Makes an empty survey.
  public init(of purpose: Purpose, name: String) { self.init(of: purpose, name: name, cells: nil) }

  package init(of purpose: Purpose, name: String, cells: DecimalMark?) {
    (self.purpose, self.name, self.cells) = (purpose, name, cells)
    candidates =
      switch purpose {
      case .typed(nil): [.numbers, .booleans, .times, .categories]
      case .typed(.number): .numbers
      case .typed(.boolean): .booleans
      case .typed(.time), .typed(.timeInMilliseconds): .times
      case .typed(.category): .categories
      case .typed(.text): []
      case .attribute: cells == nil ? .doubles : [.doubles, .numbers]
      }
  }

  /// Returns this survey with another column name.
  func named(_ name: String) -> ColumnSurvey {
    var survey = self
    survey.name = name
    return survey
  }

  /// Returns this survey with `first` added to the number of each point.
  ///
  /// - Throws: `PieceError` for point numbers beyond 2^53.
  package func numbered(from first: Int) throws(PieceError) -> ColumnSurvey {
    var survey = self
    if let problem { survey.problem?.point = try numberedPoint(problem.point, from: first) }
    survey.times = try times.numbered(from: first)
    return survey
  }

  private var isFound: Bool { purpose == .typed(nil) }

  /// Adds the values of some points.
  ///
  /// - Parameters:
  ///   - values: Values in the order of their points.
  ///   - firstPoint: Number of the first point, for errors.
  public mutating func add(_ values: ColumnValues, firstPoint: Int) { add(values) { firstPoint + $0 } }

  /// Adds the values of some points.
  ///
  /// - Parameter row: Returns the number of a point for error messages, given the index of the point in `values`.
  package mutating func add(_ values: ColumnValues, row: (_ point: Int) -> Int) {
    pointCount += values.count
    values.forEachEntry { number, point in
      add(values.entries.value(of: number), ofPoint: row(point))
      addEntry(number, of: values.entries)
    }
  }

  /// Adds a time; nil is a missing value.
  mutating func add(_ instant: Instant?) {
    if let instant { times.add(instant, ofPoint: pointCount) }
    pointCount += 1
  }

  /// Adds another survey of the same column.
  public mutating func add(_ other: ColumnSurvey) {
    precondition(purpose == other.purpose, "The two surveys describe different columns")
    pointCount += other.pointCount
    hasMissing = hasMissing || other.hasMissing
    candidates.formIntersection(other.candidates)
    numbers.add(other.numbers)
    times.add(other.times)
    spelling.add(other.spelling)
    if let found = other.entries {
      for number in 0..<found.count { insert(found[number]) }
    } else {
      entries = nil
    }
    if let found = other.problem { note(found) }
  }

  mutating func add(_ value: AttributeValue?, ofPoint point: Int) {
    if candidates.contains(.doubles), AttributeColumn.bits(of: value) == nil { candidates.remove(.doubles) }
    if let cells, let value, value != .null { addSpelling(of: value, cells) }
    if let value, keepsType(of: value), let problem = value.problem(ofPoint: point) { note(problem) }
    guard purpose != .attribute, purpose != .typed(.text) else { return }
    guard let value, value != .null else {
      hasMissing = true
      return
    }
    if candidates.contains(.numbers) { addNumber(value, ofPoint: point) }
    if candidates.contains(.booleans), (isFound ? value.foundBoolean : value.declaredBoolean) == nil {
      reject(value, as: .booleans, ofPoint: point, expected: "true or false, t or f, yes or no, 1 or 0")
    }
    if candidates.contains(.times) {
      if let instant = value.instant(numbersPerSecond: purpose.numbersPerSecond) {
        times.add(instant, ofPoint: point)
        if value.tag == .number { times.noteNumber(instant) }
      } else {
        reject(
          value, as: .times, ofPoint: point,
          expected: "a time in ISO 8601, such as 2024-05-01 or 2024-05-01T12:30:00Z")
      }
    }
    if candidates.contains(.categories), isFound ? value.tag != .string : value.plainText == nil {
      reject(
        value, as: .categories, ofPoint: point, expected: "a text, a number or a boolean",
        remedy: "declare the column as text, or leave the value out")
    }
  }

  /// Whether a dictionary may keep the type of a value. Attributes keep all types. Columns of texts keep only the type
  /// of nested values.
  private func keepsType(of value: AttributeValue) -> Bool {
    switch purpose {
    case .attribute: true
    case .typed(nil), .typed(.text): value.tag == .json
    case .typed: false
    }
  }

  /// Records the spelling of a cell if the spelling can still affect whether the column becomes a column of numbers.
  private mutating func addSpelling(of value: AttributeValue, _ mark: DecimalMark) {
    guard candidates.contains(.numbers), !spelling.hasPoint || purpose == .attribute else { return }
    let isNumber = spelling.add(value.text, mark: mark)
    // An attribute keeps the original spelling of its values. So if any cell is not a JSON number, for example .5, all
    // cells are kept as texts.
    if purpose == .attribute, !isNumber || value.tag != .number { candidates.remove(.numbers) }
  }

  private mutating func addNumber(_ value: AttributeValue, ofPoint point: Int) {
    switch number(of: value) {
    case .missing:
      hasMissing = true
      if cells != nil { numbers.addNaN() }
    case .none: reject(value, as: .numbers, ofPoint: point, expected: "a number")
    case .literal(let literal):
      if let number = SmallDecimal(literal) {
        numbers.add(number)
      } else if let double = Double(literal), double.isFinite {
        numbers.addReal()
      } else {
        reject(value, as: .numbers, ofPoint: point, expected: "a number below 1.8e308")
      }
    }
  }

  /// Reads a value as a number. In a column without a declared kind, a text is read as a number only if it comes from
  /// a cell of a table, and not from a JSON string. In other columns, every text that is a number is read as a number.
  /// Whether a column of cells becomes a column of numbers also depends on the spelling of the cells (`CellSpelling`).
  private func number(of value: AttributeValue) -> AttributeValue.Number {
    let number = value.number(mark: cells ?? .point)
    guard isFound, cells == nil, case .string = value, case .literal = number else { return number }
    return .none
  }

  /// Excludes a kind that a value does not suit. If the column was declared with this kind, records an error instead.
  private mutating func reject(
    _ value: AttributeValue, as kind: Candidates, ofPoint point: Int, expected: String, remedy: String? = nil
  ) {
    if isFound {
      candidates.remove(kind)
    } else {
      note(UnsuitableValue(at: point, expected: expected, found: value, remedy: remedy))
    }
  }

  private mutating func note(_ found: UnsuitableValue) {
    if found.point < problem?.point ?? .max { problem = found }
  }

  // MARK: - Entries

  private var needsEntries: Bool {
    switch purpose {
    case .typed(nil), .typed(.category), .typed(.text), .attribute: true
    default: false
    }
  }

  private mutating func addEntry(_ number: Int, of values: EntrySet) {
    guard needsEntries, entries != nil, let entry = entry(of: number, of: values) else { return }
    insert(entry)
  }

  private mutating func insert(_ entry: ArraySlice<UInt8>) {
    entries?.insert(entry)
    if let count = entries?.count, count > Self.mostEntries { entries = nil }
  }

  /// Returns the dictionary entry of a value, given the number of the value; nil if the value is missing.
  private func entry(of number: Int, of values: EntrySet) -> ArraySlice<UInt8>? {
    guard purpose == .typed(.category) else { return values[number] }
    return values.categoryEntry(of: number)
  }

  // MARK: - The encoding

  /// Visits the dictionary entries of some values.
  func forEachEntry(of values: ColumnValues, _ visit: (ArraySlice<UInt8>) -> Void) {
    for number in 0..<values.entries.count { if let entry = entry(of: number, of: values.entries) { visit(entry) } }
  }

  /// Returns the encoding of the values, except the entries of the dictionary.
  func form() throws(UnsuitableValue) -> ColumnForm {
    if let problem { throw problem }
    switch purpose {
    case .typed(nil): return foundForm
    case .typed(.number): return numbers.form
    case .typed(.boolean): return .booleans
    case .typed(.time), .typed(.timeInMilliseconds): return try times.form()
    case .typed(.category): return .entries(.category)
    case .typed(.text): return .entries(.text)
    case .attribute: return candidates.contains(.doubles) && spelling.areNumbers ? .reals : .entries(.text)
    }
  }

  /// Whether the dictionary of the column, if it has one, holds only texts. This is true for every typed column. An
  /// attribute keeps the types of its values, so its dictionary may also hold other types. But if the values of the
  /// attribute are cells, and at least one cell is not a number, the dictionary holds all cells as texts.
  var keepsTexts: Bool {
    switch purpose {
    case .typed: true
    case .attribute: cells != nil && !(candidates.contains(.numbers) && spelling.areNumbers)
    }
  }

  private var foundForm: ColumnForm {
    if candidates.contains(.numbers) {
      if !spelling.areNumbers { return .entries(.text) }
      // Without values, the kind of the column cannot be found. A column of texts is chosen, because it distinguishes
      // null from absent values.
      return numbers.hasNumbers ? numbers.form : .entries(.text)
    }
    if candidates.contains(.booleans) { return .booleans }
    if candidates.contains(.times), let form = try? times.form() { return form }
    let greatest = min(max(Self.fewEntries, pointCount / 16), Self.mostEntries)
    guard candidates.contains(.categories), let entries else { return .entries(.text) }
    return .entries(entries.valueCount <= greatest ? .category : .text)
  }

  /// Returns whether the values must be gathered in a second pass. This is the case if the column needs a dictionary
  /// and has more than 65,536 different values, because a survey keeps at most 65,536 values.
  ///
  /// - Throws: `ColumnError` for a value that does not suit the kind of the column.
  public func needsGathering() throws -> Bool { try mustGather() }

  /// Does the same as `needsGathering()`, but throws a typed error.
  package func mustGather() throws(ColumnError) -> Bool {
    do throws(UnsuitableValue) { return try hasLongDictionary() } catch {
      throw error.error(column: name, row: error.point)
    }
  }

  /// Returns the encoding of the values. All values must have been surveyed.
  ///
  /// - Parameter gathered: All different values of the column, if `needsGathering` is true.
  /// - Throws: `ColumnError` for a value that does not suit the kind of the column. The row in the error is the number
  ///   of the point.
  public func encoding(gathered: ColumnEntries? = nil) throws -> ColumnEncoding {
    do throws(UnsuitableValue) { return try foundEncoding(gathered: gathered) } catch {
      throw error.error(column: name, row: error.point)
    }
  }

  func hasLongDictionary() throws(UnsuitableValue) -> Bool { try form().encoding == .entries && entries == nil }

  /// - Parameter monitor: Monitor of the build. If the build is cancelled, the returned encoding is unusable.
  func foundEncoding(
    gathered: ColumnEntries?, _ monitor: BuildMonitor = BuildMonitor(pointCount: 0)
  ) throws(UnsuitableValue) -> ColumnEncoding {
    let form = try form()
    guard form.encoding == .entries else { return ColumnEncoding(self, form, entries: nil, hasMissing: hasMissing) }
    guard let all = entries ?? gathered?.entries else {
      preconditionFailure("The different values of the column were not gathered")
    }
    let isCategory = form.kind == .category
    let texts = keepsTexts ? all.texts : all
    let entries = texts.sorted(monitor) { !isCategory || texts.isPresent($0) }
    return ColumnEncoding(self, form, entries: entries, hasMissing: hasMissing && isCategory)
  }
}
