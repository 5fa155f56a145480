import NIOCore

/// Closes a connection whose client takes no byte of an answer for some time: otherwise who reads nothing would hold answers in
/// memory for ever.
final class StalledWriteHandler: ChannelOutboundHandler, RemovableChannelHandler {
  typealias OutboundIn = Any
  typealias OutboundOut = Any

  private let limit: TimeAmount
  private var waiting: Scheduled<Void>?

  init(limit: TimeAmount) {
    self.limit = limit
  }

  func flush(context: ChannelHandlerContext) {
    context.flush()
    watch(context)
  }

  /// Looks, as long as the channel cannot be written to, whether it can again.
  private func watch(_ context: ChannelHandlerContext) {
    guard waiting == nil, !context.channel.isWritable else { return }
    waiting = context.eventLoop.assumeIsolated().scheduleTask(in: limit) {
      self.waiting = nil
      if !context.channel.isWritable { context.close(promise: nil) }
    }
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    waiting?.cancel()
    waiting = nil
  }
}
