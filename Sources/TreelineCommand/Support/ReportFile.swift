import TreelineBuilder

/// A file for a report, held from before the work on it, and written whole or not at all.
struct ReportFile {
  private let file: AtomicFile

  /// - Parameter beginning: What the report is going to begin with.
  init(_ path: String, beginning: String) throws {
    do throws(IndexWritingError) {
      file = try AtomicFile(path: path, beginning: Array(beginning.utf8))
    } catch .inUse {
      throw Failure(
        message: "\(path): another run is writing this report; wait for it to end", code: Failure.inputOutput)
    }
    Interruption.removes(file.partialPath)
  }

  func write(_ text: String) throws {
    var text = text
    try file.setLength(UInt64(text.utf8.count))
    try text.withUTF8 { bytes in try file.write(UnsafeRawBufferPointer(bytes), at: 0) }
    try file.finish()
  }
}
