/// Distinct values, each a tag and its text in UTF-8, in the order of their bytes.
///
/// First a table of 8 bytes an entry and 8 more: where each begins and the last one ends, from the end of the table.
/// Then the entries.
package struct ColumnDictionary: @unchecked Sendable {
  package let entryCount: Int
  private let table: UnsafeRawBufferPointer
  private let text: UnsafeRawBufferPointer

  /// - Precondition: there are 8 bytes for each entry, and 8 more.
  package init(_ bytes: UnsafeRawBufferPointer, entryCount: Int) {
    self.entryCount = entryCount
    table = UnsafeRawBufferPointer(rebasing: bytes[..<(8 * (entryCount + 1))])
    text = UnsafeRawBufferPointer(rebasing: bytes[(8 * (entryCount + 1))...])
  }

  /// Of all entries together.
  var textByteCount: Int { text.count }

  /// The tag and the text of an entry; nil where there is none.
  package func bytes(ofEntry entry: Int) -> UnsafeRawBufferPointer? {
    guard entry < entryCount else { return nil }
    let (start, end): (UInt64, UInt64) = (table.read(at: 8 * entry), table.read(at: 8 * entry + 8))
    guard start < end, end <= text.count else { return nil }
    return UnsafeRawBufferPointer(rebasing: text[Int(start)..<Int(end)])
  }

  /// What kind of value an entry is; nil where it cannot be read.
  func tag(ofEntry entry: Int) -> AttributeValue.Tag? {
    bytes(ofEntry: entry).flatMap { AttributeValue.Tag(rawValue: $0[0]) }
  }

  /// Whether an entry is a value: null and what cannot be read are not.
  func isPresent(_ entry: Int) -> Bool {
    switch tag(ofEntry: entry) {
    case nil, .null, .absent: false
    default: true
    }
  }

  /// The value of an entry: nil for one that is absent, null for one that cannot be read.
  package func value(ofEntry entry: Int) -> AttributeValue? {
    guard let bytes = bytes(ofEntry: entry), let tag = AttributeValue.Tag(rawValue: bytes[0]) else { return .null }
    let text = UnsafeRawBufferPointer(rebasing: bytes[1...])
    // What answers contain verbatim must be valid.
    switch tag {
    case .number where !JSONSyntax.isNumber(text), .json where !JSONSyntax.isValue(text): return .null
    default: return AttributeValue(tag, String(decoding: text, as: UTF8.self))
    }
  }
}
