import Foundation
import HTTPTypes
import Logging
import NIOPosix
import Synchronization
@_spi(Server) import Treeline
@_spi(Server) import TreelineBuilder
@_spi(Server) import TreelineFormats

/// An index whose points can be added, changed and removed while it is served.
///
/// A batch of changes is answered when it is on the disk, in a log beside the index. One thread writes the log. All
/// batches that arrive during a write are written together, as the next record. Another thread makes the next map from
/// all batches since the last map. Each map is a new version of the index. The old version answers queries until the
/// new version is complete, so no query waits for an edit.
///
/// When the log is long, the newest map is written as the new index file, and the batches in this map are removed from
/// the log. If the process ends between these two steps, the next start applies the batches again. Applying a batch
/// twice gives the same points as applying it once, because a batch sets or removes whole points.
public final class LiveIndex: Sendable {
  typealias Map = ClusterMap<KeyedPoint>

  /// Name under which the index is served.
  public let name: String
  let path: String
  let key: Column
  /// The columns. Only their names and kinds may be read, because their values may be gone.
  let columns: [Column]
  /// `Column.mostDecimals` of each column.
  private let mostDecimals: [Int]
  let log: EditLog
  let description: IndexDescription
  let filterBytes: Int
  let longestLog: Int
  let logger: Logger
  let state: Mutex<State>
  let versions: IndexVersions
  let writer = DispatchQueue(label: "treeline.live.log")
  /// `mapper` is a thread of low priority, `hurriedMapper` a thread of the usual priority. Only one of them makes maps
  /// at a time.
  let mapper = NIOThreadPool(numberOfThreads: 1)
  let hurriedMapper = NIOThreadPool(numberOfThreads: 1)

  /// Maximum number of points.
  static let mostPoints = 10_000_000
  /// Maximum number of remembered answers.
  static let mostKnown = 65_536
  /// Maximum total length of the batches that are being received or wait to be written, in bytes.
  private static let mostReservedBytes = 64 << 20
  /// Maximum total length of the batches in one record, in bytes.
  static let longestGroup = 8 << 20
  /// Default of `logBytes`: 64 MiB.
  public static let standardLogBytes = 64 << 20

  /// Opens an index and the log beside it, and applies the batches in the log.
  ///
  /// - Parameters:
  ///   - name: Name under which the index is served.
  ///   - path: Path of the index. The log is beside the index file, even if the path is a symbolic link. The name of
  ///     the log is the name of the index file with `.log` at the end.
  ///   - keyName: Name of the column with the keys that identify the points.
  ///   - logBytes: Length of the log at which the index file is written again, in bytes.
  ///   - filterBytes: Memory for prepared filters of the index, in bytes.
  ///   - logFormat: Format of messages about the log and about maps that cannot be made.
  /// - Throws: `IndexError`, `LiveError`. Errors of the log and of the build.
  /// - Complexity: As for a build of all points.
  public init(
    name: String, path: String, key keyName: String, logBytes: Int = LiveIndex.standardLogBytes,
    filterBytes: Int = Catalog.standardFilterBytes, logFormat: LogFormat = .text
  ) throws {
    let output = LogOutput()
    var logger = Logger(label: "treeline") { ServerLogHandler($0, logFormat, to: output) }
    logger.logLevel = .notice
    // If the file is not an index, this line throws, and no log is made beside the file.
    _ = try LoadedIndex.checksum(ofIndex: path)
    // Links are resolved, so that two links to the same index share one log. The lock of the log admits only one server
    // at a time.
    let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    let logPath = path + ".log"
    // The log is locked before the points are read. Otherwise another server could write the index between these two
    // steps.
    let (log, records, removed) = try Self.openLog(logPath)
    let index = try LoadedIndex(copying: path)
    let logged = try LoggedBatches(records, path: logPath)
    let keepsAnswers = try logged.requireIndex(index.checksum, path: path, key: keyName)
    if removed > 0 {
      logger.notice(
        "Dropped the incomplete last record of a log", metadata: ["log": "\(logPath)", "bytes": "\(removed)"])
    }
    var map: Map
    do { map = try Map(editing: index.tree, key: keyName, threads: 1) } catch let error as LiveIndexError {
      // This index cannot be a live index. If its log has no records, the log is removed.
      if records.isEmpty { log.remove() }
      throw LiveError.unsuitable(path: path, "\(error)")
    }
    let columns = map.tree.columns
    let mostDecimals = columns.map(\.mostDecimals)
    guard let key = columns.first(where: { $0.name == keyName }) else { preconditionFailure("The map has a key") }
    var (known, order): ([String: Known], [String]) = ([:], [])
    func remember(_ entry: LiveRecord.Entry) {
      known[entry.id] = Known(digest: entry.digest, answer: entry.answer)
      order.append(entry.id)
    }
    var start =
      logged.start
      ?? LiveRecord(history: 0, sequence: 0, indexChecksum: 0, key: keyName, answers: [])
    var sequence = start.sequence
    if !keepsAnswers { start.answers = [] }
    start.answers.forEach(remember)
    var changes: [PointKey: KeyedPoint?] = [:]
    for (record, entry) in logged.batches {
      do {
        let batch = try LiveBatch(
          id: entry.id, lines: entry.lines, columns: columns, mostDecimals: mostDecimals, key: key)
        changes.merge(batch.changes) { $1 }
      } catch let error as PointChangeError {
        throw LiveError.unreadable(path: logPath, record: record, "batch \(entry.id), \(error)")
      }
      sequence = entry.answer.sequence
      remember(entry)
    }
    if !changes.isEmpty { map = try map.updating(changes) }
    // If the log is new, or the index file was written after the start of the log, a new history begins. Batches in
    // the log are kept.
    let isNew = logged.start == nil || start.indexChecksum != index.checksum
    if isNew { (start.history, start.indexChecksum) = (.random(in: .min ... .max), index.checksum) }
    if isNew || start.key != keyName {
      start.key = keyName
      let length = records.first.map(EditLog.length(ofRecord:)) ?? 0
      try log.replace(startingWith: start.bytes, keepingFrom: length)
    }
    let history = logged.batches.reduce(start.history) {
      LiveRecord.history($0, id: $1.entry.id, digest: $1.entry.digest)
    }
    (self.name, self.path, self.key, self.columns) = (name, path, key, columns)
    self.mostDecimals = mostDecimals
    (self.log, self.filterBytes, longestLog) = (log, filterBytes, logBytes)
    (self.logger, description) = (logger, index.tree.indexDescription)
    versions = IndexVersions(
      ServedIndex(
        name: name, tree: map.tree, description: description, key: keyName,
        version: Self.version(history), sequence: sequence, filterBytes: filterBytes))
    state = Mutex(
      State(
        map: map, mapSequence: sequence, mapHistory: history, mapLogLength: log.length, sequence: sequence,
        history: history, pointCount: map.values.count, logLength: log.length, known: known, order: order,
        compactionLength: logBytes))
    mapper.start()
    hurriedMapper.start()
    startMapping()
  }

  private static func openLog(_ path: String) throws -> (log: EditLog, records: [[UInt8]], removed: Int) {
    do throws(EditLogError) { return try EditLog.open(path) } catch {
      if case .damaged = error { throw LiveError.damaged("\(error)") }
      throw error
    }
  }

  /// - Parameter history: As in `LiveRecord`.
  static func version(_ history: UInt64) -> String { ContentHash.digits(of: "\(history)".utf8) }

  /// The newest version.
  var current: ServedIndex { versions.newest }

  /// Facts about a live index, for the metrics.
  struct Counts {
    let batches, waitingBatches, points, logBytes: Int
    let hasFailed: Bool
  }

  var counts: Counts {
    state.withLock { state in
      Counts(
        batches: Int(clamping: state.sequence), waitingBatches: Int(clamping: state.sequence &- state.mapSequence),
        points: state.pointCount, logBytes: state.logLength, hasFailed: state.failure != nil)
    }
  }

  deinit {
    for pool in [mapper, hurriedMapper] { pool.shutdownGracefully { _ in } }
  }

  /// Receives a batch, writes it to the log and returns its answer.
  ///
  /// - Parameter length: Maximum length of the lines, in bytes.
  /// - Throws: `Problem`. Errors of `receive`.
  func apply(id: String, length: Int, receive: () async throws -> [UInt8]) async throws -> LiveAnswer {
    let hasRoom = state.withLock { state in
      guard state.reservedBytes + length <= Self.mostReservedBytes else { return false }
      state.reservedBytes += length
      return true
    }
    guard hasRoom else { throw Problem.tooManyBatches }
    defer { state.withLock { $0.reservedBytes -= length } }
    return try await apply(id: id, lines: receive())
  }

  private func apply(id: String, lines: [UInt8]) async throws -> LiveAnswer {
    let batch: LiveBatch
    do {
      batch = try await NIOThreadPool.singleton.runIfActive { [columns, mostDecimals, key] in
        try LiveBatch(id: id, lines: lines, columns: columns, mostDecimals: mostDecimals, key: key)
      }
    } catch let error as PointChangeError {
      throw Problem(status: .unprocessableContent, detail: "The whole batch was refused: \(error).")
    }
    return try await withCheckedThrowingContinuation { continuation in
      let isIdle = state.withLock { state in
        state.waiting.append(Request(batch: batch, continuation: continuation))
        defer { state.isWriting = true }
        return !state.isWriting
      }
      if isIdle { writer.async { self.write() } }
    }
  }

}
