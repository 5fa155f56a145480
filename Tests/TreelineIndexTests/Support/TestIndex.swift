import Foundation
import PointSets
import TestSupport
import Treeline
import TreelineBuilder

/// Small indexes that tests damage. Together they contain everything that an index may contain.
struct TestIndex: Sendable, CustomStringConvertible {
  let name: String
  let set: PointSet
  let attributes: [IndexAttribute]
  let columns: [IndexColumn]
  let hasSeparations: Bool
  let telling: IndexDescription

  var description: String { name }

  func bytes() throws -> [UInt8] {
    try set.tree(hasSeparations: hasSeparations).indexBytes(
      attributes: attributes, columns: columns, description: telling)
  }

  init(
    name: String, set: PointSet, attributes: [IndexAttribute] = [], columns: [IndexColumn] = [],
    hasSeparations: Bool = false, telling: IndexDescription = IndexDescription()
  ) {
    self.columns = columns
    self.telling = telling
    self.name = name
    self.set = set
    self.attributes = attributes
    self.hasSeparations = hasSeparations
  }

  init(_ name: String, _ coordinates: [(longitude: Double, latitude: Double)]) {
    self.init(
      name: name, set: PointSet(name, coordinates.map { Coordinate(longitude: $0.longitude, latitude: $0.latitude) }))
  }

  /// One bucket that contains a stack.
  static let tiny = TestIndex("tiny", [(-22, 64), (-21.5, 64.25), (-14, 65), (-14, 65)])

  /// A few levels of stored nodes. Below them are buckets, and a stack that is too large for a bucket.
  static let nodes = TestIndex(name: "nodes", set: .nullIsland(stack: 18, noise: 32, seed: 5))

  static let columns = TestIndex(
    name: "columns", set: .cities(14, clusters: 4, seed: 6),
    attributes: [
      IndexAttribute(name: "name") { .string(["Reykjavík", "Akureyri", "Höfn"][$0 % 3]) },
      IndexAttribute(name: "population") { $0 % 7 == 0 ? .null : .number("\($0 * 1000)") },
      IndexAttribute(name: "mixed") {
        [.bool(true), .bool(false), .null, .number("1.50"), .json("{\"a\":[1,2]}"), .string("")][$0 % 6]
      },
    ])

  /// Columns in which some points have no value. There is one column for each encoding.
  static let uneven = TestIndex(
    name: "uneven", set: .cities(12, clusters: 3, seed: 8),
    attributes: [
      IndexAttribute(name: "name") { [.string("Vík"), .null, nil][$0 % 3] },
      IndexAttribute(name: "height") { [.number("\($0)"), nil, .null, .number("0.5")][$0 % 4] },
    ])

  /// Typed columns with all their sections. There is one column for each encoding.
  static let typed = TestIndex(
    name: "typed", set: .cities(11, clusters: 3, seed: 12),
    columns: [
      IndexColumn(name: "n", kind: .number) { $0 % 5 == 0 ? .null : .number("\($0 * 300 % 7).5") }
        .prepared(for: .percentiles, .distinct),
      IndexColumn(name: "r", kind: .number) { .number($0 % 2 == 0 ? "1e300" : "-1e-300") },
      IndexColumn(name: "c", kind: .category) { $0 % 4 == 0 ? .null : .string(["ice", "bay"][$0 % 2]) }
        .prepared(for: .percentiles, .distinct),
      IndexColumn(name: "b", kind: .boolean) { .bool($0 % 3 == 0) },
      IndexColumn(name: "t", kind: .time) { .string("19\(60 + $0)-01-01") },
    ])

  /// Columns of texts and categories that can be searched.
  static let searched = TestIndex(
    name: "searched", set: .cities(9, clusters: 3, seed: 13),
    columns: [
      IndexColumn(name: "name", kind: .text) {
        [.string("Île d’Yeu"), .string("yeu"), .null, .string("-"), .string("Straße 東京"), nil][$0 % 6]
      }
      .prepared(for: .search),
      IndexColumn(name: "kind", kind: .category) { $0 % 4 == 0 ? nil : .string(["ice", "Bay ice"][$0 % 2]) }
        .prepared(for: .distinct, .search),
    ])

  /// A stack, and several levels of stored nodes with their separations.
  static let spaced = TestIndex(
    name: "spaced", set: .nullIsland(stack: 18, noise: 32, seed: 9), hasSeparations: true)
  static let spacedPlanar = TestIndex(
    name: "spaced planar", set: .planar(14, x: 0...4, y: 0...1, seed: 10),
    attributes: [IndexAttribute(name: "even") { .bool($0 % 2 == 0) }], hasSeparations: true)

  /// An index with all texts that are meant for readers.
  static let described = TestIndex(
    name: "described", set: .planar(9, x: 0...4, y: 0...1, seed: 11),
    telling: IndexDescription(title: "Häuser", attribution: "© Amt", unit: "m"))

  static let planar = TestIndex(name: "planar", set: .planar(24, x: -3...9, y: 0...1, seed: 7))
  static let none = TestIndex(name: "none", set: .none)
  static let one = TestIndex(name: "one", set: .one)

  static let all = [tiny, nodes, columns, uneven, typed, searched, spaced, spacedPlanar, planar, none, one]
}

extension ClusterTree {
  /// Returns the bytes of an index of the tree, as a file would contain them.
  func indexBytes(
    attributes: [IndexAttribute] = [], columns: [IndexColumn] = [], description: IndexDescription = IndexDescription()
  ) throws -> [UInt8] {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    try write(toFile: folder.path("index"), attributes: attributes, columns: columns, description: description)
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.path("index"))))
  }
}
