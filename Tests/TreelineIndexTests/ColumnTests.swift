import Foundation
import PointSets
import TestSupport
import Testing
@_spi(Server) import Treeline
import TreelineBuilder

/// Checks that typed columns are returned as they were written.
@Suite struct ColumnTests {
  static let set = PointSet.cities(300, clusters: 5, seed: 61)

  private func check(
    _ values: [AttributeValue?], _ kind: IndexColumn.Kind?, _ expectedKind: Column.Kind, _ expected: [AttributeValue?]
  ) throws {
    let tree = try Self.set.tree()
    let column = IndexColumn(name: "värde", kind: kind) { values[$0 % values.count] }
    let folder = try TemporaryFolder()
    try tree.write(toFile: folder.path("index"), columns: [column])
    for tree in [try tree.adding(columns: [column]), try ClusterTree(contentsOfFile: folder.path("index"))] {
      let found = try #require(tree.column("värde"))
      #expect(found.kind == expectedKind)
      for index in 0..<tree.pointCount {
        #expect(found.value(atTreeIndex: index) == expected[tree.row(atTreeIndex: index) % values.count])
      }
    }
    #expect(try IndexHeader(ofIndex: folder.path("index")).minorVersion == 3)
  }

  private func numbers(_ literals: String...) -> [AttributeValue?] { literals.map { .number($0) } }

  @Test func numbersComeBackExactly() throws {
    for literals in [
      numbers("1", "2.50", "-3"), numbers("9223372036854775807", "9223372036854775806"),
      numbers("-9223372036854775808"),
      numbers("255", "0"), numbers("254", "0"), numbers("1e300", "1e-300"), numbers("0.1", "1e3"),
      numbers("-9223372036854775808", "0"),
    ] {
      let expected: [AttributeValue?] = literals.map { .number("\(DecimalNumber($0!.text)!)") }
      for kind in [nil, .number] as [IndexColumn.Kind?] where !literals.contains(.number("1e300")) {
        try check(literals + [nil], kind, .number, expected + [.null])
      }
    }
    let reals = try Self.set.tree().adding(columns: [IndexColumn(name: "n") { _ in .number("1e300") }])
    #expect(reals.column("n")?.value(atTreeIndex: 0) == .number("1e+300"))
  }

  /// Checks the size of columns: a number takes at most 8 bytes per point, and a category 1, 2 or 4 bytes. Everything
  /// else in a column takes almost no space.
  @Test func columnsAreNoWiderThanTheirKinds() throws {
    let tree = try PointSet.cities(20_000, clusters: 9, seed: 5).tree()
    let columns: [(IndexColumn, bytesPerPoint: Int)] = [
      (IndexColumn(name: "cents", kind: .number) { .number("\($0 % 250).\(10 + $0 % 90)") }, 2),
      (IndexColumn(name: "huge", kind: .number) { .number($0 == 0 ? "9223372036854775807" : "-\($0)") }, 8),
      (IndexColumn(name: "real", kind: .number) { .number("\($0)e\($0 % 60 - 30)") }, 8),
      (IndexColumn(name: "few", kind: .category) { .string("kind \($0 % 10)") }, 1),
      (IndexColumn(name: "many", kind: .category) { .string("\($0 % 300)") }, 2),
      (IndexColumn(name: "flag", kind: .boolean) { .bool($0 % 2 == 0) }, 1),
      (IndexColumn(name: "second", instant: { Instant(seconds: Int64($0) * 40_000, nanoseconds: 0) }), 4),
      (IndexColumn(name: "nanosecond", instant: { Instant(seconds: Int64($0), nanoseconds: UInt32($0)) }), 8),
    ]
    let folder = try TemporaryFolder()
    try tree.write(toFile: folder.path("bare"))
    let bare = try Data(contentsOf: URL(fileURLWithPath: folder.path("bare"))).count
    for (column, bytesPerPoint) in columns {
      try tree.write(toFile: folder.path("index"), columns: [column], overwriting: true)
      let added = try Data(contentsOf: URL(fileURLWithPath: folder.path("index"))).count - bare
      #expect(
        Double(added) <= Double(bytesPerPoint * tree.pointCount) * 1.15, "\(added) bytes for \(bytesPerPoint) a point")
    }
  }

  @Test func whatIsNoNumberIsMissing() throws {
    for kind in [nil, .number] as [IndexColumn.Kind?] {
      let values: [AttributeValue?] = [.string("NaN"), .number("1.5"), .string("nan")]
      try check(values, kind, .number, [.null, .number("1.5"), .null])
    }
    try check([.string("NaN")], nil, .text, [.string("NaN")])
    for text in ["Infinity", "-inf", "nan.", ""] {
      #expect(throws: ColumnError.self) {
        _ = try Self.set.tree().adding(columns: [IndexColumn(name: "n", kind: .number) { _ in .string(text) }])
      }
    }
  }

  @Test func textsComeBack() throws {
    let texts: [AttributeValue?] = ["b", "", "é"].map { .string($0) }
    try check(texts + [nil], nil, .category, texts + [.null])
    try check(texts + [nil, .null], .text, .text, texts + [nil, .null])
    let mixed: [AttributeValue?] = [.number("1"), .string("1"), .json("[1]"), .bool(true), nil, .null]
    // A column has only one type, so values of several types become texts.
    let asTexts: [AttributeValue?] = [.string("1"), .string("1"), .json("[1]"), .string("true"), nil, .null]
    for kind in [nil, .text] as [IndexColumn.Kind?] { try check(mixed, kind, .text, asTexts) }
    try check([.number("1.0"), .bool(true)], .category, .category, [.string("1.0"), .string("true")])
    try check([nil, .null], nil, .text, [nil, .null])
  }

  @Test func booleansAndTimesComeBack() throws {
    try check([.string("TRUE"), .string("false"), nil], nil, .boolean, [.bool(true), .bool(false), .null])
    try check([.string("Yes"), .number("0")], .boolean, .boolean, [.bool(true), .bool(false)])
    try check(
      [.string("0001-01-01"), .string("9999-12-31")], nil, .time, [.string("0001-01-01"), .string("9999-12-31")])
    try check(
      [.string("1969-12-31T23:59:60.5+00:00"), nil], nil, .time, [.string("1970-01-01T00:00:00.5Z"), .null])
    try check([.number("-1")], .time, .time, [.string("1969-12-31T23:59:59Z")])
    try check([.number("-1")], .timeInMilliseconds, .time, [.string("1969-12-31T23:59:59.999Z")])
  }

  @Test func unsuitableValuesAreRefused() throws {
    let tree = try Self.set.tree()
    for kind in [.number, .boolean, .time, .timeInMilliseconds, .category] as [IndexColumn.Kind] {
      #expect(throws: ColumnError.self) {
        _ = try tree.adding(columns: [IndexColumn(name: "a", kind: kind) { $0 == 7 ? .json("[1]") : nil }])
      }
    }
  }

  private struct Hotel: Sendable {
    var coordinate: Coordinate
    var price: Int
    var kind: String?
  }

  @Test func mapsHaveColumnsOfProperties() throws {
    let hotels = Self.set.coordinates.enumerated().map {
      Hotel(coordinate: $1, price: $0, kind: $0 % 2 == 0 ? "inn" : nil)
    }
    let map = try ClusterMap(hotels, at: \.coordinate, columns: .number(\.price), .category(\.kind, name: "type"))
    #expect(map.tree.columns.map(\.name) == ["price", "type"])
    for index in 0..<map.tree.pointCount {
      let row = map.tree.row(atTreeIndex: index)
      #expect(map.tree.columns[0].value(atTreeIndex: index) == .number("\(row)"))
      #expect(map.tree.columns[1].value(atTreeIndex: index) == (row % 2 == 0 ? .string("inn") : .null))
    }
  }
}
