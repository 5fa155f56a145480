import HTTPTypes
@_spi(Server) import TreelineBuilder

/// The reason why a live index cannot be served.
public enum LiveError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The points of the index cannot be changed.
  case unsuitable(path: String, String)
  /// A record in the middle of the log is damaged.
  case damaged(String)
  /// The log has batches that do not suit the index.
  case unreadable(path: String, record: Int, String?)

  public var description: String {
    switch self {
    case .unsuitable(let path, let reason): "\(path): \(reason)"
    case .damaged(let reason): reason
    case .unreadable(let path, let record, let reason):
      "\(path): expected batches for this index in record \(record), found others"
        + (reason.map { " (\($0))" } ?? "")
        + "; serve the index with its own log and columns, or remove the log to serve the index without its changes"
    }
  }
}

extension Problem {
  /// A log that cannot be written to.
  init(ofLog error: any Error) {
    if case EditLogError.full = error {
      self.init(
        status: HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage"),
        detail: "The disk is full; nothing of the batch was kept.",
        headers: [.retryAfter: "10"])
    } else {
      self.init(
        status: .serviceUnavailable, detail: "The batch could not be written to the disk; the server's log says why.")
    }
  }

  static let otherBatch = Problem(
    status: .unprocessableContent,
    detail: "Idempotency-Key: expected a new key for a new batch, found the key of a batch with other lines.")

  static let tooManyPoints = Problem(
    status: .contentTooLarge, detail: "The index would have more than \(LiveIndex.mostPoints) points.")

  static let tooManyBatches = Problem(
    status: .serviceUnavailable, detail: "Too many batches arrive at once; send the batch again.",
    headers: [.retryAfter: "1"])

  static func liveFailure(_ reason: String) -> Problem {
    Problem(status: .serviceUnavailable, detail: "The index cannot be changed any more; the server's log says why.")
  }
}
