import ArgumentParser
import Foundation
import TreelineBuilder

/// The output streams of the tool. Tests that run the tool in their own process redirect these streams.
enum StandardStreams {
  nonisolated(unsafe) static var output = STDOUT_FILENO
  nonisolated(unsafe) static var errors = STDERR_FILENO
}

func printToStandardError(_ line: String) {
  FileHandle(fileDescriptor: StandardStreams.errors, closeOnDealloc: false).write(Data((line + "\n").utf8))
}

/// Messages that are written to standard error but are not errors. They report what was read, skipped or repaired.
enum Notes {
  /// Whether notes are suppressed. Set once, before any work begins.
  nonisolated(unsafe) fileprivate(set) static var areSilent = false

  static func print(_ line: String) { if !areSilent { printToStandardError(line) } }
}

struct NoteOptions: ParsableArguments {
  @Flag(help: "Print only errors on standard error: no progress, and no notes on what was read, skipped or repaired.")
  var quiet = false

  func validate() { Notes.areSilent = quiet }
}

/// The options that say where an answer is written.
struct AnswerOptions: ParsableArguments {
  @Option(
    name: [.short, .long],
    help: .init(
      "The output file, which is written completely or not at all. (default: '-', which is standard output)",
      valueName: "file"))
  var output: String?

  @OptionGroup var notes: NoteOptions

  func validate() throws {
    if output != "-" { try checkOutputPath(output, "--output") }
    try checkPlainPath(output, "--output")
  }

  /// Opens the output, and calls `answer` with a function that appends bytes to the output.
  ///
  /// - Parameter beginning: First bytes of the answer.
  func write(
    _ input: Input, beginning: String, _ answer: (_ write: (UnsafeRawBufferPointer) throws -> Void) throws -> Void
  ) throws {
    guard let output, output != "-" else { return try answer(writeToStandardOutput) }
    try input.checkOutputs([output])
    let file = try ReportFile(output, beginning: beginning)
    try answer(file.write)
    try file.finish()
  }
}

/// Writes an answer to standard output.
func writeToStandardOutput(_ bytes: UnsafeRawBufferPointer) throws {
  var rest = bytes[...]
  while !rest.isEmpty {
    let written = Foundation.write(
      StandardStreams.output, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
    if written >= 0 {
      rest = rest.dropFirst(written)
    } else if errno != EINTR {
      throw Failure.inputOutput("standard output could not be written: \(String(cString: strerror(errno)))")
    }
  }
}

func writeToStandardOutput(_ text: String) throws {
  var text = text
  try text.withUTF8 { try writeToStandardOutput(UnsafeRawBufferPointer($0)) }
}

/// Writes a value as JSON to standard output.
func writeToStandardOutput(json value: some Encodable) throws {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
  encoder.keyEncodingStrategy = .convertToSnakeCase
  try writeToStandardOutput(String(decoding: encoder.encode(value), as: UTF8.self) + "\n")
}
