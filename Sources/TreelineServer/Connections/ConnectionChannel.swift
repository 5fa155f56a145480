import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// A connection of HTTP/1.1: Hummingbird's, with the parts of HTTP that it leaves out.
struct ConnectionChannel: ServerChildChannel {
  private let http: HTTP1Channel

  /// In bytes.
  private static let largestHeader = 16 << 10

  /// - Parameter idleTimeout: How long a connection may do nothing, and a client take nothing of a response.
  init(responder: @escaping HTTPChannelHandler.Responder, idleTimeout: TimeAmount) {
    http = HTTP1Channel(
      responder: responder,
      configuration: HTTP1Channel.Configuration(
        additionalChannelHandlers: [DeliveryHandler(limit: idleTimeout)], idleTimeout: idleTimeout,
        httpDecoderConfiguration: .init(
          maxHeaderFieldSize: Self.largestHeader, maxHeaderListSize: 2 * Self.largestHeader, maxHeaderFieldCount: 100)))
  }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
    http.setup(channel: channel, logger: logger).flatMapThrowing { value in
      let pipeline = channel.pipeline.syncOperations
      let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
      try pipeline.addHandler(KeepAliveHandler(), position: .before(codec))
      // Behind the handler that counts requests, so that a connection with requests in line is not idle.
      let state = try pipeline.handler(type: HTTPConnectionStateHandler.self)
      try pipeline.addHandler(PipeliningHandler(), position: .after(state))
      return value
    }
  }

  func handle(value: HTTP1Channel.Value, logger: Logger) async { await http.handle(value: value, logger: logger) }
}

/// Rewrites every way to ask for the end of a connection (RFC 9112, section 9.3) as the one that Hummingbird knows.
final class KeepAliveHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data), !head.isKeepAlive else { return context.fireChannelRead(data) }
    head.headers.replaceOrAdd(name: "connection", value: "close")
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }
}

/// Closes a connection only after its answers are on their way, also when the server stops, and closes one whose
/// client reads nothing.
final class DeliveryHandler: ChannelOutboundHandler, RemovableChannelHandler {
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let limit: TimeAmount
  /// How many answers are written, and not yet on their way.
  private var undelivered = 0
  /// What waits for them.
  private var closing: (mode: CloseMode, promise: EventLoopPromise<Void>?)?
  private var watch: Scheduled<Void>?

  init(limit: TimeAmount) { self.limit = limit }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard case .end = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
    undelivered += 1
    let promise = promise ?? context.eventLoop.makePromise()
    promise.futureResult.assumeIsolated().whenComplete { _ in
      self.undelivered -= 1
      guard self.undelivered == 0, let (mode, promise) = self.closing else { return }
      self.closing = nil
      context.close(mode: mode, promise: promise)
    }
    context.write(data, promise: promise)
  }

  func flush(context: ChannelHandlerContext) {
    context.flush()
    if undelivered > 0 && watch == nil { look(context, leftBefore: nil) }
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    if undelivered > 0 && mode != .input && closing == nil {
      closing = (mode, promise)
    } else {
      context.close(mode: mode, promise: promise)
    }
  }

  /// Looks again and again whether the client takes anything, as long as there is something to take.
  private func look(_ context: ChannelHandlerContext, leftBefore: Int?) {
    watch = nil
    let left = try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)
    guard undelivered > 0, let left, left > 0 else { return }
    if left == leftBefore { return context.close(promise: nil) }
    watch = context.eventLoop.assumeIsolated().scheduleTask(in: limit) { self.look(context, leftBefore: left) }
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    watch?.cancel()
    watch = nil
    closing?.promise?.fail(ChannelError.ioOnClosedChannel)
    closing = nil
  }
}
