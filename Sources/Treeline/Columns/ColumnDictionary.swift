/// Distinct values, sorted by their bytes. Each entry consists of a tag, which says the kind of the value, and the
/// text of the value in UTF-8.
///
/// The bytes begin with a table of offsets of 8 bytes each. The table has the start of each entry, and then the end of
/// the last entry. Offsets are counted from the end of the table. The entries follow the table.
package struct ColumnDictionary: @unchecked Sendable {
  package let entryCount: Int
  private let table: UnsafeRawBufferPointer
  private let text: UnsafeRawBufferPointer

  /// - Precondition: The bytes contain the whole table, which has 8 bytes for each entry and 8 bytes for the end of the
  ///   last entry.
  package init(_ bytes: UnsafeRawBufferPointer, entryCount: Int) {
    self.entryCount = entryCount
    table = UnsafeRawBufferPointer(rebasing: bytes[..<(8 * (entryCount + 1))])
    text = UnsafeRawBufferPointer(rebasing: bytes[(8 * (entryCount + 1))...])
  }

  /// The number of bytes of all entries together.
  package var textByteCount: Int { text.count }

  /// Returns the tag and the text of an entry; nil if the entry is out of range or damaged.
  package func bytes(ofEntry entry: Int) -> UnsafeRawBufferPointer? {
    guard entry < entryCount else { return nil }
    let (start, end): (UInt64, UInt64) = (table.read(at: 8 * entry), table.read(at: 8 * entry + 8))
    guard start < end, end <= text.count else { return nil }
    return UnsafeRawBufferPointer(rebasing: text[Int(start)..<Int(end)])
  }

  /// Returns the end of an entry, as the number of bytes from the start of the first entry.
  func end(ofEntry entry: Int) -> UInt64 { table.read(at: 8 * entry + 8) }

  /// Returns the kind of an entry's value; nil if the entry cannot be read.
  func tag(ofEntry entry: Int) -> AttributeValue.Tag? {
    bytes(ofEntry: entry).flatMap { AttributeValue.Tag(rawValue: $0[0]) }
  }

  /// Returns whether an entry is a value. Null and entries that cannot be read are not values.
  func isPresent(_ entry: Int) -> Bool {
    switch tag(ofEntry: entry) {
    case nil, .null, .absent: false
    default: true
    }
  }

  /// Number of entries that are values. Only the first entry and the last entry can stand for missing values, because
  /// entries are sorted by their tags.
  package var valueCount: Int {
    entryCount - (entryCount == 0 ? [] : Set([0, entryCount - 1])).count { !isPresent($0) }
  }

  /// Returns the value of an entry. Returns nil if the tag says that the value is absent, and `AttributeValue.null` if
  /// the entry cannot be read.
  package func value(ofEntry entry: Int) -> AttributeValue? {
    guard let bytes = bytes(ofEntry: entry), let tag = AttributeValue.Tag(rawValue: bytes[0]) else { return .null }
    let text = UnsafeRawBufferPointer(rebasing: bytes[1...])
    // Answers contain the text of a number or a JSON value verbatim, so this text must be valid JSON.
    switch tag {
    case .number where !JSONSyntax.isNumber(text), .json where !JSONSyntax.isValue(text): return .null
    default: return AttributeValue(tag, String(decoding: text, as: UTF8.self))
    }
  }
}
