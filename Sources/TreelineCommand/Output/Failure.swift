import ArgumentParser
import Foundation
import GridBaseline
@_spi(Server) import Treeline
import TreelineBuilder
@_spi(Server) import TreelineComparison
import TreelineFormats

/// An error message of the tool, and its exit code (sysexits.h).
struct Failure: Error {
  var message: String
  var code: Int32

  static func usage(_ message: String) -> Self { Self(message: message, code: 64) }
  static func badData(_ message: String) -> Self { Self(message: message, code: 65) }
  static func noInput(_ message: String) -> Self { Self(message: message, code: 66) }
  static func inputOutput(_ message: String) -> Self { Self(message: message, code: 74) }
}

/// Runs the work of a subcommand. If it fails, ends the process with a message and an exit code.
func reportingFailures(_ work: () throws -> Void) throws {
  do { try work() } catch let error as ExitCode { throw error } catch {
    let failure = Failure(of: error)
    printToStandardError("\(TreelineCommand._errorLabel): \(failure.message)")
    throw ExitCode(failure.code)
  }
}

extension Failure {
  init(of error: any Error) {
    let message = "\(error)"
    switch error {
    case let failure as Failure: self = failure
    // These errors are about viewports and limits, which come from the options. So they are usage errors.
    case is QueryError, is AggregateError, is SearchError: self = .usage(message)
    case is ComparisonError, is GridError, ReadingError.columnsWithoutCSV, ReadingError.decimalWithoutCSV:
      self = .usage(message)
    case ReadingError.unopenable, IndexError.unopenable: self = .noInput(message)
    case ReadingError.readFailed: self = .inputOutput(message)
    case is ReadingError, is BuildError, is IndexError: self = .badData(message)
    case PieceError.writing(let error): self.init(of: error)
    case PieceError.unsupported: self = .usage(message)
    case PieceError.invalid, PieceError.damaged, PieceError.column, PieceError.rowTwice, PieceError.rowOutOfRange:
      self = .badData(message)
    case let error as IndexWritingError:
      switch error {
      case .wouldOverwrite: self = .usage("\(message) with --force")
      case .notAFile, .tooManyAttributes, .attributeTwice: self = .usage(message)
      case .column: self = .badData(message)
      case .inUse, .foreignPartialFile, .failed, .notDurable, .cancelled: self = .inputOutput(message)
      }
    default: self = .inputOutput(message)
    }
  }
}
