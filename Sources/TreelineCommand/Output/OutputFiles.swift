import ArgumentParser
import Foundation
import TreelineBuilder

/// The file of a report. The file is opened before the work on the report begins. It has a temporary name until it is
/// complete.
final class ReportFile {
  private let file: AtomicFile
  private var length: UInt64 = 0

  /// - Parameter beginning: First bytes of the report.
  init(_ path: String, beginning: String) throws {
    do throws(IndexWritingError) { file = try AtomicFile(path: path, beginning: Array(beginning.utf8)) } catch .inUse {
      throw Failure.inputOutput("\(path): another run is writing this report; wait for it to end")
    }
    Interruption.removes(file.partialPath)
  }

  /// Writes the whole report.
  func write(_ text: String) throws {
    var text = text
    try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
    try finish()
  }

  /// Appends a part of the report.
  func write(_ bytes: UnsafeRawBufferPointer) throws {
    try file.write(bytes, at: length)
    length += UInt64(bytes.count)
  }

  func finish() throws { try file.finish() }
}

/// Removes incomplete files when a signal ends the process. Such a signal is sent, for example, after an interrupt, or
/// when a terminal or a pipe is closed.
enum Interruption {
  private static let signals = [SIGHUP, SIGINT, SIGPIPE, SIGTERM]

  /// Adds a file or a folder that is removed if a signal ends the process. The last one added is removed first, so a
  /// folder must be added before the files in it. Missing files are ignored.
  static func removes(_ path: String) {
    // A path may be added twice, because tests run many subcommands in one process, and these subcommands write to the
    // same paths.
    if (0..<nameCount).contains(where: { strcmp(names[$0]!, path) == 0 }) { return }
    precondition(nameCount < maximumNameCount, "No subcommand writes more than \(maximumNameCount) files")
    names[nameCount] = strdup(path)
    nameCount += 1
    for number in signals {
      // A signal that is ignored, for example because of nohup, must stay ignored.
      if unsafeBitCast(signal(number, removeAndEnd), to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
        signal(number, SIG_IGN)
      }
    }
  }
}

private let maximumNameCount = 32

/// A signal handler must not allocate or lock. So it reads plain memory, which is written before the handler is
/// installed.
private nonisolated(unsafe) let names = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(
  capacity: maximumNameCount)
private nonisolated(unsafe) var nameCount = 0

private func removeAndEnd(_ number: Int32) {
  for index in (0..<nameCount).reversed() where unlink(names[index]!) != 0 { rmdir(names[index]!) }
  signal(number, SIG_DFL)
  raise(number)
}

/// Throws if the path does not name a file. Called before any work is done. `option` is an option such as `--output`.
func checkOutputPath(_ path: String?, _ option: String) throws {
  if path == "" { throw ValidationError("'\(option)' must name a file, found an empty name.") }
  if path == "-" {
    throw ValidationError("'\(option)' must name a file, found '-'; give './-' for a file with this name.")
  }
}
