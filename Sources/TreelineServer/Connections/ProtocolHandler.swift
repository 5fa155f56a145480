import NIOCore

/// Finds out whether a client speaks HTTP/2, which begins with words that no request of HTTP/1 has (RFC 9113,
/// section 3.4), has the connection set up for it, and steps aside. swift-nio leaves that to TLS, which tells.
final class ProtocolHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private let setUp: (_ isHTTP2: Bool) -> Void
  private let limit: TimeAmount
  private var received = ByteBuffer()
  private var isDecided = false
  private var watch: Scheduled<Void>?

  private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  /// - Parameter limit: For how long a client may say nothing.
  init(limit: TimeAmount, setUp: @escaping (_ isHTTP2: Bool) -> Void) { (self.limit, self.setUp) = (limit, setUp) }

  func handlerAdded(context: ChannelHandlerContext) {
    watch = context.eventLoop.assumeIsolated().scheduleTask(in: limit) { context.close(promise: nil) }
  }

  func handlerRemoved(context: ChannelHandlerContext) { watch?.cancel() }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    received.writeBuffer(&bytes)
    if isDecided { return }
    let isSame = zip(received.readableBytesView, Self.preface).allSatisfy { $0 == $1 }
    if isSame && received.readableBytes < Self.preface.count { return }
    isDecided = true
    setUp(isSame)
    context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
  }

  func removeHandler(context: ChannelHandlerContext, removalToken: ChannelHandlerContext.RemovalToken) {
    context.fireChannelRead(wrapInboundOut(received))
    context.fireChannelReadComplete()
    context.leavePipeline(removalToken: removalToken)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    // The server stops, or the client is done before it began.
    if event is ChannelShouldQuiesceEvent || event as? ChannelEvent == .inputClosed { context.close(promise: nil) }
    context.fireUserInboundEventTriggered(event)
  }
}
