import ArgumentParser
import Foundation
import GridBaseline
import Treeline
import TreelineBuilder
@_spi(Server) import TreelineComparison
import TreelineFormats

/// What went wrong, as the tool says it, and the exit code that goes with it (sysexits.h).
struct Failure: Error {
  var message: String
  var code: Int32

  static let usage: Int32 = 64
  static let badData: Int32 = 65
  static let noInput: Int32 = 66
  static let inputOutput: Int32 = 74
}

/// Runs a subcommand's work and ends the process with a message and an exit code where it fails.
func reportingFailures(_ work: () throws -> Void) throws {
  do { try work() } catch let error as ExitCode { throw error } catch {
    let failure = Failure(of: error)
    printToStandardError("treeline: \(failure.message)")
    throw ExitCode(failure.code)
  }
}

extension Failure {
  fileprivate init(of error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case let error as ReadingError:
      let code =
        switch error.kind {
        case .unopenable: Self.noInput
        case .readFailed: Self.inputOutput
        case .usage: Self.usage
        case .badData: Self.badData
        }
      self.init(message: "\(error)", code: code)
    case is QueryError:
      // Limits are checked with the arguments, so what is left is the box.
      self.init(message: "--bbox: \(error)", code: Self.usage)
    case is ComparisonError, is GridError: self.init(message: "\(error)", code: Self.usage)
    case let error as IndexWritingError:
      let code =
        switch error {
        case .wouldOverwrite, .notAFile, .tooManyAttributes, .attributeTwice: Self.usage
        case .inUse, .foreignPartialFile, .failed: Self.inputOutput
        }
      self.init(message: "\(error)", code: code)
    case IndexError.unopenable: self.init(message: "\(error)", code: Self.noInput)
    case is BuildError, is IndexError: self.init(message: "\(error)", code: Self.badData)
    default: self.init(message: "\(error)", code: Self.inputOutput)
    }
  }
}
