import CTreeline
import Treeline
import TreelineBuilder
import TreelinePages

/// A mistake of a caller in C that would trap in Swift.
struct ArgumentError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// An error in the parameters of a query or the options of a build.
struct ParameterError: Error, CustomStringConvertible {
  let description: String
}

/// An error for C.
final class ErrorObject {
  let kind: treeline_error_kind
  let message: Block

  init(_ error: any Error) {
    kind = Self.kind(of: error)
    message = Block(text: kind == TREELINE_ERROR_CANCELLED ? "the build was cancelled" : "\(error)")
  }

  private static func kind(of error: any Error) -> treeline_error_kind {
    switch error {
    case is ParameterError: TREELINE_ERROR_PARAMETER
    case is QueryError: TREELINE_ERROR_QUERY
    case is FilterError, is FilterTextError: TREELINE_ERROR_FILTER
    case is AggregateError: TREELINE_ERROR_AGGREGATE
    case is BuildError: TREELINE_ERROR_BUILD
    case is EditError: TREELINE_ERROR_EDIT
    case is PageError: TREELINE_ERROR_PAGE
    case is CancellationError, PieceError.cancelled, ColumnError.cancelled, IndexWritingError.cancelled:
      TREELINE_ERROR_CANCELLED
    case is ColumnError, PieceError.column: TREELINE_ERROR_COLUMN
    case is IndexError: TREELINE_ERROR_INDEX
    case is IndexWritingError: TREELINE_ERROR_WRITING
    case PieceError.invalid, PieceError.unsupported, PieceError.rowTwice: TREELINE_ERROR_BUILD
    case PieceError.scratch, PieceError.foreignScratch, PieceError.inUse, PieceError.writing: TREELINE_ERROR_WRITING
    case PieceError.damaged: TREELINE_ERROR_PIECES
    default: TREELINE_ERROR_ARGUMENT
    }
  }
}

/// The address at which C wants an error to be stored; nil if C does not want errors.
public typealias ErrorPlace = UnsafeMutablePointer<OpaquePointer?>?

// Passing NULL is a mistake if NULL has no meaning as that argument. A function that can fail reports this mistake as
// an error, like other mistakes. A function that cannot fail does nothing and returns 0, false or NULL.

/// Runs `work`. If it throws, stores the error at the address that C passed.
func attempt<Result>(_ place: ErrorPlace, _ work: () throws -> Result) -> Result? {
  do { return try work() } catch {
    place?.pointee = OpaquePointer(owning: ErrorObject(error))
    return nil
  }
}

/// Runs `work` like `attempt`, and passes the object that it returns to C.
func attemptObject(_ place: ErrorPlace, _ work: () throws -> AnyObject) -> OpaquePointer? {
  attempt(place, work).map(OpaquePointer.init(owning:))
}

@_cdecl("treeline_error_get_kind")
public func errorKind(_ error: OpaquePointer?) -> treeline_error_kind {
  error.objectIfAny(ErrorObject.self)?.kind ?? treeline_error_kind(0)
}

@_cdecl("treeline_error_message")
public func errorMessage(_ error: OpaquePointer?) -> UnsafePointer<CChar>? {
  error.objectIfAny(ErrorObject.self)?.message.text
}

@_cdecl("treeline_error_free") public func freeError(_ error: OpaquePointer?) { error?.release() }
