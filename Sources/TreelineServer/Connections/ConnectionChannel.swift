import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore
import NIOHTTP2
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOSSL

/// A connection of HTTP/1.1 or HTTP/2. This type adds the limits of `ServerBounds`, and the parts of HTTP that
/// Hummingbird's connection lacks.
struct ConnectionChannel: ServerChildChannel {
  /// A new connection. The client has not sent anything yet.
  struct Value: ServerChildChannelValue {
    let channel: any Channel
    fileprivate let connection: EventLoopFuture<Connection>
  }

  fileprivate enum Connection: Sendable {
    case http1(HTTP1Channel.Value)
    case http2(HTTP2Channel.Value)
  }

  private let http1: HTTP1Channel
  private let http2: HTTP2Channel
  private let tls: NIOSSLContext?
  private let bounds: ServerBounds
  private let idleTime: TimeAmount
  /// Called once for each connection, on its event loop, when the server stops.
  private let onStop: @Sendable () -> Void
  /// Addresses of trusted proxies. A single proxy carries the connections of many clients, so the bound per address
  /// does not apply to proxies.
  private let proxies: [IPAddress.Range]

  /// Maximum size of a header field, in bytes.
  static let largestHeader = 16 << 10
  static let mostHeaders = 100

  init(
    responder: @escaping HTTPChannelHandler.Responder, bounds: ServerBounds, options: ServerOptions,
    tls: NIOSSLContext?,
    onStop: @escaping @Sendable () -> Void = {}
  ) {
    (self.bounds, self.tls, self.onStop, proxies) = (bounds, tls, onStop, options.trustedProxies)
    idleTime = .seconds(Int64(options.idleSeconds))
    http1 = HTTP1Channel(
      responder: responder,
      configuration: HTTP1Channel.Configuration(
        idleTimeout: idleTime,
        httpDecoderConfiguration: .init(
          maxHeaderFieldSize: Self.largestHeader, maxHeaderListSize: 2 * Self.largestHeader,
          maxHeaderFieldCount: Self.mostHeaders)))
    http2 = HTTP2Channel(
      responder: responder,
      configuration: HTTP2ChannelConfiguration(
        idleTimeout: .seconds(options.idleSeconds), gracefulCloseTimeout: .seconds(30),
        streamConfiguration: HTTP1Channel.Configuration(
          additionalChannelHandlers: [
            DeliveryHandler(bounds), DepartureHandler(bounds.departures, isStream: true),
            RequestGuardHandler(
              .init(bounds: bounds, progress: RequestProgress(), isStream: true, isBeyondBound: false)),
          ])))
  }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    let address = channel.remoteAddress.flatMap(IPAddress.init).flatMap { address in
      proxies.contains { $0.contains(address) } ? nil : address.network
    }
    let admission = bounds.connections.open(address)
    channel.closeFuture.whenComplete { _ in bounds.connections.close(address) }
    switch admission {
    case .welcome: break
    case .beyondBound(let bound): bounds.count(bound)
    case .none:
      bounds.count(.connectionsPerAddress)
      return channel.close().flatMapThrowing { throw ChannelError.alreadyClosed }
    }
    let connection = channel.eventLoop.makePromise(of: Connection.self)
    channel.closeFuture.whenComplete { _ in connection.fail(ChannelError.alreadyClosed) }
    return channel.eventLoop.makeCompletedFuture {
      let pipeline = channel.pipeline.syncOperations
      if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
      try pipeline.addHandler(DepartureHandler(bounds.departures, isStream: false, onStop: onStop))
      try pipeline.addHandler(
        // A connection beyond the maximum number of connections must send its request soon, because only a limited
        // number of such connections is accepted (see `ConnectionCounts.reserve`).
        ProtocolHandler(limit: admission == .welcome ? idleTime : RequestGuardHandler.shortTime) { isHTTP2 in
          // A connection beyond the maximum number of connections may send only one request, so it gets no HTTP/2
          // streams.
          let future =
            isHTTP2 && admission == .welcome
            ? setUpHTTP2(channel, logger).map(Connection.http2)
            : setUpHTTP1(channel, isBeyondBound: admission != .welcome, logger).map(Connection.http1)
          future.cascade(to: connection)
        })
      return Value(channel: channel, connection: connection.futureResult)
    }
  }

  private func setUpHTTP2(_ channel: any Channel, _ logger: Logger) -> EventLoopFuture<HTTP2Channel.Value> {
    http2.setup(channel: channel, logger: logger).flatMapThrowing { value in
      let pipeline = channel.pipeline.syncOperations
      try pipeline.addHandler(PingHandler(), position: .after(try pipeline.handler(type: NIOHTTP2Handler.self)))
      return value
    }
  }

  private func setUpHTTP1(_ channel: any Channel, isBeyondBound: Bool, _ logger: Logger) -> EventLoopFuture<
    HTTP1Channel.Value
  > {
    http1.setup(channel: channel, logger: logger).flatMapThrowing { value in
      let pipeline = channel.pipeline.syncOperations
      let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
      let progress = RequestProgress()
      try pipeline.addHandler(
        RequestBeginningHandler(progress), position: .after(try pipeline.handler(type: ProtocolHandler.self)))
      try pipeline.addHandler(HTTP1HeadHandler(), position: .before(codec))
      let guardHandler = RequestGuardHandler(
        .init(bounds: bounds, progress: progress, isStream: false, isBeyondBound: isBeyondBound))
      try pipeline.addHandlers([DeliveryHandler(bounds), guardHandler], position: .after(codec))
      // The queue of requests is placed behind the handler that counts requests. So a connection with queued requests
      // does not count as idle.
      let state = try pipeline.handler(type: HTTPConnectionStateHandler.self)
      try pipeline.addHandler(PipeliningHandler(), position: .after(state))
      return value
    }
  }

  func handle(value: Value, logger: Logger) async {
    switch try? await value.connection.get() {
    case .http1(let connection): await http1.handle(value: connection, logger: logger)
    case .http2(let connection): await http2.handle(value: connection, logger: logger)
    // The connection was closed before the client sent anything.
    case nil: break
    }
  }
}
