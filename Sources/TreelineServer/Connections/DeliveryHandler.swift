import NIOCore
import NIOHTTPTypes

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
