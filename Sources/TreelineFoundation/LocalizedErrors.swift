import Foundation
import Treeline
import TreelineBuilder

// Foundation shows an error's own description. The runtime and the builder do without Foundation, so their errors get
// it here.

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
