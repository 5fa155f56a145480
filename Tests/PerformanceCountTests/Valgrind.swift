import Foundation
import Treeline

/// Counts the work of the tool `Benchmarks` from outside, with valgrind: such counts vary with the code and the C
/// libraries, and neither with the machine nor with what else it does.
enum Valgrind {
  enum Counter: String {
    /// Instructions that were executed.
    case callgrind
    /// Pieces of memory that were asked for.
    case memcheck

    var options: [String] {
      switch self {
      case .callgrind: ["--callgrind-out-file=/dev/null"]
      case .memcheck: ["--leak-check=no", "--undef-value-errors=no"]
      }
    }

    /// What stands before the number.
    var label: String {
      switch self {
      case .callgrind: "Collected : "
      case .memcheck: "total heap usage: "
      }
    }
  }

  struct Failure: Error { var output: String }

  static let executable = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map {
    URL(fileURLWithPath: String($0)).appendingPathComponent("valgrind")
  }.first { FileManager.default.isExecutableFile(atPath: $0.path) }

  static let benchmarks = built("Benchmarks")

  /// A program of the package, which is built beside the test bundle.
  static func built(_ program: String) -> URL {
    URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
      .appendingPathComponent(program)
  }

  static func count(
    _ counter: Counter, split: SplitRule = .standard, builds: Int = 1, asks: Int = 1, limit: Int = 100
  ) throws -> Int {
    let process = Process()
    process.executableURL = executable!
    process.arguments =
      ["--tool=\(counter.rawValue)"] + counter.options + [benchmarks.path, "work", Work.points] + [
        "--split", "\(split)", "--builds", "\(builds)", "--asks", "\(asks)", "--limit", "\(limit)",
      ]
    // Or tables of hashes would be as full as chance has it.
    process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_DETERMINISTIC_HASHING": "1"]) { $1 }
    process.standardOutput = FileHandle.nullDevice
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let output = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0, let label = output.range(of: counter.label),
      let count = Int(output[label.upperBound...].prefix { $0.isNumber || $0 == "," }.filter(\.isNumber))
    else { throw Failure(output: output) }
    return count
  }
}

/// The work that is counted: it is small, for valgrind is some fifty times slower than the machine.
enum Work {
  static let points = "clustered:20000"
  static let pointCount = 20_000
  /// Views of one ask.
  static let viewCount = 13

  /// What one more build costs.
  static func ofBuild(_ counter: Valgrind.Counter, _ split: SplitRule) throws -> Int {
    try Valgrind.count(counter, split: split, builds: 2) - Valgrind.count(counter, split: split)
  }

  /// What one more query costs, on average over the views.
  static func ofQuery(_ counter: Valgrind.Counter, limit: Int = 100) throws -> Double {
    let asks = 100
    let difference = try Valgrind.count(counter, asks: 1 + asks, limit: limit) - Valgrind.count(counter, limit: limit)
    return Double(difference) / Double(asks * viewCount)
  }
}
