import Foundation
import PointSets
import Testing
@_spi(Server) import Treeline
import TreelineBuilder

/// Checks that columns are returned as they were written.
@Suite struct AttributeTests {
  static let set = PointSet.cities(300, clusters: 5, seed: 61)

  private func opened(_ values: @escaping @Sendable (Int) -> AttributeValue?) throws -> ClusterTree {
    try IndexBytes(Self.set.tree().indexBytes(attributes: [IndexAttribute(name: "värde", value: values)])).open()
  }

  static let columns: [[AttributeValue?]] = [
    ["a", "", "é", "e\u{301}", "\u{0}", "🏔", "\"\\\n"].map { .string($0) },
    ["0", "-1", "1e+16", "0.1", "5e-324", "-0.0", "1.7976931348623157e+308"].map { .number($0) },
    ["1.0", "1e5", "123456789012345678901234567890", "-0", "0.10"].map { .number($0) }, [.null],
    [.bool(true), .bool(false), .null], [.number("1"), .null],
    [.number("1"), .string("1"), .json("[1]"), .bool(true), .null, .json("{ \"a\" : [ ] }"), .string("")], [nil],
    [nil, .null], [.number("1"), nil, .null, .number("0.5")], [.string(""), nil, .null, .bool(false)],
  ]

  @Test(arguments: columns) func everyValueComesBack(_ values: [AttributeValue?]) throws {
    let tree = try opened { values[$0 % values.count] }
    #expect(tree.columns.map(\.name) == ["värde"])
    for index in 0..<tree.pointCount {
      let found = tree.attributes(atTreeIndex: index).first?.value
      let expected = values[tree.row(atTreeIndex: index) % values.count]
      // Compares bytes, because Unicode regards some strings with different bytes as equal.
      #expect(found?.tag == expected?.tag && found.map { Array($0.text.utf8) } == expected.map { Array($0.text.utf8) })
    }
  }

  /// A column that contains only nulls is stored like a column of numbers.
  @Test(
    arguments: zip(
      columns,
      [.string, .number, .number, .number, .boolean, .number, .mixed, .number, .number, .number, .mixed]
        as [AttributeType])) func typesAreThoseOfTheValues(_ values: [AttributeValue?], _ type: AttributeType) throws
  {
    let tree = try opened { values[$0 % values.count] }
    // A column does not keep its tree alive.
    withExtendedLifetime(tree) { #expect(tree.columns.map(\.type) == [type]) }
  }

  /// Checks that a repeated string is stored only once. Each point then takes four bytes.
  @Test func repeatedStringsAreKeptOnce() throws {
    let plain = try Self.set.tree().indexBytes().count
    let long = String(repeating: "x", count: 1000)
    let attribute = IndexAttribute(name: "long") { _ in .string(long) }
    #expect(try Self.set.tree().indexBytes(attributes: [attribute]).count < plain + 4 * 300 + 1000 + 200)
  }

  @Test func numbersTakeEightBytes() throws {
    let attribute = IndexAttribute(name: "n") { .number("\($0)") }
    let header = try IndexEditor(Self.set.tree().indexBytes(attributes: [attribute])).header
    #expect(header.sections.last?.length == UInt64(16 + 8 + 8 * 300))
  }

  /// One NaN stands for null, and another NaN for a missing value. So neither needs more space than a number.
  @Test func numbersTakeEightBytesWhereSomeAreAbsent() throws {
    let attribute = IndexAttribute(name: "n") { [.number("\($0)"), nil, .null][$0 % 3] }
    let header = try IndexEditor(Self.set.tree().indexBytes(attributes: [attribute])).header
    #expect(header.sections.last?.length == UInt64(16 + 8 + 8 * 300))
  }

  /// Names are compared by their bytes, so two different names may be equal in Unicode.
  @Test func columnsOfOneNameAreRefused() throws {
    let tree = try PointSet.one.tree()
    let attributes = ["\u{E9}", "e\u{301}", "x"].map { name in IndexAttribute(name: name) { _ in .null } }
    #expect(try IndexBytes(tree.indexBytes(attributes: attributes)).problems() == [])
    #expect(throws: IndexWritingError.attributeTwice(name: "x")) {
      _ = try tree.indexBytes(attributes: attributes + [IndexAttribute(name: "x") { _ in .bool(true) }])
    }
  }

  @Test func moreColumnsThanSectionsAreRefused() throws {
    let attributes = (0..<1019).map { number in IndexAttribute(name: "\(number)") { _ in .null } }
    let tree = try PointSet.one.tree()
    #expect(throws: IndexWritingError.tooManyAttributes(found: 1019, maximum: 1018)) {
      _ = try tree.indexBytes(attributes: attributes)
    }
    #expect(
      try IndexBytes(tree.indexBytes(attributes: Array(attributes.dropLast()))).open().columns.count == 1018)
  }

  @Test func separationsTakeASectionFromTheColumns() throws {
    let attributes = (0..<1018).map { number in IndexAttribute(name: "\(number)") { _ in .null } }
    let tree = try PointSet.one.tree(supporting: .spacing)
    #expect(throws: IndexWritingError.tooManyAttributes(found: 1018, maximum: 1017)) {
      _ = try tree.indexBytes(attributes: attributes)
    }
    let index = IndexBytes(try tree.indexBytes(attributes: Array(attributes.dropLast())))
    #expect(try index.problems() == [] && index.open().hasSeparations)
  }

  /// If such values were written, the index would be damaged, and the values would be read as null.
  @Test(arguments: [
    (AttributeValue.number("nan"), "a JSON number, such as 1.5", "\"nan\""), (.number("inf"), "a JSON number", "inf"),
    (.number("01"), "a JSON number", "01"), (.number(""), "a JSON number", "\"\""), (.json("{"), "valid JSON", "\"{\""),
    (.json("[1] "), "valid JSON", "[1]"), (.json(""), "valid JSON", "\"\""),
  ]) func textsThatAreNotOfTheirTypeAreRefused(_ bad: AttributeValue, _ expected: String, _ found: String) throws {
    let tree = try Self.set.tree()
    let value: @Sendable (Int) -> AttributeValue? = { $0 == 7 ? bad : .number("\($0)") }
    func check(_ body: () throws -> Void) {
      do {
        try body()
        Issue.record("Expected an error for \(bad)")
      } catch IndexWritingError.column(.unsuitableValue("värde", 7, let wanted, let text, let remedy)) {
        #expect(wanted.contains(expected) && text.contains(found) && remedy.contains("string"))
      } catch { Issue.record("\(error)") }
    }
    check { _ = try tree.indexBytes(attributes: [IndexAttribute(name: "värde", value: value)]) }
    guard bad.tag == .json else { return }
    for kind in [nil, .text] as [IndexColumn.Kind?] {
      let column = IndexColumn(name: "värde", kind: kind, value: value)
      check { _ = try tree.indexBytes(columns: [column]) }
    }
  }

  /// A damaged literal is returned as null. If it were written unchanged, the answer would be invalid JSON.
  @Test func damagedLiteralsAreNull() throws {
    var editor = try IndexEditor(
      Self.set.tree().indexBytes(attributes: [
        IndexAttribute(name: "a") { _ in .number("1.50") }, IndexAttribute(name: "b") { _ in .json("[1,2]") },
      ]))
    for section in editor.header.sections.suffix(2) {
      editor.store(UInt8(ascii: "}"), at: Int(section.offset + section.length) - 1)
    }
    let index = editor.repaired()
    #expect(try index.open().attributes(atTreeIndex: 0).map(\.value) == [.null, .null])
    #expect(try index.problems().count { $0.location.contains("entry 0") } == 2)
  }
}
