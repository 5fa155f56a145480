import CTreeline
import Treeline
import TreelineBuilder
import TreelinePages

/// A wrong argument that the C caller passed. A Swift function would trap for such an argument.
struct ArgumentError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// An error in the parameters of a query or the options of a build.
struct ParameterError: Error, CustomStringConvertible {
  let description: String
}

/// An error as C receives it.
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
    case is QueryError, is SearchError: TREELINE_ERROR_QUERY
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
    case PieceError.invalid, PieceError.unsupported, PieceError.rowTwice, PieceError.rowOutOfRange:
      TREELINE_ERROR_BUILD
    case PieceError.scratch, PieceError.foreignScratch, PieceError.inUse, PieceError.writing: TREELINE_ERROR_WRITING
    case PieceError.damaged: TREELINE_ERROR_PIECES
    default: TREELINE_ERROR_ARGUMENT
    }
  }
}

/// Address at which an error is stored for the caller; nil if the caller wants no error.
public typealias ErrorPlace = UnsafeMutablePointer<OpaquePointer?>?

// For some arguments NULL has a meaning. For all other arguments NULL is a mistake. A function with an error argument
// reports this mistake as an error. A function without an error argument does nothing, and returns 0, false or NULL.

/// Runs `work`. If `work` throws an error, stores the error at the address that the caller passed, and returns nil.
func attempt<Result>(_ place: ErrorPlace, _ work: () throws -> Result) -> Result? {
  do { return try work() } catch {
    place?.pointee = OpaquePointer(owning: ErrorObject(error))
    return nil
  }
}

/// Runs `work` like `attempt`, and passes ownership of the returned object to C.
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
