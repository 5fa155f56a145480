import HTTPTypes
import NIOPosix

/// A request that is understood, and only to be answered.
struct Question: Sendable {
  let request: HTTPRequest
  let answer: Answer
  let freshness: Freshness

  /// Replies on a thread for what takes long, if it does, so that an event loop goes on with what others ask.
  func reply() async throws -> Reply {
    if !answer.isDear { return try replyHere() }
    return try await NIOThreadPool.singleton.runIfActive { try replyHere() }
  }

  func replyHere() throws -> Reply { try request.reply(answer, freshness) }
}
