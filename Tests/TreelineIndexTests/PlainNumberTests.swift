import Foundation
import PointSets
import TestSupport
import Testing
@_spi(Server) import Treeline
import TreelineBuilder

/// Checks that a column can be given as numbers instead of texts, and that the file is the same, byte for byte.
@Suite struct PlainNumberTests {
  private func check(_ numbers: [StoredValue?], pointCount: Int = 300) throws {
    let tree = try PointSet.cities(pointCount, clusters: 5, seed: 62).tree()
    let texts = IndexColumn(name: "n", kind: .number) { row in
      switch numbers[row % numbers.count] {
      case .integer(let integer): .number("\(integer)")
      case .real(let real) where real.isFinite: .number("\(real)")
      default: nil
      }
    }
    let folder = try TemporaryFolder()
    try tree.write(toFile: folder.path("texts"), columns: [texts])
    for areInMemory in [true, false] {
      let column = IndexColumn.numbers(name: "n", areInMemory: areInMemory) { numbers[$0 % numbers.count] }
      try tree.write(toFile: folder.path("numbers-\(areInMemory)"), columns: [column])
      #expect(
        FileManager.default.contentsEqual(atPath: folder.path("texts"), andPath: folder.path("numbers-\(areInMemory)")))
    }
  }

  @Test(
    arguments: [
      [3, nil, -5], [nil], [0], [Int64.max, Int64.max - 1], [.min], [.min, 0], [.min, .max], [255, 0], [1 << 53, 1],
    ] as [[Int64?]])
  func integersAreTheNumbersThatTheyAre(_ values: [Int64?]) throws {
    try check(values.map { $0.map { .integer($0) } })
  }

  @Test(
    arguments: [
      [0.1, nil, -2.5, 120], [-0.0, 0], [.nan, .infinity, 1], [.nan], [1e15, 999_999_999_999_999, 0.5], [1e22, 1],
      [123_456_789_012_345.6, 0.1], [1e-18, 9], [1e-19], [5e-324, .greatestFiniteMagnitude], [0x1p53, 0x1p63, 0x1p64],
      [48.137_154_321_098_765, 11.1], [0.3, 0.1 + 0.2], [1e-7, 123.456],
    ] as [[Double?]])
  func doublesAreTheirShortestDecimals(_ values: [Double?]) throws {
    try check(values.map { $0.map { .real($0) } })
  }

  /// Checks columns that turn out to be doubles at the first number, late, or only because of their range.
  @Test func manyDoublesAreTheirShortestDecimals() throws {
    var random = SplitMix64(seed: 63)
    func reals(_ number: (Int) -> Double) -> [StoredValue?] { (0..<40_000).map { .real(number($0)) } }
    try check(reals { _ in Double(random.next() % 100_000) / 100 }, pointCount: 40_000)
    try check(reals { _ in Double.random(in: 47...49, using: &random) }, pointCount: 40_000)
    try check(reals { _ in Double.random(in: 0...1000, using: &random) }, pointCount: 40_000)
    try check(reals { _ in Double(bitPattern: random.next()) }, pointCount: 40_000)
    var mixed = reals { Double($0) / 32 }
    for row in stride(from: 0, to: mixed.count, by: 3) { mixed[row] = .integer(Int64(row)) }
    mixed[33_333] = .real(1e-30)
    try check(mixed, pointCount: 40_000)
  }
}
