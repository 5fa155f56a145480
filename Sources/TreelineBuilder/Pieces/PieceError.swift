import CLibrary
import Treeline

/// The reason why a build in pieces cannot continue.
public enum PieceError: Error, Hashable, Sendable {
  /// No tree can be built from the points.
  case invalid(BuildError)
  /// A feature that is not supported when an index is built in pieces.
  case unsupported(what: String, reason: String, remedy: String)
  /// A column cannot hold some of its values.
  case column(ColumnError)
  /// Two points have the same row number. This can happen only if the caller assigns row numbers.
  case rowTwice(row: Int)
  /// A row number is below 0 or above 2^53.
  case rowOutOfRange
  /// Data that an earlier step wrote has changed or is incomplete.
  case damaged(what: String, expected: String, found: String)
  /// The system refused an operation, for example because space, a permission or the folder is missing.
  case scratch(path: String, action: String, reason: String)
  /// There is already something else at the path of the scratch folder: a file, or a folder that was not made by a
  /// build.
  case foreignScratch(path: String, found: String)
  /// Another build works in the same folder.
  case inUse(path: String)
  /// The index could not be written.
  case writing(IndexWritingError)
  /// The build was cancelled, or the progress callback stopped the build.
  case cancelled
}

extension PieceError: CustomStringConvertible {
  /// The reason if a disk has too few free bytes.
  package static func lack(ofFree free: some BinaryInteger) -> String { "only \(free) bytes\(isFree)" }

  private static let isFree = " are free"

  /// Returns the remedy for a reason that `lack` or the system gave.
  private static func remedy(for reason: String) -> String {
    #if POSIX
      let isFull =
        reason.hasSuffix(isFree) || [ENOSPC, EDQUOT, EFBIG].contains { String(cString: strerror($0)) == reason }
      return isFull ? "free some space" : "check the path and its permissions"
    #else
      return "check the path"
    #endif
  }

  public var description: String {
    switch self {
    case .invalid(let error): "\(error)"
    case .unsupported(let what, let reason, let remedy): "\(what) cannot be built in pieces: \(reason); \(remedy)"
    case .column(let error): "\(error)"
    case .rowTwice(let row):
      "expected a different row number for each point, found \(row) twice; give each point its own row number"
    case .rowOutOfRange:
      "expected row numbers from 0 to 2^53, found another number; give points other row numbers, because many "
        + "programs round greater numbers"
    case .damaged(let what, let expected, let found):
      "\(what): expected \(expected), found \(found); start the build again"
    case .scratch(let path, let action, let reason):
      "\(path): could not \(action): \(reason); "
        + "\(Self.remedy(for: reason)), or choose another scratch folder"
    case .foreignScratch(let path, let found):
      "\(path): expected no file, or the scratch folder of an earlier build, found \(found); "
        + "move the file or folder away, or choose another scratch folder"
    case .inUse(let path):
      "\(path): another build uses this folder; wait until that build ends, or choose another scratch folder"
    case .writing(let error): "\(error)"
    case .cancelled: "the build was cancelled"
    }
  }
}
