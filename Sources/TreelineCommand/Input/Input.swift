import Foundation
import Treeline
import TreelineBuilder
import TreelineFormats

/// The input of a subcommand.
struct Input {
  /// Path of the input; `-` is standard input.
  let path: String
  let columns: ColumnOptions

  /// Name of the input in messages.
  var name: String { Self.name(of: path) }

  static func name(of path: String) -> String { path == "-" ? "standard input" : path }

  /// Returns the input and the line of a point's record, for a message: `cities.csv:7`. The columns of the table must
  /// have been kept.
  func place(ofPoint point: Int, in table: PointTable) -> String { "\(name):\(table.line(ofPoint: point))" }

  /// Returns an error about a column, with the line of the unsuitable value.
  ///
  /// - Parameters:
  ///   - line: The line; nil if the error has it instead of a row.
  ///   - table: The points, or some of them.
  func refusal(of error: ColumnError, line: Int? = nil, in table: PointTable) -> Failure {
    guard case .unsuitableValue(let column, let row, let expected, let found, let usual) = error else {
      return .badData("\(name): \(error)")
    }
    let number = table.cells == nil || expected != "a number" ? "" : String(found.dropFirst().dropLast())
    let remedy =
      switch columns.decimal {
      case .point where CellNumber.haveDecimalCommas([number]):
        "--decimal comma reads such numbers"
      case .comma where CellNumber.literal(number, mark: .point, allowsPlus: true) != nil:
        "remove the points between thousands; or, if they are decimal points, run without --decimal comma"
      default: usual
      }
    return .badData(
      "\(name):\(line ?? row): column \"\(column.visible)\": expected \(expected), found \(found); \(remedy)")
  }

  /// Whether the input is an index, according to its first bytes, not its name. False for a pipe, because its bytes
  /// cannot be read twice.
  var isIndex: Bool { IndexHeader.begins(fileAt: path) }

  /// Opens the index. It is an error to choose columns of coordinates, since an index already has positions.
  func openIndex() throws -> ClusterTree {
    if columns.choice != .automatic {
      throw ReadingError.columnsWithoutCSV(file: name, choice: columns.choice, found: "an index")
    }
    if columns.decimal != .point { throw ReadingError.decimalWithoutCSV(file: name, found: "an index") }
    return try ClusterTree(index: path)
  }

  /// Refuses an output file that is also the input or another output, since writing it would destroy the other data.
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

/// Identity of a file: equal for two paths that lead to one file, through any links, even if the file does not exist
/// yet.
private struct FileIdentity: Hashable {
  private let device: dev_t
  private let inode: ino_t
  /// Name of a file that does not exist, in the folder that the numbers identify; nil for an existing file.
  private let missingName: String?

  /// - Parameter path: Path of the file; `-` is standard input, which may be redirected.
  /// - Returns: nil if the folder does not exist either.
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
