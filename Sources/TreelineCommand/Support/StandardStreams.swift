import Foundation
import TreelineBuilder

func printToStandardError(_ line: String) {
  FileHandle.standardError.write(Data((line + "\n").utf8))
}

/// Writes an answer to standard output, where a pipe closed by its reader is no failure of ours to report at length.
func writeToStandardOutput(_ text: String) throws {
  do {
    try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
  } catch {
    throw Failure(
      message: "standard output could not be written: \(error.localizedDescription)",
      code: Failure.inputOutput)
  }
}

/// Writes a file whole or not at all.
func write(_ text: String, to path: String) throws {
  var text = text
  let file = try AtomicFile(path: path, length: UInt64(text.utf8.count))
  try text.withUTF8 { bytes in try file.write(UnsafeRawBufferPointer(bytes), at: 0) }
  try file.finish()
}
