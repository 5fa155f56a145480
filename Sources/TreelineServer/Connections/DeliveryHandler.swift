import NIOCore
import NIOHTTPTypes

/// Delays the closing of a connection until its answers have been sent, even when the server stops. Closes a
/// connection whose client does not receive an answer in time.
final class DeliveryHandler: ChannelOutboundHandler, RemovableChannelHandler {
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private struct Answer {
    let deadline: NIODeadline
    var byteCount = 0
  }

  private let bounds: ServerBounds
  /// Answers that have not been sent completely, the oldest first.
  private var undelivered = CircularBuffer<Answer>()
  /// A delayed request to close the connection. The request waits until all undelivered answers have been sent.
  private var closing: (mode: CloseMode, promise: EventLoopPromise<Void>?)?
  private var watch: Scheduled<Void>?

  init(_ bounds: ServerBounds) { self.bounds = bounds }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(let head):
      if head.status.kind != .informational {
        undelivered.append(Answer(deadline: context.eventLoop.now + bounds.responseTime))
      }
    case .body(let bytes):
      if !undelivered.isEmpty {
        undelivered[undelivered.index(before: undelivered.endIndex)].byteCount += bytes.readableBytes
      }
      bounds.changeUnreadBytes(by: bytes.readableBytes)
    case .end:
      let promise = promise ?? context.eventLoop.makePromise()
      promise.futureResult.assumeIsolated().whenComplete { _ in self.deliver(context) }
      return context.write(data, promise: promise)
    }
    context.write(data, promise: promise)
  }

  /// Removes the oldest undelivered answer, which has been sent or has been lost with the connection.
  private func deliver(_ context: ChannelHandlerContext) {
    guard let answer = undelivered.popFirst() else { return }
    bounds.changeUnreadBytes(by: -answer.byteCount)
    guard undelivered.isEmpty, let (mode, promise) = closing else { return }
    closing = nil
    context.close(mode: mode, promise: promise)
  }

  func flush(context: ChannelHandlerContext) {
    context.flush()
    if watch == nil { watchOldest(context) }
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    if !undelivered.isEmpty && mode != .input && closing == nil {
      closing = (mode, promise)
    } else {
      context.close(mode: mode, promise: promise)
    }
  }

  private func watchOldest(_ context: ChannelHandlerContext) {
    watch = nil
    guard let oldest = undelivered.first else { return }
    if oldest.deadline <= context.eventLoop.now {
      bounds.count(.responseTime)
      return context.close(promise: nil)
    }
    watch = context.eventLoop.assumeIsolated().scheduleTask(deadline: oldest.deadline) { self.watchOldest(context) }
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    watch?.cancel()
    watch = nil
    bounds.changeUnreadBytes(by: -undelivered.reduce(0) { $0 + $1.byteCount })
    undelivered.removeAll()
    closing?.promise?.fail(ChannelError.ioOnClosedChannel)
    closing = nil
  }
}
