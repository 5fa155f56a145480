import PointSets
import Testing
import TreelineBuilder

@_spi(Server) @testable import Treeline

/// Checks that IN with a list of values passes the same points as a test for equality with any of these values.
@Suite struct ListFilterTests {
  private static func tree() throws -> ClusterTree {
    let count = 3000
    var random = SplitMix64(seed: 383)
    let numbers = (0..<count).map { _ in random.index(below: 400) }
    return try ClusterTree(numbers.indices.map { Coordinate(longitude: Double($0 % 360) - 180, latitude: 0) }).adding(
      columns: [
        IndexColumn(name: "integer", kind: .number) { .number("\(numbers[$0] * 7)") },
        IndexColumn(name: "real", kind: .number) { .number("\(numbers[$0])e-20") },
        IndexColumn(name: "category", kind: .category) { .string("t\(numbers[$0])") },
        IndexColumn(name: "text", kind: .text) { row in
          switch numbers[row] {
          case 0..<20: .number("\(numbers[row]).0")
          case 20: .bool(true)
          case 21: .bool(false)
          case 22: .null
          case 23: .json("[1]")
          default: .string("t\(numbers[row])")
          }
        },
        IndexColumn(name: "flag", kind: .boolean) { .bool(numbers[$0] % 3 == 0) },
        IndexColumn(name: "time", kind: .time) { .number("\(numbers[$0])") },
      ])
  }

  private static func value(of column: String, _ random: inout SplitMix64) -> FilterValue {
    let number = random.index(below: 500)
    return switch column {
    case "integer": .integer(number * 7 - 100)
    case "real": .number(Double("\(number)e-20")!)
    case "category": .text("t\(number)")
    case "flag": .boolean(number % 2 == 0)
    case "time": .instant(Instant(seconds: Int64(number)))
    default:
      [.text("t\(number)"), .text("\(number % 30)"), .text("\(number % 2 == 0)"), .text("")][random.index(below: 4)]
    }
  }

  @Test(arguments: ["integer", "real", "category", "text", "flag", "time"])
  func isEqualityWithAny(column: String) throws {
    let tree = try Self.tree()
    var random = SplitMix64(seed: 384)
    for count in [1, 2, 7, 8, 9, 10, 40, 300] {
      let values = (0..<count).map { _ in Self.value(of: column, &random) }
      let first = Filter.where(column, .equals, values[0])
      let any = values.dropFirst().reduce(first) { $0 || .where(column, .equals, $1) }
      for (list, each) in [(Filter.where(column, in: values), any), (!Filter.where(column, in: values), !any)] {
        let (found, expected) = (try tree.filtered(by: list), try tree.filtered(by: each))
        let differing = (0..<tree.pointCount).filter { found.passes($0) != expected.passes($0) }
        #expect(differing.isEmpty, "\(list), seed 384")
        // The result is the same if the filter reuses the filter of another list.
        let moved = try tree.filtered(
          by: list, reusing: tree.filtered(by: .where(column, in: Array(values.dropFirst()))))
        #expect((0..<tree.pointCount).allSatisfy { moved.passes($0) == expected.passes($0) }, "\(list), seed 384")
      }
    }
    // No value is in an empty list. As in any other condition, a missing value passes neither the list nor its
    // negation.
    let (none, present) = (Filter.where(column, in: []), try tree.filtered(by: !.whereMissing(column)))
    for (filter, expected) in [(none, 0), (!none, present.filteredPointCount), (!(!none), 0)] {
      #expect(try tree.filtered(by: filter).filteredPointCount == expected)
      #expect(try tree.filtered(by: Filter(filter.description)).filteredPointCount == expected)
    }
  }

  @Test func valuesOfOtherKindsAreRefusedAsTheyAreAlone() throws {
    let tree = try Self.tree()
    for (column, other) in [("category", FilterValue.integer(1)), ("integer", "a"), ("real", .boolean(true))] {
      let alone = #expect(throws: FilterError.self) { try tree.filtered(by: .where(column, .equals, other)) }
      let listed = #expect(throws: FilterError.self) {
        try tree.filtered(by: .where(column, in: [Self.value(of: column, &Self.random), other]))
      }
      #expect(alone == listed)
    }
  }

  private static var random: SplitMix64 {
    get { SplitMix64(seed: 385) }
    set {}
  }
}
