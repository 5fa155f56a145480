import PointSets
import Testing
@_spi(Server) import Treeline
import TreelineBuilder

/// Checks the description that an index contains for its readers.
@Suite struct DescriptionTests {
  private static let tree = try! PointSet.planar(20, x: 0...4, y: 0...1, seed: 12).tree()
  private static let attribute = IndexAttribute(name: "n") { .number("\($0)") }

  @Test(arguments: [
    IndexDescription(title: "Houses"), IndexDescription(attribution: "© e\u{301} \u{0}"), IndexDescription(unit: "m"),
    IndexDescription(title: "🏔 <b>", attribution: "a", unit: "km"),
  ]) func everyTextComesBack(_ description: IndexDescription) throws {
    let index = IndexBytes(try Self.tree.indexBytes(attributes: [Self.attribute], description: description))
    let opened = try index.open()
    #expect(opened.indexDescription == description)
    #expect(opened.columns.map(\.name) == ["n"])
    #expect(try index.problems() == [])
  }

  /// Checks that an empty description does not change a byte, and that an index without a description has a version
  /// that older readers know.
  @Test func noDescriptionIsNoSection() throws {
    let plain = try Self.tree.indexBytes(attributes: [Self.attribute])
    #expect(try Self.tree.indexBytes(attributes: [Self.attribute], description: IndexDescription(title: "")) == plain)
    #expect(try IndexEditor(plain).header.minorVersion == 0)
    #expect(try IndexBytes(plain).open().indexDescription.isEmpty && Self.tree.indexDescription.isEmpty)
  }

  /// A reader of version 1.0 accepts any minor version and ignores unknown optional sections. Checks that a description
  /// changes nothing else in the file.
  @Test func olderReadersPassOverIt() throws {
    let plain = try IndexEditor(Self.tree.indexBytes(attributes: [Self.attribute]))
    let told = try IndexEditor(
      Self.tree.indexBytes(attributes: [Self.attribute], description: IndexDescription(title: "Houses")))
    let section = try #require(told.header.sections.last)
    #expect(told.header.minorVersion == 1)
    #expect(section.kind.rawValue == 17 && !section.isRequired)
    #expect(
      told.header.sections.dropLast().map { [UInt64($0.kind.rawValue), $0.length, $0.checksum] }
        == plain.header.sections.map { [UInt64($0.kind.rawValue), $0.length, $0.checksum] })
    #expect(told.header.contentHash == plain.header.contentHash)
  }

  @Test func sectionIsOfVersionOneOne() throws {
    var editor = try IndexEditor(TestIndex.described)
    editor.store(UInt16(0), at: 10)
    #expect(try editor.forged().problems().map(\.found) == ["17"])
  }

  @Test func unitIsOfAPlainPlane() throws {
    let index = try PointSet.one.tree().indexBytes(description: IndexDescription(unit: "m"))
    let expected = "no unit, because the points are longitudes and latitudes"
    #expect(try IndexBytes(index).problems().map(\.expected) == [expected])
  }

  @Test(arguments: [(0, UInt32(99)), (4, UInt32.max), (8, 0)]) func lengthsThatAreWrongAreRefused(
    _ offset: Int, _ length: UInt32
  ) throws {
    var editor = try IndexEditor(TestIndex.described)
    editor.store(length, at: editor.offset(of: .description) + offset)
    #expect(throws: IndexError.self) { try editor.repaired().open() }
  }

  @Test func otherBytesAreReported() throws {
    var editor = try IndexEditor(TestIndex.described)
    editor.store(UInt8(0xFF), at: editor.offset(of: .description) + 16)
    #expect(try editor.forged().problems().map(\.expected) == ["text in UTF-8"])
    editor = try IndexEditor(TestIndex.described)
    editor.store(UInt32(1), at: editor.offset(of: .description) + 12)
    #expect(try editor.forged().problems().map(\.expected) == ["0 in the reserved bytes 12 to 15"])
  }

  @Test func columnsLeaveRoomForIt() throws {
    let attributes = (0..<1018).map { number in IndexAttribute(name: "\(number)") { _ in .null } }
    #expect(throws: IndexWritingError.tooManyAttributes(found: 1018, maximum: 1017)) {
      _ = try PointSet.one.tree().indexBytes(attributes: attributes, description: IndexDescription(title: "One"))
    }
  }
}
