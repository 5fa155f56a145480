import NIOCore
import NIOHTTP2

/// Hides the pings of a client from Hummingbird, which closes a connection with more than a few pings in 30 seconds.
/// NIO has already answered the pings. It closes a connection with more than 200 control frames in 30 seconds.
final class PingHandler: ChannelInboundHandler {
  typealias InboundIn = HTTP2Frame
  typealias InboundOut = HTTP2Frame

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .ping(_, ack: false) = unwrapInboundIn(data).payload { return }
    context.fireChannelRead(data)
  }
}
