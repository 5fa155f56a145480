import NIOCore

/// Detects whether a client uses HTTP/1 or HTTP/2, sets up the connection for the detected protocol, and removes
/// itself. HTTP/2 begins with a preface that cannot begin an HTTP/1 request (RFC 9113, section 3.4). swift-nio detects
/// the protocol only with TLS.
final class ProtocolHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private let setUp: (_ isHTTP2: Bool) -> Void
  private let limit: TimeAmount
  private var received = ByteBuffer()
  private var isDecided = false
  private var watch: Scheduled<Void>?

  private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  /// - Parameter limit: Time after which the connection is closed if its protocol is still unknown.
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
    // The server is stopping, or the client closed its side before it sent a request.
    if event is ChannelShouldQuiesceEvent || event as? ChannelEvent == .inputClosed { context.close(promise: nil) }
    context.fireUserInboundEventTriggered(event)
  }
}
