import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Replies on the connection's own event loop to what can be replied to at once, and hands on the rest.
///
/// Of requests that come together one is replied to in each turn of the loop, so that whoever sends a hundred does not keep
/// all others waiting. What comes meanwhile waits here, and no more is read.
final class PromptHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let reply: (HTTPRequest) -> Reply?
  /// The head of a request that has no body, until its end comes.
  private var head: HTTPRequest?
  /// How many requests were handed on, and are not replied to yet. Replies go out in the order of their requests.
  private var handedOn = 0
  /// Whether a request was replied to in this turn.
  private var hasReplied = false
  /// What waits for the next turns.
  private var waiting = CircularBuffer<HTTPRequestPart>()
  private var nextTurn: Scheduled<Void>?
  private var isReadDue = false

  /// - Parameter reply: nil for what is to be handed on.
  init(reply: @escaping (HTTPRequest) -> Reply?) {
    self.reply = reply
  }

  // MARK: Requests

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if waiting.isEmpty && !hasReplied {
      take(unwrapInboundIn(data), context)
    } else {
      waiting.append(unwrapInboundIn(data))
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    endTurn(context)
    context.fireChannelReadComplete()
  }

  func read(context: ChannelHandlerContext) {
    if waiting.isEmpty { context.read() } else { isReadDue = true }
  }

  private func take(_ part: HTTPRequestPart, _ context: ChannelHandlerContext) {
    switch part {
    case .head(let head) where isPrompt(head, context): self.head = head
    case .end:
      if let head, let reply = reply(head) {
        self.head = nil
        write(reply, to: context)
      } else {
        handOnHead(context)
        context.fireChannelRead(wrapInboundOut(part))
      }
    case .head(let head):
      let head = hasAnnouncedBody(head) ? invited(head, context) : head
      handedOn += 1
      context.fireChannelRead(wrapInboundOut(.head(head)))
    case .body:
      handOnHead(context)
      context.fireChannelRead(wrapInboundOut(part))
    }
  }

  /// A client that takes nothing is left to those who stop reading from it; so is one whose body may never come.
  private func isPrompt(_ head: HTTPRequest, _ context: ChannelHandlerContext) -> Bool {
    handedOn == 0 && context.channel.isWritable && head.method == .get
      && !head.headerFields.contains(.contentLength) && !head.headerFields.contains(.transferEncoding)
  }

  private func handOnHead(_ context: ChannelHandlerContext) {
    guard let head else { return }
    self.head = nil
    handedOn += 1
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }

  // MARK: Bodies that wait to be invited

  private func hasAnnouncedBody(_ head: HTTPRequest) -> Bool {
    head.headerFields[.expect]?.lowercased() == "100-continue"
  }

  /// Has the client send the body of a request, unless it is too long: then the reply is the last, as no body follows it
  /// (RFC 9110, section 10.1.1).
  private func invited(_ head: HTTPRequest, _ context: ChannelHandlerContext) -> HTTPRequest {
    var head = head
    if let length = head.headerFields[.contentLength].flatMap({ Int($0) }), length > Routes.longestBody {
      head.headerFields[.connection] = "close"
    } else if handedOn == 0 {
      context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
    }
    return head
  }

  // MARK: Turns

  private func endTurn(_ context: ChannelHandlerContext) {
    if hasReplied { context.flush() }
    hasReplied = false
    guard !waiting.isEmpty, nextTurn == nil else { return }
    // Later, if ever so little: what is to be done at once is done before the loop looks at other connections.
    nextTurn = context.eventLoop.assumeIsolated().scheduleTask(in: .microseconds(50)) { [self] in
      nextTurn = nil
      guard !waiting.isEmpty else { return }
      takeWaiting(context) { !self.hasReplied }
      context.fireChannelReadComplete()
      endTurn(context)
      guard waiting.isEmpty, isReadDue else { return }
      isReadDue = false
      context.read()
    }
  }

  private func takeWaiting(_ context: ChannelHandlerContext, while goesOn: () -> Bool) {
    while goesOn(), let part = waiting.popFirst() { take(part, context) }
  }

  /// What a client sent before it closed its side comes before that.
  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    takeWaiting(context) { true }
    if hasReplied { context.flush() }
    hasReplied = false
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    waiting.removeAll()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    waiting.removeAll()
    nextTurn?.cancel()
  }

  // MARK: Replies

  private func write(_ reply: Reply, to context: ChannelHandlerContext) {
    let head = HTTPResponse(status: reply.status, headerFields: reply.headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if reply.body.readableBytes > 0 { context.write(wrapOutboundOut(.body(reply.body)), promise: nil) }
    context.write(wrapOutboundOut(.end(nil)), promise: nil)
    hasReplied = true
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) { handedOn -= 1 }
    context.write(data, promise: promise)
  }
}
