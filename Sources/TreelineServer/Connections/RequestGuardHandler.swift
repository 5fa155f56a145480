import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Enforces bounds before requests reach a route: the length of a request, the time until a request is complete, and
/// the number of connections. Also answers requests that the parser rejects.
///
/// A refusal is the last response on its connection, and is sent after the responses to earlier requests.
final class RequestGuardHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// A connection that a handler guards, and the bounds that the handler enforces.
  struct Connection {
    let bounds: ServerBounds
    /// How much of the next request has arrived. An HTTP/2 stream begins with the complete head of its request.
    let progress: RequestProgress
    let isStream: Bool
    /// Whether the maximum number of connections was already open when this connection was opened. In that case, the
    /// client may request only `/health` and `/ready`, and the connection is closed soon.
    let isBeyondBound: Bool
  }

  private let connection: Connection
  /// Number of requests that were passed on and are not completely answered.
  private var unanswered = 0
  /// Whether part of the last request has not arrived yet.
  private var isReading = false
  /// Whether a response has begun and has not ended.
  private var isResponding = false
  private var bodyLength = 0
  private var longestBody = RequestBodyLimit.length
  private var refusal: Refusal?
  /// Whether nothing more may be sent on the connection.
  private var isClosing = false
  private var watch: Scheduled<Void>?

  init(_ connection: Connection) { self.connection = connection }

  private var bounds: ServerBounds { connection.bounds }

  /// Time after which a connection with `isBeyondBound` is closed. Until then, its client can request `/health` or
  /// `/ready`.
  static let shortTime = TimeAmount.seconds(2)

  func handlerAdded(context: ChannelHandlerContext) {
    let limit = connection.isBeyondBound ? Self.shortTime : bounds.requestTime
    if connection.isStream { connection.progress.beginning = context.eventLoop.now }
    let start = context.eventLoop.now
    watchTime(context, since: start, limit)
  }

  func handlerRemoved(context: ChannelHandlerContext) { watch?.cancel() }

  /// Checks at intervals whether the time limit has passed. These checks cost less than a timer for each request.
  private func watchTime(_ context: ChannelHandlerContext, since start: NIODeadline, _ limit: TimeAmount) {
    let pause = TimeAmount.nanoseconds(limit.nanoseconds / 4)
    watch = context.eventLoop.assumeIsolated().scheduleTask(in: pause) { [self] in
      if connection.isBeyondBound && context.eventLoop.now - start >= limit { return context.close(promise: nil) }
      if let beginning = connection.progress.beginning, context.eventLoop.now - beginning >= limit {
        return refuse(.requestTime(bounds.requestTime), context)
      }
      watchTime(context, since: start, limit)
    }
  }

  // MARK: Requests

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if refusal != nil { return }
    switch unwrapInboundIn(data) {
    case .head(let head):
      if let refusal = bounds.refusal(of: head, isBeyondBound: connection.isBeyondBound) {
        return refuse(refusal, context)
      }
      (isReading, bodyLength, longestBody) = (true, 0, head.longestBody)
      unanswered += 1
    case .body(let part):
      bodyLength += part.readableBytes
      if bodyLength > longestBody { return refuse(.bodyLength(longestBody), context) }
    case .end:
      isReading = false
      connection.progress.finish()
    }
    context.fireChannelRead(data)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // The client has closed the connection in the middle of a request. This error is passed on to the route that reads
    // the body of the request.
    if case HTTPParserError.invalidEOFState = error, isReading { return context.fireErrorCaught(error) }
    switch error {
    case HTTPParserError.headerOverflow: refuse(connection.progress.hasFirstLine ? .headLength : .lineLength, context)
    case is HTTPParserError: refuse(.syntax(Problem(of: error)), context)
    case let problem as Problem: refuse(.syntax(problem), context)
    case is HTTP1TypeConversionError: refuse(.syntax(Problem(of: HTTPParserError.unknown)), context)
    default: context.fireErrorCaught(error)
    }
  }

  // MARK: Responses

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if isClosing {
      promise?.fail(ChannelError.ioOnClosedChannel)
      return
    }
    switch unwrapOutboundIn(data) {
    case .head(let head) where head.status.kind != .informational: isResponding = true
    case .end:
      isResponding = false
      unanswered -= 1
      context.write(data, promise: promise)
      if refusal != nil && unanswered == 0 { isReading ? close(context) : respond(context) }
      return
    default: break
    }
    context.write(data, promise: promise)
  }

  private func refuse(_ refusal: Refusal, _ context: ChannelHandlerContext) {
    if self.refusal != nil { return }
    self.refusal = refusal
    bounds.count(refusal.bound)
    if isReading {
      if unanswered == 0 { return close(context) }
      if isResponding && unanswered == 1 { return }
      // The response to the refused request has not begun yet, so the refusal becomes this response.
      isReading = false
      unanswered -= 1
    }
    if unanswered == 0 { respond(context) }
  }

  private func respond(_ context: ChannelHandlerContext) {
    guard let refusal else { return }
    isClosing = true
    let (head, body) = refusal.problem.parts(closesConnection: !connection.isStream)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(body)), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    close(context)
  }

  /// Closes the output and continues to read for a second. If the connection were closed at once, a client that is
  /// still sending would not read the response (RFC 9112, section 9.6).
  private func close(_ context: ChannelHandlerContext) {
    isClosing = true
    if connection.isStream { return context.close(promise: nil) }
    let written = context.eventLoop.makePromise(of: Void.self)
    written.futureResult.assumeIsolated().whenComplete { _ in
      context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(1)) { context.close(promise: nil) }
    }
    context.close(mode: .output, promise: written)
    context.read()
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    if isClosing { context.read() }
    context.fireChannelReadComplete()
  }
}
