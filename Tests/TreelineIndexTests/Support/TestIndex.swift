import PointSets
import Treeline
import TreelineBuilder

/// Indexes that tests damage: small, and between them with everything that an index can hold.
struct TestIndex: Sendable, CustomStringConvertible {
  let name: String
  let set: PointSet
  var attributes: [IndexAttribute] = []

  var description: String { name }

  func bytes() throws -> [UInt8] { try set.tree().indexBytes(attributes: attributes) }

  /// One bucket with a stack in it.
  static let tiny = TestIndex(
    name: "tiny",
    set: PointSet(
      "tiny",
      [(-22, 64), (-21.5, 64.25), (-14, 65), (-14, 65)].map { Coordinate(longitude: $0.0, latitude: $0.1) }))

  /// A few levels of stored nodes over buckets and a stack too large for one.
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

  static let planar = TestIndex(name: "planar", set: .planar(24, x: -3...9, y: 0...1, seed: 7))
  static let none = TestIndex(name: "none", set: .none)
  static let one = TestIndex(name: "one", set: .one)

  static let all = [tiny, nodes, columns, planar, none, one]
}
