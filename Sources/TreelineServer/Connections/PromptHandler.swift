import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Replies on the connection's own event loop to what can be replied to at once, and hands on the rest.
final class PromptHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let reply: (HTTPRequest) -> Reply?
  /// The head of a request of which nothing else has come yet.
  private var head: HTTPRequest?
  /// How many requests were handed on, and are not replied to yet. Replies go out in the order of their requests.
  private var handedOn = 0
  private var isFlushDue = false

  /// - Parameter reply: nil for what is to be handed on.
  init(reply: @escaping (HTTPRequest) -> Reply?) {
    self.reply = reply
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      // A client that takes nothing is left to those who stop reading from it.
      if handedOn == 0 && context.channel.isWritable {
        self.head = head
      } else {
        handedOn += 1
        context.fireChannelRead(data)
      }
    case .end:
      if let head, let reply = reply(head) {
        self.head = nil
        write(reply, to: context)
      } else {
        handOnHead(context)
        context.fireChannelRead(data)
      }
    case .body:
      handOnHead(context)
      context.fireChannelRead(data)
    }
  }

  private func handOnHead(_ context: ChannelHandlerContext) {
    guard let head else { return }
    self.head = nil
    handedOn += 1
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }

  private func write(_ reply: Reply, to context: ChannelHandlerContext) {
    let head = HTTPResponse(status: reply.status, headerFields: reply.headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if reply.body.readableBytes > 0 { context.write(wrapOutboundOut(.body(reply.body)), promise: nil) }
    context.write(wrapOutboundOut(.end(nil)), promise: nil)
    isFlushDue = true
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    if isFlushDue {
      isFlushDue = false
      context.flush()
    }
    context.fireChannelReadComplete()
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) { handedOn -= 1 }
    context.write(data, promise: promise)
  }
}
