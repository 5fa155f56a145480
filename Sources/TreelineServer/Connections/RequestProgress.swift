import NIOCore

/// Progress of the next request on a connection. The first handler records the progress, and a later handler reads it.
final class RequestProgress {
  /// Arrival time of the first bytes; nil if no byte has arrived.
  var beginning: NIODeadline?
  /// Whether the request line is complete and not longer than the parser accepts.
  var hasFirstLine = false
  /// Number of bytes of the request line that have arrived.
  var lineLength = 0

  /// Resets the progress when a request is complete.
  func finish() { (beginning, hasFirstLine, lineLength) = (nil, false, 0) }
}

/// Records when the first bytes of a request arrive. Later handlers see the request only when its head is complete.
final class RequestBeginningHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private let progress: RequestProgress

  init(_ progress: RequestProgress) { self.progress = progress }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if progress.beginning == nil { progress.beginning = context.eventLoop.now }
    if !progress.hasFirstLine {
      let room = max(ConnectionChannel.largestHeader - progress.lineLength, 0)
      let line = unwrapInboundIn(data).readableBytesView.prefix(room)
      progress.hasFirstLine = line.contains(UInt8(ascii: "\n"))
      progress.lineLength += line.count
    }
    context.fireChannelRead(data)
  }
}
