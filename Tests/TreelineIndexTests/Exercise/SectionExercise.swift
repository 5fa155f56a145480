import Treeline

/// Calls all queries of a section that holds a typed column, or its ranks, or its links. The bytes of the section may
/// be damaged in any way.
enum SectionExercise {
  /// Kinds of sections. The first byte of an input chooses one of them. The second byte is the number of points. The
  /// bytes of the section follow.
  static let kinds: [IndexSection.Kind] = [.column, .ranks, .links]

  /// - Returns: Whether the section can be opened.
  @discardableResult static func run(_ input: UnsafeRawBufferPointer) -> Bool {
    guard input.count >= 2, Int(input[0]) < kinds.count else { return false }
    let (kind, pointCount) = (kinds[Int(input[0])], Int(input[1]))
    let section = IndexBytes(UnsafeRawBufferPointer(rebasing: input[2...]))
    defer { withExtendedLifetime(section) {} }
    if kind == .column { return read(section.bytes, pointCount) }
    guard let matrix = try? ColumnMatrix(section: section.bytes, of: kind, pointCount: pointCount) else { return false }
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
