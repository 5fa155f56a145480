import ArgumentParser
import Foundation
import Treeline
import TreelineBuilder

/// The file of a report. The file is opened before the work on the report begins. It has a temporary name until it is
/// complete.
final class ReportFile {
  private let file: AtomicFile
  private var length: UInt64 = 0

  /// - Parameter beginning: First bytes of the report.
  init(_ path: String, beginning: String) throws {
    guard !ClusterTree.isIndex(atPath: path) else {
      throw Failure.usage(
        "\(path): expected no file or a file that is not an index, found an index; choose another name, or remove the "
          + "index first")
    }
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

/// Throws if the path does not name a file. Called before any work is done.
///
/// - Parameters:
///   - option: An option such as `--output`.
///   - kind: What the path must name: `file` or `folder`.
func checkOutputPath(_ path: String?, _ option: String, kind: String = "file") throws {
  if path == "" { throw ValidationError("'\(option)' must name a \(kind), found an empty name.") }
  if path == "-" {
    throw ValidationError("'\(option)' must name a \(kind), found '-'; give './-' for a \(kind) with this name.")
  }
}

/// Throws if the path does not name an HTML file. So the path of the input or of an index, given by mistake, is never
/// overwritten.
func checkPagePath(_ path: String?, _ option: String) throws {
  try checkOutputPath(path, option)
  guard let path, !["html", "htm"].contains((path as NSString).pathExtension.lowercased()) else { return }
  throw ValidationError("'\(option)' must end with .html or .htm, found '\(path)'.")
}

/// Throws if the path names a compressed file.
func checkPlainPath(_ path: String?, _ option: String) throws {
  guard let path, (path as NSString).pathExtension.lowercased() == "gz" else { return }
  throw ValidationError(
    "'\(option)' must not end with .gz, because the output is not compressed, found '\(path)'; "
      + "leave out .gz, or give '\(option) -' and compress the output with gzip.")
}

/// Throws if a file cannot be created at a path, because its folder is missing or must not be written to.
func checkFolder(of path: String) throws {
  var status = stat()
  // A device or a pipe is refused later, with another message.
  if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG { return }
  guard let target = FilePath.resolved(path).map(FilePath.init), !target.name.isEmpty else { return }
  try checkFolder(
    target.folder.count > 1 && target.folder.hasSuffix("/") ? String(target.folder.dropLast()) : target.folder,
    for: path)
}

/// Throws if a path is not the path of a folder, or if files in this folder cannot be written. `owner` is the name of
/// the file or of the option that needs the folder.
func checkFolder(_ folder: String, for owner: String) throws {
  // The system reads a path only up to its first NUL byte. Such a path is refused later.
  if folder.utf8.contains(0) { return }
  var status = stat()
  if stat(folder, &status) == 0, status.st_mode & S_IFMT != S_IFDIR {
    throw Failure.inputOutput("\(owner): expected the folder '\(folder)', found a file; choose another folder")
  }
  if access(folder, W_OK | X_OK) == 0 { return }
  switch errno {
  case ENOENT:
    throw Failure.inputOutput(
      "\(owner): expected the folder '\(folder)', found none; make this folder, or choose another one")
  case EACCES, EROFS:
    throw Failure.inputOutput(
      "\(owner): expected a folder in which you may write, found '\(folder)' (\(String(cString: strerror(errno)))); "
        + "choose another folder")
  default: return
  }
}
