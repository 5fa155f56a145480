import Foundation
import Treeline
import TreelineBuilder
import TreelineFormats

/// What a subcommand reads.
struct Input {
  /// `-` is standard input.
  let path: String
  let columns: ColumnOptions

  /// What messages call it.
  var name: String { Self.name(of: path) }

  static func name(of path: String) -> String { path == "-" ? "standard input" : path }

  /// Told by the first bytes, not by the name. Those of a pipe cannot be read twice, but an index is never a pipe.
  var isIndex: Bool { IndexHeader.begins(fileAt: path) }

  /// Opens the index, which has its positions already, so that choosing columns for them is an error.
  func openIndex() throws -> ClusterTree {
    if columns.choice != .automatic {
      throw ReadingError.columnsWithoutCSV(file: name, choice: columns.choice, found: "an index")
    }
    if columns.decimal != .point { throw ReadingError.decimalWithoutCSV(file: name, found: "an index") }
    return try ClusterTree(index: path)
  }

  /// Refuses outputs that are the input or each other: a file that is read, or written twice, would be lost.
  func checkOutputs(_ outputs: [String?]) throws {
    let outputs = outputs.compactMap { $0 }
    let files = ([path] + outputs).compactMap(FileIdentity.init(path:))
    guard Set(files).count == files.count else {
      throw Failure.usage(
        "expected different files to read and to write, found " + ([name] + outputs).joined(separator: ", ")
          + "; write to another name")
    }
  }
}

/// Equal for two paths that lead to one file, by whatever links, whether or not the file exists yet.
private struct FileIdentity: Hashable {
  private let device: dev_t
  private let inode: ino_t
  /// Of a file that is not there: its name in the folder that the numbers are of.
  private let missingName: String?

  /// - Parameter path: `-` is standard input, which may have been redirected.
  /// - Returns: nil where not even the folder is there.
  init?(path: String) {
    var status = stat()
    if (path == "-" ? fstat(STDIN_FILENO, &status) : stat(path, &status)) == 0 {
      missingName = nil
    } else {
      guard let target = FilePath.resolved(path).map(FilePath.init), stat(target.folder, &status) == 0 else {
        return nil
      }
      missingName = target.name
    }
    device = status.st_dev
    inode = status.st_ino
  }
}
