import Foundation
import Logging
import Synchronization
import Testing

@testable import TreelineServer

/// Checks the lines that the server writes to standard error.
@Suite struct LogTests {
  /// Returns the lines that the calls in `log` write.
  private func lines(_ format: LogFormat, _ log: (Logger) -> Void) throws -> [String] {
    let pipe = Pipe()
    let output = LogOutput(descriptor: pipe.fileHandleForWriting.fileDescriptor)
    var logger = Logger(label: "treeline") { ServerLogHandler($0, format, to: output) }
    logger.logLevel = .info
    log(logger)
    output.flush(within: 10)
    try pipe.fileHandleForWriting.close()
    return String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      .split(separator: "\n").map(String.init)
  }

  @Test func aLineOfJSONIsAnObject() throws {
    let found = try lines(.json) { logger in
      var logger = logger
      logger[metadataKey: "request"] = "r"
      logger.info(
        "Answered \"it\"\n",
        metadata: [
          "status": .stringConvertible(200), "milliseconds": .stringConvertible(0.25), "path": "/a\n\u{1}b",
          "list": ["x", .stringConvertible(2)], "members": ["y": "z"], "level": "mine",
        ])
      logger.debug("not this")
      logger.error("second")
    }
    #expect(found.count == 2)
    let first = try #require(JSONSerialization.jsonObject(with: Data(found[0].utf8)) as? [String: Any])
    #expect(
      Set(first.keys)
        == ["time", "level", "logger", "message", "status", "milliseconds", "path", "list", "members", "request"])
    #expect(first["level"] as? String == "info" && first["message"] as? String == "Answered \"it\"\n")
    #expect(first["status"] as? Int == 200 && first["milliseconds"] as? Double == 0.25)
    #expect(first["path"] as? String == "/a\n\u{1}b" && first["request"] as? String == "r")
    #expect((first["members"] as? [String: String])?["y"] == "z")
    let time = try #require(first["time"] as? String)
    #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil, "\(time)")
  }

  /// Checks that text from a client never starts a new line.
  @Test func aLineOfTextIsOne() throws {
    let found = try lines(.text) { $0.notice("Hello", metadata: ["path": "/a\nb", "b": "1"]) }
    #expect(found.count == 1)
    #expect(found[0].hasSuffix(" notice treeline: Hello b=1 path=/a\\u{a}b"), "\(found)")
  }

  /// If the reader of the log is blocked, no request waits for it. Lines are dropped and counted. Later their number is
  /// logged.
  @Test(.timeLimit(.minutes(1))) func aBlockedReaderHoldsUpNobody() throws {
    let pipe = Pipe()
    let output = LogOutput(descriptor: pipe.fileHandleForWriting.fileDescriptor, most: 10_000)
    let logger = Logger(label: "treeline") { ServerLogHandler($0, .json, to: output) }
    let start = ContinuousClock.now
    for number in 0..<5000 { logger.notice("\(number) \(String(repeating: "x", count: 100))") }
    #expect(.now - start < .seconds(5))
    let dropped = output.droppedLineCount
    // Some lines fit in the pipe and in the queue of waiting lines.
    #expect(3000..<5000 ~= dropped)
    let metrics = ServerMetrics(log: output)
      .text(
        .init(
          openIndexes: 0, staleIndexes: 0, connections: 0, answersUnderWay: 0, queueLength: 0, answerBytes: 0,
          filters: 0, filterBytes: 0
        ))
    #expect(metrics.contains("treeline_log_lines_dropped_total \(dropped)\n"))
    let text = Mutex("")
    let reader = Thread {
      while case let data = pipe.fileHandleForReading.availableData, !data.isEmpty {
        text.withLock { $0 += String(decoding: data, as: UTF8.self) }
      }
    }
    reader.start()
    output.flush(within: 10)
    logger.notice("after")
    output.flush(within: 10)
    while !text.withLock({ $0.contains("after") }) { usleep(1000) }
    // One line or several lines report the number of dropped lines.
    let lines = text.withLock { $0.split(separator: "\n") }
    let told = try lines.compactMap { line in
      let members = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return members?["lines"] as? Int
    }
    #expect(told.reduce(0, +) == dropped)
    #expect(lines.count == 5000 - dropped + told.count + 1)
    try pipe.fileHandleForWriting.close()
  }
}

/// A log that keeps its events in memory.
final class TestLog: Sendable {
  private let all = Mutex<[LogEvent]>([])
  var events: [LogEvent] { all.withLock { $0 } }
  var logger: Logger { Logger(label: "test") { [self] _ in Handler(log: self) } }

  private struct Handler: LogHandler {
    let log: TestLog
    var logLevel = Logger.Level.notice
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { log.all.withLock { $0.append(event) } }
  }
}
