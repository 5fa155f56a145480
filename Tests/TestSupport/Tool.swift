import Foundation

/// Runs the built tool as a user would run it. The current folder is the repository, so that paths in messages are the
/// same on all machines.
public enum Tool {
  /// Path of the tool. The tool is built next to the test bundle.
  public static let executable = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    .deletingLastPathComponent().appendingPathComponent("treelinemap")

  public struct Result: Hashable, Sendable {
    public var output: String
    public var errors: String
    public var code: Int32
  }

  public static func run(_ arguments: String...) throws -> Result { try run(arguments) }

  public static func run(_ arguments: [String], input: Data? = nil) throws -> Result {
    try run(executable, arguments, input: input)
  }

  /// Runs a bash script. In the script, `$TREELINE` is the tool. The first of `arguments` is `$0`.
  public static func runShell(_ script: String, _ arguments: [String] = ["bash"]) throws -> Result {
    try run(URL(fileURLWithPath: "/bin/bash"), ["-c", script] + arguments)
  }

  public static func run(_ executable: URL, _ arguments: [String], input: Data? = nil) throws -> Result {
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.currentDirectoryURL = Repository.root
    // The width of the terminal determines how help is wrapped. The locale determines the language of the shell's
    // messages.
    process.environment = ProcessInfo.processInfo.environment.merging([
      "COLUMNS": "80", "LC_ALL": "C", "TREELINE": Self.executable.path,
    ]) { $1 }
    // Output goes to files, because a long answer would fill a pipe.
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let files = try ["input", "output", "errors"].map { name in
      let bytes = name == "input" ? input.map { [UInt8]($0) } ?? [] : []
      return URL(fileURLWithPath: try folder.write(bytes, to: name))
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
