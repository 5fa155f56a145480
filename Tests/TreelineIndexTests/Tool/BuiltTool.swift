import Foundation
import Testing

/// The built tool, run beside the tests.
enum BuiltTool {
  /// Built beside the test bundle.
  static let path = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
    .appendingPathComponent("treeline").path

  struct Result {
    var output: String
    var errors: String
    var code: Int32
  }

  /// Runs the tool to its end.
  static func run(_ arguments: String...) throws -> Result { try runShell("exec \"$0\" \"$@\"", [path] + arguments) }

  /// Runs a script of bash in which `$TREELINE` is the tool.
  static func runShell(_ script: String, _ arguments: [String] = []) throws -> Result {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-c", script] + (arguments.isEmpty ? ["bash"] : arguments)
    process.environment = ProcessInfo.processInfo.environment.merging(["TREELINE": path, "LC_ALL": "C"]) { $1 }
    // What is printed here fits the buffer of a pipe.
    let (output, errors) = (Pipe(), Pipe())
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let (outputBytes, errorBytes) = (
      output.fileHandleForReading.readDataToEndOfFile(), errors.fileHandleForReading.readDataToEndOfFile()
    )
    process.waitUntilExit()
    return Result(
      output: String(decoding: outputBytes, as: UTF8.self), errors: String(decoding: errorBytes, as: UTF8.self),
      code: process.terminationStatus)
  }
}
