import NIOCore

/// Progress of the next request of a connection, which the first handler records and a later handler reads.
final class RequestProgress {
  /// Time of the first bytes; nil before.
  var beginning: NIODeadline?
  /// Whether the first line, which names the target, is complete and no longer than the parser accepts.
  var hasFirstLine = false
  /// Number of bytes received of the first line.
  var lineLength = 0

  /// Resets the progress after a complete request.
  func finish() { (beginning, hasFirstLine, lineLength) = (nil, false, 0) }
}

/// Notes when a request begins to come in, before it is complete and other handlers see it.
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
