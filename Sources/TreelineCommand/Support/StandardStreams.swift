import Foundation

func printToStandardError(_ line: String) {
  FileHandle.standardError.write(Data((line + "\n").utf8))
}

/// Writes an answer to standard output, where a pipe closed by its reader is no failure of ours to report at length.
func writeToStandardOutput(_ text: String) throws {
  do {
    try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
  } catch {
    throw Failure(
      message: "standard output could not be written: \(describe(error))", code: Failure.inputOutput)
  }
}

/// Writes a file whole or not at all.
func write(_ text: String, to path: String) throws {
  do {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
  } catch {
    throw Failure(message: "\(path) could not be written: \(describe(error))", code: Failure.inputOutput)
  }
}

private func describe(_ error: any Error) -> String {
  let error = error as NSError
  if let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError, cause.domain == NSPOSIXErrorDomain {
    return String(cString: strerror(Int32(cause.code)))
  }
  return error.domain == NSPOSIXErrorDomain
    ? String(cString: strerror(Int32(error.code))) : error.localizedDescription
}
