import Foundation
import HTTPTypes
@_spi(Server) import TreelineBuilder

/// The reason why a live index cannot be served.
public enum LiveError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The points of the index cannot be changed. The text says why.
  case unsuitable(path: String, String)
  /// A record of the log is damaged. The batches in this record may have been acknowledged.
  case damaged(String)
  /// The log contains batches that do not fit the index.
  case unreadable(path: String, record: Int, String?)
  /// The log belongs to another index.
  case otherIndex(log: String, index: String)
  /// The log belongs to an index with another key column.
  case otherKey(log: String, expected: String, found: String)

  public var description: String {
    switch self {
    case .unsuitable(let path, let reason): "\(path): \(reason)"
    case .damaged(let reason): reason
    case .unreadable(let path, let record, let reason):
      "\(path): the batches in record \(record) of this log do not fit the index"
        + (reason.map { " (\($0))" } ?? "")
        + "; use the index file and '--key' that the log was written with, or remove the log and lose its changes"
    case .otherIndex(let log, let index):
      "\(log): expected the index to which the changes in this log belong, found another index in \(index); restore "
        + "the index that this log was written with, or remove the log and lose its changes"
    case .otherKey(let log, let expected, let found):
      "\(log): expected the key column \(expected.debugDescription), with which this log was written, found "
        + "\(found.debugDescription); use '--key \(expected)', or remove the log and lose its changes"
    }
  }
}

extension LiveError: LocalizedError {
  public var errorDescription: String? { description }
}

extension Problem {
  /// A failure to write to the log.
  init(ofLog error: any Error) {
    if case EditLogError.full = error {
      self.init(
        status: HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage"),
        detail: "The disk is full, so the whole batch was refused.",
        headers: [.retryAfter: "10"])
    } else {
      self.init(
        status: .serviceUnavailable, detail: "The batch could not be written to the disk; the server's log says why.")
    }
  }

  static let otherBatch = Problem(
    status: .unprocessableContent,
    detail: "Idempotency-Key: this key was already used for another batch; send each new batch with a new key.")

  static let tooManyPoints = Problem(
    status: .contentTooLarge, detail: "A live index may have at most \(LiveIndex.mostPoints) points.")

  static let tooManyBatches = Problem(
    status: .serviceUnavailable, detail: "Too many batches are waiting; send this batch again later.",
    headers: [.retryAfter: "1"])

  static func liveFailure(_ reason: String) -> Problem {
    Problem(status: .serviceUnavailable, detail: "The index cannot be changed any more; the server's log says why.")
  }
}
