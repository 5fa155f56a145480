import Foundation

func printToStandardError(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }

/// Writes an answer to standard output.
func writeToStandardOutput(_ bytes: UnsafeRawBufferPointer) throws {
  do { try FileHandle.standardOutput.write(contentsOf: Data(bytes)) } catch {
    throw Failure.inputOutput("standard output could not be written: \(error.localizedDescription)")
  }
}

func writeToStandardOutput(_ text: String) throws {
  var text = text
  try text.withUTF8 { try writeToStandardOutput(UnsafeRawBufferPointer($0)) }
}
