import Hummingbird
import NIOCore

/// Bounds on the body of a request.
enum RequestBodyLimit {
  /// Maximum length, in bytes.
  static let length = 256 << 10
  /// Maximum length of a batch of changes, in bytes.
  static let batchLength = 8 << 20
  static let time = Duration.seconds(10)

  static func lengthExceeded(_ length: Int) -> Problem {
    Problem(status: .contentTooLarge, detail: "The body may have at most \(length) bytes.")
  }
}

extension Request {
  /// Returns the whole body. Throws if the body does not arrive in time, is too long or is compressed.
  func boundedBody() async throws -> ByteBuffer {
    if let encoding = headers[.contentEncoding], encoding.lowercased() != "identity" {
      throw Problem(
        status: .unsupportedMediaType,
        detail: "The body must not be compressed; send the body without a Content-Encoding such as gzip.",
        headers: [.acceptEncoding: "identity"])
    }
    return try await withThrowingTaskGroup(of: ByteBuffer.self) { group in
      group.addTask {
        do { return try await body.collect(upTo: head.longestBody) } catch is NIOTooManyBytesError {
          throw RequestBodyLimit.lengthExceeded(head.longestBody)
        }
      }
      group.addTask {
        try await Task.sleep(for: RequestBodyLimit.time)
        throw Problem(status: .requestTimeout, detail: "The body must arrive within \(RequestBodyLimit.time).")
      }
      defer { group.cancelAll() }
      return try await group.next()!
    }
  }
}

extension HTTPRequest {
  /// Whether the client announces a body that is longer than the limit.
  var announcesTooLongBody: Bool {
    headerFields[.contentLength].flatMap { Int($0) }.map { $0 > longestBody } ?? false
  }

  /// Maximum length of the body, in bytes.
  var longestBody: Int { method == .patch ? RequestBodyLimit.batchLength : RequestBodyLimit.length }
}
