import NIOCore
import NIOHTTP2

/// Hides pings from Hummingbird, which would close a connection after a few pings in 30 seconds. NIO has already
/// answered the pings. NIO itself closes a connection after 200 control frames in 30 seconds.
final class PingHandler: ChannelInboundHandler {
  typealias InboundIn = HTTP2Frame
  typealias InboundOut = HTTP2Frame

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .ping(_, ack: false) = unwrapInboundIn(data).payload { return }
    context.fireChannelRead(data)
  }
}
