import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Passes on the requests of a connection one at a time, each in a separate turn of the event loop. So a client that
/// sends a hundred requests at once does not make other clients wait. Also answers `Expect: 100-continue`.
final class PipeliningHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// True after a request was passed on, until its response is complete.
  private var isResponding = false
  /// Parts of the queued requests, beginning with the head of the first queued request. The connection is not read
  /// while a request is queued.
  private var queue = CircularBuffer<HTTPRequestPart>()
  private var nextTurn: Scheduled<Void>?
  private var isReadPending = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let part = unwrapInboundIn(data)
    if !queue.isEmpty {
      queue.append(part)
    } else if isResponding, case .head = part {
      queue.append(part)
    } else {
      pass(part, context)
    }
  }

  func read(context: ChannelHandlerContext) { if queue.isEmpty { context.read() } else { isReadPending = true } }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) {
      isResponding = false
      if !queue.isEmpty { scheduleNextTurn(context) }
    }
    context.write(data, promise: promise)
  }

  /// Passes on an event. If the event says that the client closed its side, first passes on all queued requests.
  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event as? ChannelEvent == .inputClosed { while let part = queue.popFirst() { pass(part, context) } }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    queue.removeAll()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    queue.removeAll()
    nextTurn?.cancel()
  }

  private func pass(_ part: HTTPRequestPart, _ context: ChannelHandlerContext) {
    if case .head(let head) = part {
      isResponding = true
      // The client waits for this response before it sends the body (RFC 9110, section 10.1.1). A body that is too long
      // was refused before, by `RequestGuardHandler`.
      if head.headerFields[.expect]?.lowercased() == "100-continue" {
        context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
      }
    }
    context.fireChannelRead(wrapInboundOut(part))
  }

  private func scheduleNextTurn(_ context: ChannelHandlerContext) {
    guard nextTurn == nil else { return }
    // Without a delay, the event loop would run this task before the loop reads from other connections.
    nextTurn = context.eventLoop.assumeIsolated().scheduleTask(in: .microseconds(50)) { [self] in
      nextTurn = nil
      passNextRequest(context)
      guard queue.isEmpty, isReadPending else { return }
      isReadPending = false
      context.read()
    }
  }

  private func passNextRequest(_ context: ChannelHandlerContext) {
    guard !isResponding, let head = queue.popFirst() else { return }
    pass(head, context)
    while let part = queue.first {
      if case .head = part { break }
      pass(queue.removeFirst(), context)
    }
    context.fireChannelReadComplete()
  }
}
