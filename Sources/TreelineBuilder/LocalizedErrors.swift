import Foundation
import Treeline

// Foundation says what an error's own description says. The runtime stays without Foundation, so its errors are told
// here, where trees come from.

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
