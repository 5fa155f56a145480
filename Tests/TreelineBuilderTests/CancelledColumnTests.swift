import Foundation
import PointSets
import Synchronization
import Testing
@_spi(Server) import Treeline
@testable import TreelineBuilder

/// Cancels work on columns and on an index. Checks that the work stops within a block of values, and leaves no files.
@Suite struct CancelledColumnTests {
  /// Cancels at a given progress report, and counts the work afterwards.
  private final class Watch: Sendable {
    let cancellation = BuildCancellation()
    private let state: Mutex<(left: Int, reports: Int, values: Int)>

    init(cancellingAtReport number: Int) { state = Mutex((number, 0, 0)) }

    var reportCount: Int { state.withLock { $0.reports } }
    /// Number of values requested after the cancellation.
    var lateValueCount: Int { state.withLock { $0.values } }

    func report() {
      let isDue = state.withLock { state in
        state.left -= 1
        state.reports += 1
        return state.left == 0
      }
      if isDue { cancellation.cancel() }
    }

    func noteValue() { if cancellation.isCancelled { state.withLock { $0.values += 1 } } }
  }

  private static let pointCount = 40_000
  private static let tree = try! PointSet.uniformWorld(pointCount, seed: 91).tree()

  private static func columns(_ watch: Watch) -> [IndexColumn] {
    [
      IndexColumn(name: "text", kind: .text) { row in
        watch.noteValue()
        return .string("\(row % 70_001)")
      }.prepared(for: .percentiles, .distinct),
      .numbers(name: "number") { row in
        watch.noteValue()
        return .real(Double(row) / 8)
      }.prepared(for: .percentiles),
      IndexColumn(name: "time") { row -> Instant? in
        watch.noteValue()
        return Instant(seconds: Int64(row))
      },
    ]
  }

  @Test func columnsAreEncodedUntilTheyAreCancelled() throws {
    let whole = Watch(cancellingAtReport: .max)
    _ = try Self.tree.adding(columns: Self.columns(whole), stoppingWith: whole.cancellation) { step in
      #expect(step.stage == .encoding)
      whole.report()
    }
    #expect(whole.reportCount > 8)
    for number in stride(from: 1, through: whole.reportCount, by: 3) {
      let watch = Watch(cancellingAtReport: number)
      #expect(throws: ColumnError.cancelled) {
        try Self.tree.adding(columns: Self.columns(watch), stoppingWith: watch.cancellation) { _ in watch.report() }
      }
      #expect(watch.reportCount == number && watch.lateValueCount <= BuildMonitor.valueBlockSize)
    }
  }

  /// The closure that returns the values cancels the work, at any position in a block.
  @Test(arguments: [0, 1, 20_000, 39_999]) func valueThatCancelsIsAmongTheLast(_ row: Int) throws {
    let watch = Watch(cancellingAtReport: 1)
    let column = IndexColumn(name: "text", kind: .text) { asked in
      if asked == row { watch.report() }
      watch.noteValue()
      return .string("a")
    }
    #expect(throws: ColumnError.cancelled) {
      try Self.tree.adding(columns: [column], stoppingWith: watch.cancellation, progress: nil)
    }
    #expect(watch.lateValueCount <= BuildMonitor.valueBlockSize)
  }

  @Test func indexIsWrittenUntilItIsCancelled() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("written-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    func write(_ watch: Watch) throws {
      let monitor = BuildMonitor(pointCount: 2 * Self.tree.pointCount, stoppingWith: watch.cancellation) { _ in
        watch.report()
      }
      let attribute = IndexAttribute(name: "name") { row in
        watch.noteValue()
        return .string("\(row)")
      }
      try Self.tree.write(
        to: IndexDestination(folder + "/index"), encoded: [attribute.encoded(for: Self.tree, monitor)],
        description: nil, row: nil, monitor, progress: { _, _ in watch.report() })
    }
    let whole = Watch(cancellingAtReport: .max)
    try write(whole)
    try FileManager.default.removeItem(atPath: folder + "/index")
    #expect(whole.reportCount > 7)
    // The last report is left out. When it comes, everything except the header is already written.
    for number in 1..<whole.reportCount {
      let watch = Watch(cancellingAtReport: number)
      #expect(throws: IndexWritingError.cancelled) { try write(watch) }
      #expect(watch.reportCount == number && watch.lateValueCount <= BuildMonitor.valueBlockSize)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
    }
  }

  /// Checks that canceling a task cancels the work in the task.
  @Test func cancelledTaskDoesNoMore() async throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("task-\(UUID().uuidString)").path
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      #expect(throws: ColumnError.cancelled) {
        try Self.tree.adding(columns: [IndexColumn(name: "text") { _ in .string("a") }])
      }
      #expect(throws: IndexWritingError.cancelled) { try Self.tree.write(toFile: path) }
      #expect(throws: IndexWritingError.cancelled) {
        try Self.tree.write(toFile: path, columns: [IndexColumn(name: "text") { _ in .string("a") }])
      }
    }
    await task.value
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func mapIsCancelledWhileItsColumnsAreEncoded() async throws {
    let coordinates = PointSet.uniformWorld(50_000, seed: 92).coordinates
    let task = Mutex<Task<ClusterMap<Coordinate>, any Error>?>(nil)
    let isStarted = DispatchSemaphore(value: 0)
    let fractions = Mutex<[Double]>([])
    let started = Task {
      try await ClusterMap.build(coordinates, at: { $0 }, columns: .number(\.longitude, name: "x")) { step in
        guard step.stage == .encoding else { return }
        fractions.withLock { $0.append(step.fraction) }
        isStarted.wait()
        task.withLock { $0?.cancel() }
      }
    }
    task.withLock { $0 = started }
    isStarted.signal()
    await #expect(throws: CancellationError.self) { try await started.value }
    #expect(fractions.withLock(\.count) == 1)
  }

  /// Cancels a build in pieces that gathers texts in a second pass and prepares columns on disk.
  @Test(arguments: [1, 2, 6]) func buildInPiecesIsCancelledWhileItEncodes(_ number: Int) throws {
    let place = FileManager.default.temporaryDirectory.appendingPathComponent("scratch-\(UUID().uuidString)").path
    let folder = try ScratchFolder(place, keepsFiles: false)
    defer { folder.remove() }
    let set = PointSet.cities(70_000, seed: 93)
    var options = IndexBuild.Options(
      BuildOptions(splitRule: .mean, threads: 2), memory: 64_000_000, projection: .webMercator)
    options.columns = [.init(.typed(.text), name: "text", preparations: [.distinct])]
    let build = try IndexBuild(in: folder, identity: "test", options)
    for range in set.coordinates.indices.blocks(of: 20_000) {
      var values = ColumnValues()
      for point in range { values.append(.string("\(point)")) }
      try build.append(Array(set.coordinates[range]), skippedRows: [], values: [values])
    }
    var left = number
    build.progress = { [unowned build] stage, _, _ in
      #expect(left > 0, "\(stage) after the cancellation")
      if stage == .encoding { left -= 1 }
      if left == 0 { build.cancel() }
    }
    let index = place + "-index"
    #expect(throws: PieceError.cancelled) {
      try build.finishReading(checksum: 0)
      try build.finish(to: IndexDestination(index))
    }
    #expect(left == 0 && !FileManager.default.fileExists(atPath: index))
  }
}
