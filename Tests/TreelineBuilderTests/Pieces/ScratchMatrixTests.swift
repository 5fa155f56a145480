import Foundation
import PointSets
import TestSupport
import Testing
import Treeline
@testable import TreelineBuilder

/// Checks preparations of columns whose values do not fit in memory.
@Suite struct ScratchMatrixTests {
  /// Builds the sections of ranks, links and searches with little memory. Compares them with sections that are built in
  /// memory.
  private func compare(_ values: [AttributeValue?], kind: IndexColumn.Kind?, memory: Int, blockSize: Int) throws {
    let encoded = try EncodedColumn(.typed(kind), name: "values", pointCount: values.count) { values[$0] }
    let section = ColumnMemory(encoded.bytes)
    defer { withExtendedLifetime(section) {} }
    let column = Column.encoded(section.bytes, pointCount: values.count)
    let order = RankedPoints(of: column)
    let folder = try TemporaryFolder()
    let scratch = try ScratchFolder(folder.path("scratch"), keepsFiles: false)
    defer { scratch.remove() }
    for preparation in IndexColumn.Preparation.allCases where preparation != .search || column.kind == .text {
      let expected = RankedPoints.section(order.section(for: preparation, of: column), ofColumn: 3)
      let workspace = ScratchMatrix.Workspace(
        folder: scratch, memory: memory, monitor: BuildMonitor(pointCount: 0), blockSize: blockSize)
      let matrix = try ScratchMatrix(preparing: column, for: preparation, in: workspace)
      let file = try AtomicFile(path: folder.path("section"), beginning: [])
      try file.setLength(0)
      var stream = SectionStream(file, at: 0, hashing: XXHash64()) { _ in true }
      defer { stream.deallocate() }
      try matrix.write(ofColumn: 3, to: &stream)
      try stream.flush()
      let found = try Data(contentsOf: URL(fileURLWithPath: file.partialPath))
      #expect([UInt8](found) == expected, "\(preparation) of \(values.count) values in \(memory) bytes")
      #expect(matrix.byteCount == expected.count)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["lock"])
  }

  @Test(arguments: [1, 2000, 30_000, 1 << 24]) func nastyValuesGiveTheSameBytes(_ memory: Int) throws {
    for blockSize in [1, 500, 1 << 20] {
      for count in [0, 1, 2, 223, 224, 225, 448, 1000] {
        // The values are all distinct, all equal, all missing, one of two values, or mostly one value.
        let columns: [[AttributeValue?]] = [
          (0..<count).map { .number("\(($0 * 7919) % 100_003)") }, Array(repeating: .number("5"), count: count),
          Array(repeating: nil, count: count), (0..<count).map { .number($0 % 3 == 0 ? "-1e300" : "1e300") },
          (0..<count).map { $0 % 10 == 0 ? .number("\($0).5") : $0 % 7 == 0 ? .null : .number("0") },
        ]
        for values in columns { try compare(values, kind: .number, memory: memory, blockSize: blockSize) }
        try compare((0..<count).map { .string("\($0 % 50)") }, kind: .category, memory: memory, blockSize: blockSize)
        try compare(
          (0..<count).map { $0 % 5 == 0 ? nil : .string("text \($0 % 300) a b c d") }, kind: .text, memory: memory,
          blockSize: blockSize)
      }
    }
  }

  @Test func randomValuesGiveTheSameBytes() throws {
    for seed in Trials.seeds(40, from: 1) {
      var random = SplitMix64(seed: seed)
      let (count, distinct) = (random.index(below: 4000), 1 + random.index(below: 1 << (1 + random.index(below: 16))))
      let scale = [1, 0.01, 1e18, 1e-300, -3][random.index(below: 5)]
      let values: [AttributeValue?] = (0..<count).map { _ in
        random.index(below: 20) == 0 ? nil : .number("\(Double(random.index(below: distinct)) * scale)")
      }
      try compare(
        values, kind: .number, memory: 1 << (4 + random.index(below: 18)), blockSize: 1 + random.index(below: 3000))
    }
  }
}
