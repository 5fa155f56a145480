import Foundation
import Testing
import Treeline
import TreelineBuilder

@testable import Benchmarks

/// The nodes that queries read. They are found in a trace of all memory accesses of `TracedQueries`, so the engine
/// needs no counters.
struct TouchedNodes {
  /// Number of node records that each query read. A record that a query read several times counts once.
  private(set) var counts: [Int] = []
  /// Number of clusters in each answer.
  private(set) var clusters: [Int] = []

  var average: Double { Double(counts.reduce(0, +)) / Double(counts.count) }

  /// Traces queries of views. The views are drawn in the same way as in `Work`.
  init(of kind: GeneratedSet, count: Int, limit: Int) throws {
    let coordinates = kind.coordinates(count)
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).treeline").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try ClusterTree(coordinates).write(toFile: path)
    let views = [Viewport].counted(around: coordinates)
    let trace = try MemoryTrace(
      of: "TracedQueries",
      [path, "\(limit)"] + views.map(\.bounds).map { "\($0.west),\($0.south),\($0.east),\($0.north)" })
    let numbers = trace.output.split(whereSeparator: \.isWhitespace).compactMap { UInt64($0) }
    try #require(numbers.count == 3 + views.count, "\(trace.output)")
    let (records, recordCount, mark) = (numbers[0], numbers[1], numbers[2])
    clusters = numbers[3...].map { Int($0) }
    var touched: [Set<UInt64>] = []
    for access in trace.accesses {
      if access.isWrite && access.address == mark {
        touched.append([])
      } else if !touched.isEmpty, access.address >= records {
        let record = (access.address - records) / UInt64(MemoryLayout<NodeRecord>.stride)
        if record < recordCount { touched[touched.count - 1].insert(record) }
      }
    }
    counts = touched.suffix(views.count).map(\.count)
  }
}
