import Foundation
import Testing
@_spi(Server) import Treeline
@_spi(Server) import TreelineBuilder

@testable import TreelineServer

/// Opens live indexes with logs that belong to them, and with logs of other indexes.
@Suite final class LiveLogTests {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("logs-\(UUID().uuidString)")
  private var copies = 0

  init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func index(_ name: String, step: Double = 1) throws -> String {
    let path = folder.appendingPathComponent(name).path
    let tree = try ClusterTree((0..<100).map { Coordinate(longitude: Double($0) * step, latitude: 0) })
    try tree.write(
      toFile: path,
      columns: [
        IndexColumn(name: "id", kind: .number) { .number("\($0)") },
        IndexColumn(name: "tag", kind: .text) { .string("t\($0)") },
      ])
    return path
  }

  /// Returns the path of a copy of an index and a log. Open logs are locked, so each test step uses a new copy.
  private func copy(_ index: String, _ log: String) throws -> String {
    copies += 1
    let path = folder.appendingPathComponent("copy\(copies).treeline").path
    try FileManager.default.copyItem(atPath: index, toPath: path)
    try FileManager.default.copyItem(atPath: log, toPath: path + ".log")
    return path
  }

  private func points(_ path: String, key: String = "id") throws -> Int {
    try LiveIndex(name: "fleet", path: path, key: key).current.tree.pointCount
  }

  private func change(_ live: LiveIndex, removing key: Int) async throws {
    let answer = try await live.apply(id: "\(key)", length: 100) { Array("{\"remove\":\(key)}".utf8) }
    #expect(answer.removed == 1)
  }

  @Test func aLogIsAppliedOnlyToItsIndexAndKeyColumn() async throws {
    let (old, other) = (try index("fleet.treeline"), try index("other.treeline", step: 0.5))
    let live = try LiveIndex(name: "fleet", path: old, key: "id")
    try await change(live, removing: 7)
    let log = live.path + ".log"
    #expect(try points(copy(old, log)) == 99)
    let wrongIndex = try copy(other, log)
    let error = try #require(throws: LiveError.self) { try points(wrongIndex) }
    #expect(error == .otherIndex(log: wrongIndex + ".log", index: wrongIndex))
    #expect("\(error)".contains("restore the index"))
    let wrongKey = try copy(old, log)
    #expect(throws: LiveError.otherKey(log: wrongKey + ".log", expected: "id", found: "tag")) {
      try points(wrongKey, key: "tag")
    }
    #expect(try points(wrongKey) == 99)
  }

  @Test func aLogWithoutBatchesFitsEveryIndex() throws {
    let (old, other) = (try index("fleet.treeline"), try index("other.treeline", step: 0.5))
    let live = try LiveIndex(name: "fleet", path: old, key: "id")
    #expect(try points(copy(other, live.path + ".log"), key: "tag") == 100)
  }

  /// A server may be killed after it wrote the new index, and before it removed the batches from the log.
  @Test func aLogBelongsToTheNextIndexBeforeItIsWritten() async throws {
    let old = try index("fleet.treeline")
    let live = try LiveIndex(name: "fleet", path: old, key: "id")
    try await change(live, removing: 7)
    let log = live.path + ".log"
    let new = try copy(old, log)
    let compacting = try LiveIndex(name: "fleet", path: new, key: "id", logBytes: 1)
    let checksum = try LoadedIndex.checksum(ofIndex: old)
    while try LoadedIndex.checksum(ofIndex: new) == checksum { try await Task.sleep(for: .milliseconds(5)) }
    #expect(compacting.current.tree.pointCount == 99)

    let unnoted = try copy(new, log)
    #expect(throws: LiveError.otherIndex(log: unnoted + ".log", index: unnoted)) { try points(unnoted) }
    let noted = try copy(old, log)
    let note = LiveRecord.note(ofIndex: try LoadedIndex.checksum(ofIndex: new), key: "id")
    try EditLog.open(noted + ".log").log.append(note)
    for index in [old, new] { #expect(try points(copy(index, noted + ".log")) == 99) }
    // From this start on, the log belongs to the new index.
    let restarted = try copy(new, noted + ".log")
    try await change(LiveIndex(name: "fleet", path: restarted, key: "id"), removing: 8)
    #expect(try points(copy(new, restarted + ".log")) == 98)
    #expect(throws: LiveError.self) { try points(copy(old, restarted + ".log")) }
  }

  @Test func aLogWithoutAKeyColumnIsAppliedToAnyIndexAndThenBelongsToIt() async throws {
    let (old, other) = (try index("fleet.treeline"), try index("other.treeline", step: 0.5))
    let live = try LiveIndex(name: "fleet", path: old, key: "id")
    try await change(live, removing: 7)
    let path = try copy(other, live.path + ".log")
    do {
      let (log, records, _) = try EditLog.open(path + ".log")
      var start = try #require(LiveRecord(records[0]))
      #expect(start.key == "id")
      start.key = nil
      try log.replace(startingWith: start.bytes, keepingFrom: EditLog.length(ofRecord: records[0]))
    }
    #expect(try points(path) == 99)
    #expect(try points(copy(other, path + ".log")) == 99)
    #expect(throws: LiveError.self) { try points(copy(old, path + ".log")) }
  }
}
