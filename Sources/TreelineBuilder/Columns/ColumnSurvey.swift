import Treeline

/// What all values of a column have in common, which is what their encoding depends on. Surveys of parts, made
/// anywhere, add up in any order.
///
/// ```swift
/// var survey = ColumnSurvey(of: .number, name: "price")
/// survey.add(values, firstPoint: 0)
/// let encoding = try survey.encoding()
/// ```
public struct ColumnSurvey: Sendable {
  /// What an index is to keep of a column.
  public enum Purpose: Hashable, Sendable {
    /// A typed column, of a kind that is declared, or to be found where it is nil.
    case typed(IndexColumn.Kind?)
    /// Values as they are written, for display.
    case attribute
  }

  /// Of the column.
  public private(set) var name: String
  /// What is kept of it.
  public let purpose: Purpose
  /// How many points were looked at.
  public internal(set) var pointCount = 0
  var hasMissing = false
  /// What the column can still be.
  var candidates: Candidates
  var numbers = NumberSurvey()
  var times = TimeSurvey()
  /// How numbers are written, where values are cells of text, which have no type of their own: a number among them is
  /// one if the whole column is of numbers.
  let cells: DecimalMark?
  var spelling = CellSpelling()
  /// Those that a dictionary would have, up to one more than a column that is found to be of categories has.
  var entries: EntrySet? = EntrySet()
  /// The first value that does not suit the kind that was declared.
  var problem: UnsuitableValue?

  struct Candidates: OptionSet {
    let rawValue: UInt8
    static let numbers = Candidates(rawValue: 1)
    static let booleans = Candidates(rawValue: 2)
    static let times = Candidates(rawValue: 4)
    static let categories = Candidates(rawValue: 8)
    /// Numbers that an attribute gives back as they were written.
    static let doubles = Candidates(rawValue: 16)
  }

  /// A category that is found has no more entries than these, or a 16th of the points.
  static let fewEntries = 256
  static let mostEntries = 65_536

  /// A survey of no points.
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

  /// The same survey of a column with another name.
  package func named(_ name: String) -> ColumnSurvey {
    var survey = self
    survey.name = name
    return survey
  }

  /// The same survey of points whose numbers are so much greater.
  ///
  /// - Throws: `PieceError` for numbers beyond 2^53.
  package func numbered(from first: Int) throws(PieceError) -> ColumnSurvey {
    var survey = self
    if let problem { survey.problem?.point = try numberedPoint(problem.point, from: first) }
    survey.times = try times.numbered(from: first)
    return survey
  }

  private var isFound: Bool { purpose == .typed(nil) }

  /// Takes in the values of some points.
  ///
  /// - Parameters:
  ///   - values: In the order of their points.
  ///   - firstPoint: The number of the first of them, for errors.
  public mutating func add(_ values: ColumnValues, firstPoint: Int) { add(values) { firstPoint + $0 } }

  /// Takes in the values of some points.
  ///
  /// - Parameter row: By which errors tell of a point.
  package mutating func add(_ values: ColumnValues, row: (_ point: Int) -> Int) {
    pointCount += values.count
    values.forEachEntry { number, point in
      add(values.entries.value(of: number), ofPoint: row(point))
      addEntry(number, of: values.entries)
    }
  }

  /// Takes in a number, or none.
  mutating func add(_ integer: Int64?) {
    pointCount += 1
    if let integer { numbers.add(SmallDecimal(integer)) }
  }

  /// Takes in a time, or none.
  mutating func add(_ instant: Instant?) {
    if let instant { times.add(instant, ofPoint: pointCount) }
    pointCount += 1
  }

  /// Takes in what another survey of the same column has found.
  public mutating func add(_ other: ColumnSurvey) {
    precondition(purpose == other.purpose, "Surveys of different columns")
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

  private mutating func add(_ value: AttributeValue?, ofPoint point: Int) {
    if candidates.contains(.doubles), AttributeColumn.bits(of: value) == nil { candidates.remove(.doubles) }
    if let cells, let value, value != .null { addSpelling(of: value, cells) }
    guard purpose != .attribute, purpose != .typed(.text) else { return }
    guard let value, value != .null else {
      hasMissing = true
      return
    }
    if candidates.contains(.numbers) { addNumber(value, ofPoint: point) }
    if candidates.contains(.booleans), (isFound ? value.foundBoolean : value.declaredBoolean) == nil {
      reject(value, as: .booleans, ofPoint: point, expected: "true or false, yes or no, 1 or 0")
    }
    if candidates.contains(.times) {
      if let instant = value.instant(numbersPerSecond: purpose.numbersPerSecond) {
        times.add(instant, ofPoint: point)
        if value.tag == .number { times.noteNumber(instant) }
      } else {
        reject(
          value, as: .times, ofPoint: point,
          expected: "a time of ISO 8601, such as 2024-05-01 or 2024-05-01T12:30:00Z")
      }
    }
    if candidates.contains(.categories), isFound ? value.tag != .string : value.plainText == nil {
      reject(
        value, as: .categories, ofPoint: point, expected: "a text, a number or a boolean",
        remedy: "declare it as text, or leave the value out")
    }
  }

  /// Notes how a cell is written, as long as the column may be of numbers.
  private mutating func addSpelling(of value: AttributeValue, _ mark: DecimalMark) {
    guard candidates.contains(.numbers), !spelling.hasPoint || purpose == .attribute else { return }
    let isNumber = spelling.add(value.text, mark: mark)
    // An attribute is given back as it is written, and a bare point is not JSON.
    if purpose == .attribute, !isNumber || value.tag != .number { candidates.remove(.numbers) }
  }

  private mutating func addNumber(_ value: AttributeValue, ofPoint point: Int) {
    switch number(of: value) {
    case .missing: hasMissing = true
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

  /// What a value is to a column of numbers. Texts are numbers where they are declared to be, and cells where they are
  /// written as amounts are.
  private func number(of value: AttributeValue) -> AttributeValue.Number {
    let number = value.number(mark: cells ?? .point)
    guard isFound, cells == nil, case .string = value, case .literal = number else { return number }
    return .none
  }

  /// Notes that a value does not suit a kind: an error if it was declared to be of that.
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

  /// What the dictionary of the column has for an entry of its values; nil where that is missing.
  private func entry(of number: Int, of values: EntrySet) -> ArraySlice<UInt8>? {
    guard purpose == .typed(.category) else { return values[number] }
    return values.categoryEntry(of: number)
  }

  // MARK: - The encoding

  /// Visits what the dictionary has of some values.
  func forEachEntry(of values: ColumnValues, _ visit: (ArraySlice<UInt8>) -> Void) {
    for number in 0..<values.entries.count { if let entry = entry(of: number, of: values.entries) { visit(entry) } }
  }

  /// How the values are encoded, but for the entries of a dictionary.
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

  /// Whether the entries of a dictionary are texts, however they came: a column has one type. Attributes are kept as
  /// they are, but for cells.
  var keepsTexts: Bool {
    switch purpose {
    case .typed: true
    case .attribute: cells != nil && !(candidates.contains(.numbers) && spelling.areNumbers)
    }
  }

  private var foundForm: ColumnForm {
    if candidates.contains(.numbers) {
      if !spelling.areNumbers { return .entries(.text) }
      // Nothing tells what a column without a value is of; as texts, null and absent values stay apart.
      return numbers.hasValue ? numbers.form : .entries(.text)
    }
    if candidates.contains(.booleans) { return .booleans }
    if candidates.contains(.times), let form = try? times.form() { return form }
    let greatest = min(max(Self.fewEntries, pointCount / 16), Self.mostEntries)
    guard candidates.contains(.categories), let entries else { return .entries(.text) }
    return .entries(entries.valueCount <= greatest ? .category : .text)
  }

  /// Whether the encoding needs more different values than a survey keeps, 65,536: all of them, gathered by a second
  /// look at the values.
  ///
  /// - Throws: `ColumnError` for a value that does not suit the kind of the column.
  public func needsGathering() throws(ColumnError) -> Bool {
    do throws(UnsuitableValue) { return try hasLongDictionary() } catch {
      throw error.error(column: name, row: error.point)
    }
  }

  /// How the values are encoded, once all are surveyed.
  ///
  /// - Parameter gathered: All different values of the column, if `needsGathering`.
  /// - Throws: `ColumnError` for a value that does not suit the kind of the column; its row is the number of the point.
  public func encoding(gathered: ColumnEntries? = nil) throws(ColumnError) -> ColumnEncoding {
    do throws(UnsuitableValue) { return try foundEncoding(gathered: gathered) } catch {
      throw error.error(column: name, row: error.point)
    }
  }

  func hasLongDictionary() throws(UnsuitableValue) -> Bool { try form().encoding == .entries && entries == nil }

  /// - Parameter monitor: If it is cancelled, the encoding is of no use.
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
