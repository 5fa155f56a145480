import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypesHTTP1

/// Connections of HTTP/1.1 on which what can be is replied to at once.
struct PromptChannel: ServerChildChannel {
  let http: HTTP1Channel
  let routes: PromptRoutes

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
    http.setup(channel: channel, logger: logger).flatMapThrowing { value in
      let pipeline = channel.pipeline.syncOperations
      let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
      try pipeline.addHandler(LastRequestHandler(), position: .before(codec))
      // It sees all requests and replies, so that it knows which connection is idle.
      let state = try pipeline.handler(type: HTTPConnectionStateHandler.self)
      try pipeline.addHandler(PromptHandler(reply: routes.reply), position: .after(state))
      return value
    }
  }

  func handle(value: HTTP1Channel.Value, logger: Logger) async {
    await http.handle(value: value, logger: logger)
  }
}
