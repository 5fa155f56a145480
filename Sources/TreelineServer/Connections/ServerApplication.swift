import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import ServiceLifecycle
import Synchronization

/// An application that runs without Hummingbird's `Application`.
///
/// `Application` updates the date of its responses each second. To wait for the next second, `Application` uses
/// `merge` of swift-async-algorithms. When compiled with Swift 6.0 to 6.3, `merge` can suspend a task that holds a
/// lock (https://github.com/apple/swift-async-algorithms/issues/430). If tasks on all event loops then wait for the
/// lock, the server never answers again. This application makes a date only when a response needs it.
struct ServerApplication<Responder: HTTPResponder>: ApplicationProtocol
where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
  let responder: Responder
  let server: HTTPServerBuilder
  let configuration: ApplicationConfiguration
  var services: [any Service] = []
  var onRunning: @Sendable (any Channel) -> Void = { _ in }
  let logger: Logger

  func onServerRunning(_ channel: any Channel) async { onRunning(channel) }

  func run() async throws {
    let (date, own) = (ResponseDate(), self)
    let server = try server.buildServer(
      configuration: ServerConfiguration(
        address: configuration.address, serverName: configuration.serverName, backlog: configuration.backlog,
        reuseAddress: configuration.reuseAddress,
        availableConnectionsDelegate: configuration.availableConnectionsDelegate),
      eventLoopGroup: eventLoopGroup, logger: logger
    ) { request, writer, channel in
      var logger = own.logger
      logger[metadataKey: "hb.request.id"] = .stringConvertible(RequestID())
      let context = Responder.Context(source: ApplicationRequestContextSource(channel: channel, logger: logger))
      var response: Response
      do {
        response = try await own.responder.respond(to: request, context: context)
      } catch let error as HTTPParserError {
        throw error
      } catch {
        logger.error("Could not answer a request", metadata: ["error": "\(error)"])
        response = Response(status: .internalServerError)
      }
      response.headers[.date] = date.text
      do { try await writer.write(response: response.head, body: response.body) } catch is HTTPParserError {
        // For an `HTTPParserError`, Hummingbird would send a second response. For any other error, Hummingbird closes
        // the connection.
        throw UnreadableRequest()
      }
    } onServerRunning: {
      await own.onServerRunning($0)
    }
    try await ServiceGroup(configuration: .init(services: services + [server], logger: logger)).run()
  }
}

/// An error for a request that could not be parsed to its end. The response had begun before the parser failed.
private struct UnreadableRequest: Error {}

/// The date of responses, made at most once a second.
private final class ResponseDate: Sendable {
  private let last = Mutex((second: time_t(0), text: ""))

  var text: String {
    let now = time(nil)
    return last.withLock { last in
      if last.second != now { last = (now, HTTPDate.text(of: now)) }
      return last.text
    }
  }
}
