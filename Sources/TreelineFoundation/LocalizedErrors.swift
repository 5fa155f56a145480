import Foundation
import GridBaseline
import Treeline
import TreelineBuilder
import TreelineFormats
import TreelinePages

// Makes Foundation show the description of an error. These modules do not use Foundation, so their errors
// conform to `LocalizedError` here.

extension BuildError: LocalizedError {
  public var errorDescription: String? { description }
}

extension ColumnError: LocalizedError {
  public var errorDescription: String? { description }
}

extension EditError: LocalizedError {
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

extension PageError: LocalizedError {
  public var errorDescription: String? { description }
}

extension AggregateError: LocalizedError {
  public var errorDescription: String? { description }
}

extension FilterError: LocalizedError {
  public var errorDescription: String? { description }
}

extension FilterTextError: LocalizedError {
  public var errorDescription: String? { description }
}

extension SearchError: LocalizedError {
  public var errorDescription: String? { description }
}

extension GridError: LocalizedError {
  public var errorDescription: String? { description }
}

extension ReadingError: LocalizedError {
  public var errorDescription: String? { description }
}
