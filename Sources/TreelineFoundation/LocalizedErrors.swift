import Foundation
import Treeline
import TreelineBuilder

// Foundation says what an error's own description says. The runtime and the builder stay without Foundation, so their
// errors are told here.

extension BuildError: LocalizedError {
  public var errorDescription: String? { description }
}

extension ColumnError: LocalizedError {
  public var errorDescription: String? { description }
}

extension IndexWritingError: LocalizedError {
  public var errorDescription: String? { description }
}

extension IndexError: LocalizedError {
  public var errorDescription: String? { description }
}

extension QueryError: LocalizedError {
  public var errorDescription: String? { description }
}

extension PieceError: LocalizedError {
  public var errorDescription: String? { description }
}
