import Foundation
import PointSets
import TestSupport
import Testing
import Treeline
import TreelineBuilder

@Suite struct IntegerColumnTests {
  static let set = PointSet.cities(300, clusters: 5, seed: 62)

  /// Checks that whole numbers can be given as integers instead of texts, and that the file is the same, byte for byte.
  @Test(
    arguments: [
      [3, nil, -5], [nil], [0], [Int64.max, Int64.max - 1], [.min], [.min, 0], [.min, .max], [255, 0], [1 << 53, 1],
    ] as [[Int64?]])
  func integersAreTheNumbersThatTheyAre(_ values: [Int64?]) throws {
    let tree = try Self.set.tree()
    let texts = IndexColumn(name: "n", kind: .number) { row in values[row % values.count].map { .number("\($0)") } }
    let integers = IndexColumn.integers(name: "n") { values[$0 % values.count] }
    let folder = try TemporaryFolder()
    try tree.write(index: folder.path("texts"), columns: [texts])
    try tree.write(index: folder.path("integers"), columns: [integers])
    #expect(FileManager.default.contentsEqual(atPath: folder.path("texts"), andPath: folder.path("integers")))
  }
}
