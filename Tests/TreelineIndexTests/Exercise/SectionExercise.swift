@_spi(Server) @testable import Treeline

/// Calls all queries of a section that holds a typed column, or that prepares a column. The bytes of the section may
/// be damaged in any way.
enum SectionExercise {
  /// Kinds of sections. The first byte of an input chooses one of them. The second byte is the number of points. The
  /// bytes of the section follow. For a search, they follow the length of the column's section, in two bytes, and the
  /// column's section.
  static let kinds = [IndexSection.Kind.column] + IndexSection.Kind.ofColumns

  /// - Returns: Whether the section can be opened.
  @discardableResult static func run(_ input: UnsafeRawBufferPointer) -> Bool {
    guard input.count >= 2, Int(input[0]) < kinds.count else { return false }
    let (kind, pointCount) = (kinds[Int(input[0])], Int(input[1]))
    let section = IndexBytes(UnsafeRawBufferPointer(rebasing: input[2...]))
    defer { withExtendedLifetime(section) {} }
    if kind == .column { return read(section.bytes, pointCount) }
    if kind == .search { return search(section.bytes, pointCount) }
    let named = NamedBytes(bytes: section.bytes, name: "memory")
    guard let matrix = try? ColumnMatrix(named, of: kind, pointCount: pointCount) else { return false }
    for start in Set([0, pointCount / 3, pointCount]) {
      for end in Set([start, (start + pointCount) / 2, pointCount]) {
        for bound in [0, 1, matrix.valueCount, start + 1, pointCount, .max] {
          let count = matrix.matrix.count(below: bound, in: start..<end)
          guard 0...end - start ~= count else { fatalError("\(count) integers of \(start)..<\(end)") }
        }
        for place in [0, (end - start) / 2, end - start] {
          let integer = matrix.matrix.integer(at: place, ofSorted: start..<end)
          guard integer >> matrix.matrix.levelCount == 0 else { fatalError("\(integer) of too many levels") }
          if let index = matrix.firstIndex(ofRank: integer), index >= pointCount { fatalError("The point \(index)") }
        }
      }
    }
    return true
  }

  private static func search(_ bytes: UnsafeRawBufferPointer, _ pointCount: Int) -> Bool {
    guard bytes.count >= 2 else { return false }
    let length = Int(bytes.read(at: 0) as UInt16)
    guard bytes.count >= 2 + length else { return false }
    let column = IndexBytes(UnsafeRawBufferPointer(rebasing: bytes[2..<2 + length]))
    let section = IndexBytes(UnsafeRawBufferPointer(rebasing: bytes[(2 + length)...]))
    defer { withExtendedLifetime((column, section)) {} }
    guard var found = try? Column(section: column.bytes, pointCount: pointCount),
      (try? found.attach(section: section.bytes, of: .search)) != nil
    else { return false }
    for text in ["i", "bay", "東", "\u{1100}", "z"] {
      for hit in found.search(text, limit: 50) where !(0..<pointCount ~= hit.treeIndex) {
        fatalError("The point \(hit.treeIndex)")
      }
    }
    return true
  }

  private static func read(_ bytes: UnsafeRawBufferPointer, _ pointCount: Int) -> Bool {
    guard let column = try? Column(section: bytes, pointCount: pointCount) else { return false }
    let keys = OrderedKeys(of: column)
    for index in 0..<pointCount {
      _ = column.value(atTreeIndex: index)
      _ = keys[index]
    }
    return true
  }
}
