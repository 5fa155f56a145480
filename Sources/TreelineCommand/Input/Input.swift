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

  /// Returns the name of the input and the line of a point, such as `cities.csv:7`, for use in messages. The line is
  /// known only if the columns of the table were kept.
  func place(ofPoint point: Int, in table: PointTable) -> String { "\(name):\(table.line(ofPoint: point))" }

  /// Returns the failure that the tool reports for an error about a column. If a value does not fit its column, the
  /// failure names the line of the value.
  ///
  /// - Parameters:
  ///   - line: The line of the value; nil if the line is unknown.
  ///   - areCells: Whether the value is the text of a cell.
  func refusal(of error: ColumnError, line: Int?, areCells: Bool = false) -> Failure {
    guard let line, case .unsuitableValue(let column, _, let expected, let found, let usual) = error else {
      return .badData("\(name): \(error)")
    }
    let number = !areCells || expected != "a number" ? "" : String(found.dropFirst().dropLast())
    let remedy =
      switch columns.decimal {
      case .point: CellNumber.commaRemedy(number) ?? usual
      case .comma where CellNumber.literal(number, mark: .point, allowsPlus: true) != nil:
        "remove the '.' between thousands; or, if the '.' is a decimal point, run without --decimal comma"
      default: usual
      }
    return .badData(
      "\(name):\(line): column \"\(column.visible)\": expected \(expected), found \(found); \(remedy)")
  }

  /// Whether the input begins with the first bytes of an index. The name of the file does not matter. False for a pipe,
  /// because its bytes cannot be read twice.
  var isIndex: Bool { ClusterTree.isIndex(atPath: path) }

  /// Opens the index. Throws if the user chose columns for coordinates, because an index already contains positions.
  func openIndex() throws -> ClusterTree {
    if columns.choice != .automatic {
      throw ReadingError.columnsWithoutCSV(file: name, choice: columns.choice, found: "an index")
    }
    if columns.decimal != .point { throw ReadingError.decimalWithoutCSV(file: name, found: "an index") }
    return try ClusterTree(contentsOfFile: path)
  }

  /// Throws if the input and an output are the same file, or if two outputs are the same file. Writing such a file
  /// would destroy the input or the other output.
  func checkOutputs(_ outputs: [String?]) throws {
    let outputs = outputs.compactMap { $0 }
    let files = ([path] + outputs).compactMap(FileIdentity.init(path:))
    guard Set(files).count == files.count else {
      throw Failure.usage(
        "two of these inputs and outputs are the same file: " + ([name] + outputs).joined(separator: ", ")
          + "; write to another file")
    }
    for output in outputs { try checkFolder(of: output) }
  }
}

/// Identity of a file. Two paths to one file have equal identities, even if the paths contain links, and even if the
/// file does not exist yet.
private struct FileIdentity: Hashable {
  private let device: dev_t
  private let inode: ino_t
  /// Name of a missing file; nil if the file exists. If the file is missing, `device` and `inode` identify its folder.
  private let missingName: String?

  /// - Parameter path: Path of the file; `-` means standard input, which may be redirected from a file.
  /// - Returns: nil if neither the file nor its folder exists.
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
