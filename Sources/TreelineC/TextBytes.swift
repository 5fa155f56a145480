import CTreeline
import TreelineBuilder

extension treeline_column {
  /// Returns whether a text of the column is valid UTF-8. The offsets must have been checked.
  func isUTF8(_ number: Int) -> Bool {
    let (start, end) = (Int(offsets[number]), Int(offsets[number + 1]))
    let text = UnsafeRawBufferPointer(start: bytes + start, count: end - start)
    // Most texts are ASCII, which needs no further check.
    return text.allSatisfy { $0 < 0x80 } || String(validating: text, as: UTF8.self) != nil
  }

  /// - Parameter row: Row number of the text.
  func notUTF8(_ name: String, row: Int) -> ColumnError {
    .unsuitableValue(
      column: name, row: row, expected: "a text in UTF-8", found: "other bytes", remedy: "convert the text to UTF-8")
  }

  /// - Parameter entry: Number of the text among the texts to which codes refer.
  func notUTF8(_ name: String, entry: Int) -> ArgumentError {
    ArgumentError(
      "column \(name.debugDescription), entry \(entry): expected a text in UTF-8, found other bytes; convert the text "
        + "to UTF-8")
  }
}
