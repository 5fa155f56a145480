import Treeline

/// All different values of a column with a long dictionary. The points may be divided into
/// subsets: the values of each subset can be gathered independently, and the results can be combined in any order.
public struct ColumnEntries: Sendable {
  private(set) var entries = EntrySet()

  /// Makes a set without values.
  public init() {}

  /// Approximate memory of the values, in bytes.
  public var memory: Int { entries.memory }

  /// Length of a dictionary with all values of this object, in bytes. Each value takes the bytes of its entry and 8
  /// further bytes.
  var dictionaryLength: Int { entries.bytes.count + 8 * entries.count }

  /// Adds the values of some points.
  public mutating func add(_ values: ColumnValues, of survey: ColumnSurvey) {
    survey.forEachEntry(of: values) { entries.insert($0) }
  }

  /// Adds the values that `other` has gathered.
  public mutating func add(_ other: ColumnEntries) {
    for number in 0..<other.entries.count { entries.insert(other.entries[number]) }
  }
}

extension ColumnEntries: BinaryCodable {
  package func write(to bytes: inout PlainBytes) { bytes.append(entries) }

  package init(from bytes: inout PlainBytes) throws(PieceError) {
    entries = try EntrySet(from: &bytes)
    entries.prepare()
  }
}

extension EntrySet {
  /// Returns the entry that a column of categories has for a value; nil for a missing value. The entry is the text of
  /// the value, spelled as in the input.
  func categoryEntry(of number: Int) -> ArraySlice<UInt8>? {
    if tag(of: number) == .string { return self[number] }
    guard let text = value(of: number)?.plainText else { return nil }
    return ([AttributeValue.Tag.string.rawValue] + text.utf8)[...]
  }

  /// Returns the entry that a column of texts has for a value. Numbers and booleans become texts, spelled as in the
  /// input. All other values stay unchanged.
  func textEntry(of number: Int) -> ArraySlice<UInt8> { categoryEntry(of: number) ?? self[number] }

  /// The entries that a column of texts has for the values in this set.
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

  /// Number of entries that are values.
  var valueCount: Int {
    // At most two entries stand for missing values: null and absent.
    count - [AttributeValue.Tag.null, .absent].count { number(of: [$0.rawValue]) != nil }
  }
}
