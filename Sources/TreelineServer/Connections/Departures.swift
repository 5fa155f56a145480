import NIOCore
import Synchronization

/// Open connections and HTTP/2 streams, each with the answer that a thread is computing for its client. When a client
/// leaves, the client's answer is interrupted.
final class Departures: Sendable {
  private struct Connection {
    var answer: (any InterruptibleAnswer)?
    var hasLeft = false
  }

  private let connections = Mutex<[ObjectIdentifier: Connection]>([:])

  fileprivate func open(_ channel: any Channel) {
    connections.withLock { $0[ObjectIdentifier(channel)] = Connection() }
  }

  fileprivate func close(_ channel: any Channel) {
    connections.withLock { $0[ObjectIdentifier(channel)] = nil }
  }

  /// Interrupts the answer. The client has closed its side of the connection, so it will most likely not read the
  /// answer.
  fileprivate func leave(_ channel: any Channel) {
    let answer = connections.withLock { connections in
      connections[ObjectIdentifier(channel)]?.hasLeft = true
      return connections[ObjectIdentifier(channel)]?.answer
    }
    answer?.interrupt(.clientLeft)
  }

  func watch(_ answer: some InterruptibleAnswer, on channel: any Channel) {
    let hasLeft = connections.withLock { connections in
      // A channel without a `DepartureHandler` is not watched. Tests use such channels.
      connections[ObjectIdentifier(channel)]?.answer = answer
      return connections[ObjectIdentifier(channel)]?.hasLeft ?? false
    }
    if hasLeft { answer.interrupt(.clientLeft) }
  }

  func forget(_ answer: some InterruptibleAnswer, on channel: any Channel) {
    connections.withLock { connections in
      if connections[ObjectIdentifier(channel)]?.answer === answer {
        connections[ObjectIdentifier(channel)]?.answer = nil
      }
    }
  }
}

/// Notices that a client leaves or that the server stops.
final class DepartureHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = Any

  private let departures: Departures
  /// Whether the channel is a stream of HTTP/2. The input of a stream closes after each request.
  private let isStream: Bool
  private let onStop: () -> Void

  init(_ departures: Departures, isStream: Bool, onStop: @escaping () -> Void = {}) {
    (self.departures, self.isStream, self.onStop) = (departures, isStream, onStop)
  }

  func handlerAdded(context: ChannelHandlerContext) { departures.open(context.channel) }

  func handlerRemoved(context: ChannelHandlerContext) {
    departures.leave(context.channel)
    departures.close(context.channel)
  }

  func channelInactive(context: ChannelHandlerContext) {
    departures.leave(context.channel)
    context.fireChannelInactive()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is ChannelShouldQuiesceEvent { onStop() }
    if !isStream && event as? ChannelEvent == .inputClosed { departures.leave(context.channel) }
    context.fireUserInboundEventTriggered(event)
  }
}
