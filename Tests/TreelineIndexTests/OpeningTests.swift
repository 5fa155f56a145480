import Foundation
import TestSupport
import Testing
@_spi(Server) @testable import Treeline
import TreelineBuilder

/// Checks which indexes are refused on opening, and with which messages.
@Suite struct OpeningTests {
  private func message(_ change: (inout IndexEditor) throws -> Void) throws -> String {
    var editor = try IndexEditor(TestIndex.tiny)
    try change(&editor)
    let error = #expect(throws: IndexError.self) { _ = try editor.withHeaderRepaired().open() }
    return error.map { "\($0)" } ?? "opened"
  }

  @Test func fieldsOfTheHeader() throws {
    #expect(try message { $0.store(UInt16(2), at: 8) }.contains("version 1, found version 2.0"))
    #expect(try message { $0.store(UInt32(1000), at: 12) }.contains("at byte 12: expected"))
    #expect(try message { $0.store(UInt64(1), at: 16) }.contains("the file's length in bytes"))
    #expect(try message { $0.store(UInt32.max, at: 24) }.contains("at byte 24: expected at most 2^31 points"))
    #expect(try message { $0.store(UInt32.max, at: 28) }.contains("at byte 28: expected an odd number of nodes"))
    #expect(try message { $0.store(UInt32(0), at: 28) }.contains("at byte 28"))
    #expect(try message { $0.store(UInt32(7), at: 32) }.contains("at byte 32: expected projection 1"))
    #expect(try message { $0.store(1.0.bitPattern, at: 48) }.contains("at byte 48: expected 0 on Web Mercator"))
    #expect(
      try message { $0.store(UInt32(5), at: 64) }.contains("at byte 64: expected at most 4 clipped points, found 5"))
    #expect(try message { $0.store(UInt32.max, at: 68) }.contains("at byte 68: expected at most 1024 sections"))
    #expect(
      try message { $0.store(UInt32(9), at: 80) }.contains(
        "at byte 80: expected one of the growths 1 (mean), 2 (least-scatter)"))
    #expect(
      try message { $0.store(UInt32(12), at: 84) }.contains(
        "at byte 84: expected a gamma of 0, because the split rule is not gamma, found 12"))
    #expect(
      try message {
        $0.store(UInt32(3), at: 80)
        $0.store(UInt32(33), at: 84)
      }.contains("at byte 84: expected a gamma of 0 to 32 eighths, found 33"))
    #expect(try message { $0.store(UInt8(1), at: 99) }.contains("at byte 99: expected 0, as in all reserved bytes"))
  }

  @Test func planesThatAreNone() throws {
    for (field, value) in [(40, Double.nan), (48, .infinity), (56, -1), (56, 1e301)] {
      var editor = try IndexEditor(TestIndex.planar)
      editor.store(value.bitPattern, at: field)
      #expect(throws: IndexError.self) { _ = try editor.withHeaderRepaired().open() }
    }
    var editor = try IndexEditor(TestIndex.planar)
    editor.store(UInt32(3), at: 36)
    #expect(throws: IndexError.self) { _ = try editor.withHeaderRepaired().open() }
    editor = try IndexEditor(TestIndex.planar)
    editor.store(UInt32(1), at: 64)
    let error = #expect(throws: IndexError.self) { _ = try editor.withHeaderRepaired().open() }
    #expect(
      "\(try #require(error))".contains(
        "at byte 64: expected the number of clipped points on a plain plane, 0, found 1"))
  }

  @Test func sectionTable() throws {
    let first = 128
    #expect(try message { $0.store(UInt32(2), at: first + 4) }.contains("section flags 0 or 1, found 2"))
    #expect(try message { $0.store(UInt64(321), at: first + 8) }.contains("multiple of 64"))
    #expect(try message { $0.store(UInt64(64), at: first + 8) }.contains("that is a multiple of 64 and at least 320"))
    #expect(try message { $0.store(UInt64.max / 64 * 64, at: first + 8) }.contains("ends within the file"))
    #expect(try message { $0.store(UInt64.max, at: first + 16) }.contains("ends within the file"))
    #expect(try message { $0.store(UInt64(24), at: first + 16) }.contains("expected 32 bytes of points, found 24"))
    #expect(
      try message { $0.store($0.number(at: first + 8, as: UInt64.self), at: first + 40) }.contains("and at least"))
    #expect(try message { $0.store(UInt32(1), at: first + 32) }.contains("one section of points, found a second"))
    #expect(try message { $0.store(UInt32(77), at: first) }.contains("needs section kind 77"))
    #expect(
      try message {
        $0.store(UInt32(77), at: first)
        $0.store(UInt32(0), at: first + 4)
      }.contains("a section of points, found none"))
  }

  /// Tests the first optional section. It may occur at most once.
  @Test func sectionOfSeparations() throws {
    var editor = try IndexEditor(TestIndex.spacedPlanar)
    let entry = IndexHeader.offset(ofEntry: 5)
    #expect(editor.header.sections[5].kind == .separations)
    editor.store(UInt64(26), at: entry + 16)
    var error = #expect(throws: IndexError.self) { _ = try editor.withHeaderRepaired().open() }
    #expect("\(try #require(error))".contains("expected 28 bytes of separations, found 26"))

    editor = try IndexEditor(TestIndex.spacedPlanar)
    editor.store(IndexSection.Kind.separations.rawValue, at: IndexHeader.offset(ofEntry: 7))
    error = #expect(throws: IndexError.self) { _ = try editor.withHeaderRepaired().open() }
    #expect("\(try #require(error))".contains("expected one section of separations, found a second"))
  }

  /// If the section of separations gets a private kind, this reader ignores it.
  @Test func indexIsSoundWithoutSeparations() throws {
    var editor = try IndexEditor(TestIndex.spacedPlanar)
    editor.store(UInt32(0xFFFF_0001), at: IndexHeader.offset(ofEntry: 5))
    let index = editor.withHeaderRepaired()
    #expect(try !index.open().hasSeparations)
    #expect(try index.problems() == [])
    let expected = try IndexEditor(TestIndex.spacedPlanar).repaired().open()
    let found = try index.open().clusters(.limit(9), in: PlaneWindow.everything)
    #expect(try found.map(\.id) == expected.clusters(.limit(9), in: PlaneWindow.everything).map(\.id))
  }

  @Test func checksumOfTheHeader() throws {
    var editor = try IndexEditor(TestIndex.tiny)
    editor.store(UInt32(3), at: 24)
    let error = #expect(throws: IndexError.self) { _ = try IndexBytes(editor.bytes).open() }
    #expect("\(try #require(error))".contains("at byte 120: expected the header's checksum"))
  }

  /// A later minor version may use reserved bytes. A reader of this version ignores these bytes.
  @Test func laterMinorVersionIsRead() throws {
    var editor = try IndexEditor(TestIndex.tiny)
    editor.store(IndexHeader.minorVersion + 1, at: 10)
    editor.store(UInt8(5), at: 100)
    #expect(try editor.withHeaderRepaired().open().pointCount == 4)
  }

  @Test func unknownOptionalSectionIsSkipped() throws {
    var editor = try IndexEditor(TestIndex.columns)
    let before = try IndexBytes(editor.bytes).open().columns.map(\.name)
    let entry = 128 + 32 * 7
    editor.store(UInt32(0xFFFF_0001), at: entry)
    let index = editor.withHeaderRepaired()
    #expect(try index.open().columns.map(\.name) == [before[0], before[2]])
    #expect(try index.problems() == [])
  }

  @Test func whatIsNoFile() throws {
    let folder = try TemporaryFolder()
    #expect(throws: IndexError.notAnIndex(path: try folder.write([], to: "empty"), found: "an empty file")) {
      _ = try ClusterTree(contentsOfFile: folder.path("empty"))
    }
    let csv = try folder.write(Array("x,y\n1,2\n".utf8), to: "csv")
    #expect(throws: IndexError.notAnIndex(path: csv, found: "78 2C 79 0A 31 2C 32 0A")) {
      _ = try ClusterTree(contentsOfFile: folder.path("csv"))
    }
    // Nothing writes to the pipe. Opening the pipe must not wait for a writer.
    #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
    for path in [folder.path("pipe"), folder.path("missing"), folder.url.path, "/dev/zero"] {
      let error = #expect(throws: IndexError.self) { _ = try ClusterTree(contentsOfFile: path) }
      guard case .unopenable(path, _)? = error else {
        Issue.record("found \(String(describing: error))")
        continue
      }
    }
  }

  /// The system reads a path only up to its first NUL byte.
  @Test func aPathWithANULByteIsRefused() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(try TestIndex.columns.bytes(), to: "index")
    let tree = try ClusterTree(contentsOfFile: path)
    let error = #expect(throws: IndexError.self) { try ClusterTree(contentsOfFile: path + "\0") }
    #expect(error?.description.hasSuffix("cannot be opened: a path must not contain a NUL byte") ?? false)
    #expect(!ClusterTree.isIndex(atPath: path + "\0.csv"))
    for cut in [folder.url.path + "/new\0index", path + "\0"] {
      let error = #expect(throws: IndexWritingError.self) { try tree.write(toFile: cut, overwriting: true) }
      #expect(error?.description.contains("a path must not contain a NUL byte") ?? false)
    }
    #expect(try folder.contents() == ["index"])
  }

  /// Checks that an open index stays readable after its file is removed, and that a temporary tree stays open while it
  /// answers.
  @Test func mappingLivesAsLongAsTheAnswerIsReadFrom() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(try TestIndex.columns.bytes(), to: "index")
    let expected = try TestIndex.columns.set.tree()
    let root = try #require(try ClusterTree(contentsOfFile: path).root)
    #expect(try ClusterTree(contentsOfFile: path).contentHash == expected.contentHash)
    #expect(try ClusterTree(contentsOfFile: path).attributes(atTreeIndex: 0).count == 3)
    #expect(try ClusterTree(contentsOfFile: path).clusters(.limit(9), in: PlaneWindow.everything).count == 9)
    #expect(try ClusterTree(contentsOfFile: path).positions == expected.positions)
    let rows = try ClusterTree(contentsOfFile: path).members(of: root)
    try FileManager.default.removeItem(atPath: path)
    #expect(rows.sorted() == Array(0..<14))
  }
}
