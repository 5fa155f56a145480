import Foundation

/// The built tool, run as a person would.
enum Tool {
  /// The repository, where every command is run, so that paths in messages are the same everywhere.
  static let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Built beside the test bundle.
  static let executable = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    .deletingLastPathComponent().appendingPathComponent("treeline")

  struct Result: Hashable {
    var output: String
    var errors: String
    var code: Int32
  }

  static func run(_ arguments: [String], input: Data? = nil) throws -> Result {
    try run(executable, arguments, input: input)
  }

  /// Runs a script of bash in which `$TREELINE` is the tool; the first argument is `$0`.
  static func runShell(_ script: String, _ arguments: [String]) throws -> Result {
    try run(URL(fileURLWithPath: "/bin/bash"), ["-c", script] + arguments)
  }

  static func run(_ executable: URL, _ arguments: [String], input: Data? = nil) throws -> Result {
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.currentDirectoryURL = repository
    // Help is folded to the terminal's width.
    process.environment = ProcessInfo.processInfo.environment.merging([
      "COLUMNS": "80", "TREELINE": Self.executable.path,
    ]) { $1 }
    // Files and not pipes, which a long answer would fill.
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let files = try ["input", "output", "errors"].map { name in
      let file = folder.appendingPathComponent(name)
      try (name == "input" ? input ?? Data() : Data()).write(to: file)
      return file
    }
    process.standardInput = try FileHandle(forReadingFrom: files[0])
    process.standardOutput = try FileHandle(forWritingTo: files[1])
    process.standardError = try FileHandle(forWritingTo: files[2])
    try process.run()
    process.waitUntilExit()
    return Result(
      output: String(decoding: try Data(contentsOf: files[1]), as: UTF8.self),
      errors: String(decoding: try Data(contentsOf: files[2]), as: UTF8.self), code: process.terminationStatus)
  }
}
