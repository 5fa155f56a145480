import Foundation
import Logging
@_spi(Server) import TreelineFormats

/// Format of the server's log.
public enum LogFormat: String, CaseIterable, Hashable, Sendable {
  /// Lines of text with the time, the level, the logger, the message and the metadata.
  case text
  /// One JSON object per line. The object has the members `time`, `level`, `logger` and `message`, and a member for
  /// each item of metadata.
  case json
}

/// A handler of swift-log that writes the log messages of the server and of the packages that the server uses.
struct ServerLogHandler: LogHandler {
  let label: String
  let format: LogFormat
  let output: LogOutput
  var logLevel = Logger.Level.notice
  var metadata: Logger.Metadata = [:]
  var metadataProvider: Logger.MetadataProvider?

  init(_ label: String, _ format: LogFormat, to output: LogOutput) {
    (self.label, self.format, self.output) = (label, format, output)
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var all = metadata
    if let provided = metadataProvider?.get() { all.merge(provided) { $1 } }
    if let own = event.metadata { all.merge(own) { $1 } }
    if let error = event.error { all["error"] = "\(error)" }
    output.write(line(event.level, "\(event.message)", all)) { count in
      line(.warning, "Dropped log lines, because the log reader was too slow", ["lines": .stringConvertible(count)])
    }
  }

  private func line(_ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata) -> String {
    let time = Date.now.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    let members = metadata.sorted { $0.key < $1.key }
    switch format {
    case .text:
      let rest = members.map { " \($0.key)=\($0.value)" }.joined()
      // Control characters are escaped, so that no text from a client can break the line.
      return Self.escaped("\(time) \(level) \(label): \(message)\(rest)") + "\n"
    case .json:
      var bytes = OutputBytes(capacity: 256)
      let own: [(String, Logger.MetadataValue)] = [
        ("time", "\(time)"), ("level", "\(level)"), ("logger", "\(label)"), ("message", "\(message)"),
      ]
      let names = Set(own.map(\.0))
      Self.append(own + members.filter { !names.contains($0.key) }.map { ($0.key, $0.value) }, to: &bytes)
      bytes.append("\n")
      return bytes.withBytes { String(decoding: $0, as: UTF8.self) }
    }
  }

  private static func escaped(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else { return text }
    return text.unicodeScalars.map { scalar in
      scalar.properties.generalCategory == .control ? "\\u{\(String(scalar.value, radix: 16))}" : "\(scalar)"
    }.joined()
  }

  /// Appends a value. A number is written as a JSON number.
  private static func append(_ value: Logger.MetadataValue, to bytes: inout OutputBytes) {
    switch value {
    case .string(let text): bytes.append(json: text)
    case .stringConvertible(let number as Int): bytes.append(number)
    case .stringConvertible(let number as Double): bytes.append(json: number)
    case .stringConvertible(let other): bytes.append(json: "\(other)")
    case .array(let values):
      bytes.append("[")
      for (number, value) in values.enumerated() {
        if number > 0 { bytes.append(",") }
        append(value, to: &bytes)
      }
      bytes.append("]")
    case .dictionary(let members): append(members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }, to: &bytes)
    }
  }

  private static func append(_ members: [(name: String, value: Logger.MetadataValue)], to bytes: inout OutputBytes) {
    bytes.append("{")
    for (number, member) in members.enumerated() {
      if number > 0 { bytes.append(",") }
      bytes.append(json: member.name)
      bytes.append(":")
      append(member.value, to: &bytes)
    }
    bytes.append("}")
  }
}
