import Foundation

extension GridError: LocalizedError {
  public var errorDescription: String? { description }
}
