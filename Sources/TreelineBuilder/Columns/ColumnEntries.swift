import Treeline

/// All different values of a column with a long dictionary. Those of parts add up in any order.
public struct ColumnEntries: Sendable {
  private(set) var entries = EntrySet()

  /// None yet.
  public init() {}

  /// About what it takes, in bytes.
  public var memory: Int { entries.memory }

  /// How long the dictionary is that has them all, in bytes: 9 and its text for each, in whatever order they came.
  package var dictionaryLength: Int { entries.bytes.count + 8 * entries.count }

  /// Takes in the values of some points.
  public mutating func add(_ values: ColumnValues, of survey: ColumnSurvey) {
    survey.forEachEntry(of: values) { entries.insert($0) }
  }

  /// Takes in what another has gathered.
  public mutating func add(_ other: ColumnEntries) {
    for number in 0..<other.entries.count { entries.insert(other.entries[number]) }
  }
}

extension ColumnEntries: PlainValue {
  package func write(to bytes: inout PlainBytes) { bytes.append(entries) }

  package init(from bytes: inout PlainBytes) throws(PieceError) {
    entries = try EntrySet(from: &bytes)
    entries.prepare()
  }
}

extension EntrySet {
  /// The entry of a category: values of any type are what they are written as. nil for a missing one.
  func categoryEntry(of number: Int) -> ArraySlice<UInt8>? {
    if tag(of: number) == .string { return self[number] }
    guard let text = value(of: number)?.plainText else { return nil }
    return ([AttributeValue.Tag.string.rawValue] + text.utf8)[...]
  }

  /// The entry of a column of texts: numbers and booleans are what they are written as, all else is as it is.
  func textEntry(of number: Int) -> ArraySlice<UInt8> { categoryEntry(of: number) ?? self[number] }

  /// The entries of the same column of texts.
  var texts: EntrySet {
    let areTexts = (0..<count).allSatisfy { number in
      switch tag(of: number) {
      case .number, .yes, .no: false
      default: true
      }
    }
    if areTexts { return self }
    var texts = EntrySet()
    for number in 0..<count { texts.insert(textEntry(of: number)) }
    return texts
  }

  /// Whether an entry is a value rather than null or absent.
  func isPresent(_ number: Int) -> Bool {
    switch tag(of: number) {
    case .null, .absent, nil: false
    default: true
    }
  }

  /// How many entries are values.
  var valueCount: Int {
    // What is missing has two entries at most.
    count - [AttributeValue.Tag.null, .absent].count { number(of: [$0.rawValue]) != nil }
  }
}
