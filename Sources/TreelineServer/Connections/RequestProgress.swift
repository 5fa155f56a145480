import NIOCore

/// How far the next request of a connection has come, as the first handler sees it and a later one asks.
final class RequestProgress {
  /// When its first bytes came; nil before.
  var beginning: NIODeadline?
  /// Whether its first line has come, which names what is asked for, and is no longer than the parser takes.
  var hasFirstLine = false
  /// How much has come of the first line.
  var lineLength = 0

  /// A request has come whole.
  func finish() { (beginning, hasFirstLine, lineLength) = (nil, false, 0) }
}

/// Notes when a request begins to come in, before it is whole and anything else knows of it.
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
