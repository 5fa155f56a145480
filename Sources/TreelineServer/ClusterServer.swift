import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle

/// Clusters over HTTP.
///
/// ```swift
/// let catalog = try Catalog([(name: "places", path: "places.treeline")])
/// try await ClusterServer(catalog, options: ServerOptions()).run()
/// ```
public struct ClusterServer: Sendable {
  private let catalog: Catalog
  private let options: ServerOptions
  private let metrics = ServerMetrics()
  private let logger: Logger
  private let routes: Routes

  /// - Throws: where the files that come with the server are not where they should be.
  public init(_ catalog: Catalog, options: ServerOptions = ServerOptions(), logger: Logger? = nil) throws {
    self.catalog = catalog
    self.options = options
    var quiet = Logger(label: "treeline")
    quiet.logLevel = .notice
    self.logger = logger ?? quiet
    guard let resources = Bundle.module.resourcePath else { throw ServerError.noResources }
    let viewer = options.viewerFolder ?? resources + "/viewer"
    guard FileMark(path: viewer + "/index.html") != nil else { throw ServerError.noViewer(folder: viewer) }
    routes = Routes(
      catalog: catalog, options: options,
      ledger: Ledger(
        metrics: metrics, logger: self.logger, allowedOrigin: options.allowedOrigin),
      assets: Assets(folder: viewer),
      document: [UInt8](try Data(contentsOf: URL(fileURLWithPath: resources + "/openapi.json"))))
  }

  /// What answers requests, with or without a socket.
  var responder: some HTTPResponder<Routes.Context> { routes.router().buildResponder() }

  /// What answers most of them by itself.
  var promptRoutes: PromptRoutes { PromptRoutes(routes) }

  /// The application, for whoever runs it among others.
  ///
  /// - Parameter onRunning: is told the port that is listened at.
  public func application(
    onRunning: @escaping @Sendable (_ port: Int) -> Void = { _ in }
  ) -> some ApplicationProtocol {
    Application(
      responder: responder,
      server: HTTPServerBuilder { responder in
        PromptChannel(
          http: HTTP1Channel(responder: responder, configuration: connections), routes: promptRoutes)
      },
      configuration: ApplicationConfiguration(
        address: .hostname(options.host, port: options.port),
        availableConnectionsDelegate: MaximumAvailableConnections(Self.mostConnections)),
      services: [IndexWatcher(catalog: catalog, metrics: metrics, logger: logger)],
      onServerRunning: { channel in onRunning(channel.localAddress?.port ?? options.port) },
      logger: logger)
  }

  private var connections: HTTP1Channel.Configuration {
    let idleTime = TimeAmount.seconds(Int64(options.idleSeconds))
    return HTTP1Channel.Configuration(
      additionalChannelHandlers: [DeliveryHandler(limit: idleTime)], idleTimeout: idleTime,
      httpDecoderConfiguration: .init(
        maxHeaderFieldSize: Self.largestHeader, maxHeaderListSize: 2 * Self.largestHeader,
        maxHeaderFieldCount: 100))
  }

  /// In bytes.
  private static let largestHeader = 16 << 10

  private static let mostConnections = 4096

  /// Serves until SIGTERM or SIGINT; then takes no more connections, answers what was asked and returns.
  public func run(onRunning: @escaping @Sendable (_ port: Int) -> Void = { _ in }) async throws {
    var configuration = ServiceGroupConfiguration(
      services: [application(onRunning: onRunning)], gracefulShutdownSignals: [.sigterm, .sigint],
      logger: logger)
    configuration.maximumGracefulShutdownDuration = .seconds(30)
    try await ServiceGroup(configuration: configuration).run()
  }
}

/// A server that cannot be set up.
public enum ServerError: Error, Hashable, Sendable {
  case noResources
  case noViewer(folder: String)
}

extension ServerError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .noResources: "expected the folder of the server's resources beside it, found none; build it anew"
    case .noViewer(let folder): "\(folder): expected the viewer's index.html in it, found none"
    }
  }
}
