import Treeline
import TreelineFormats

/// What a subcommand reads.
struct Input {
  /// `-` is standard input.
  let path: String
  let columns: ColumnOptions

  /// What messages call it.
  var name: String { path == "-" ? "standard input" : path }

  /// Told by the first bytes, not by the name. A pipe's cannot be looked at without taking them, and an index is no pipe.
  var isIndex: Bool { IndexHeader.begins(fileAt: path) }

  /// Opens the index, which has its positions already: no column is to be named for them.
  func openIndex() throws -> ClusterTree {
    if columns.choice != .automatic {
      throw ReadingError.columnsWithoutCSV(file: name, choice: columns.choice, found: "an index")
    }
    return try ClusterTree(index: path)
  }

  /// Refuses outputs that are the input or each other: a file that is read, or written twice, would be lost.
  func checkOutputs(_ outputs: [String?]) throws {
    let outputs = outputs.compactMap { $0 }
    let files = ([path] + outputs).compactMap(FileIdentity.init(path:))
    guard Set(files).count == files.count else {
      throw Failure(
        message: "expected different files to read and to write, found "
          + ([name] + outputs).joined(separator: ", ") + "; write to another name",
        code: Failure.usage)
    }
  }
}
