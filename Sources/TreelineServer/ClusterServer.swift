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

  /// A server of some indexes.
  ///
  /// - Throws: `ServerError` where the files that it gives out are missing.
  public init(_ catalog: Catalog, options: ServerOptions = ServerOptions(), logger: Logger? = nil) throws {
    self.catalog = catalog
    self.options = options
    var quiet = Logger(label: "treeline")
    quiet.logLevel = .notice
    self.logger = logger ?? quiet
    guard let resources = Bundle.module.resourcePath else { throw ServerError.noResources }
    let viewer = options.viewerFolder ?? resources + "/viewer"
    guard FileVersion(path: viewer + "/index.html") != nil else { throw ServerError.noViewer(folder: viewer) }
    routes = Routes(
      catalog: catalog, options: options,
      middleware: RequestMiddleware(metrics: metrics, logger: self.logger, allowedOrigin: options.allowedOrigin),
      viewer: ViewerFiles(folder: viewer),
      document: [UInt8](try Data(contentsOf: URL(fileURLWithPath: resources + "/openapi.json"))))
  }

  /// Answers requests, with or without a socket.
  var responder: some HTTPResponder<Routes.Context> { routes.router().buildResponder() }

  /// The server as a service to run among others.
  ///
  /// - Parameter onRunning: Gets the port that is listened at.
  public func application(onRunning: @escaping @Sendable (_ port: Int) -> Void = { _ in }) -> some ApplicationProtocol {
    Application(
      responder: responder,
      server: HTTPServerBuilder { responder in
        ConnectionChannel(responder: responder, idleTimeout: .seconds(Int64(options.idleSeconds)))
      },
      configuration: ApplicationConfiguration(
        address: .hostname(options.host, port: options.port),
        availableConnectionsDelegate: MaximumAvailableConnections(Self.mostConnections)),
      services: [IndexWatcher(catalog: catalog, metrics: metrics, logger: logger)],
      onServerRunning: { channel in onRunning(channel.localAddress?.port ?? options.port) }, logger: logger)
  }

  private static let mostConnections = 4096

  /// Serves until SIGTERM or SIGINT; then takes no more connections, answers what was asked and returns.
  public func run(onRunning: @escaping @Sendable (_ port: Int) -> Void = { _ in }) async throws {
    var configuration = ServiceGroupConfiguration(
      services: [application(onRunning: onRunning)], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    configuration.maximumGracefulShutdownDuration = .seconds(30)
    try await ServiceGroup(configuration: configuration).run()
  }
}

/// How a server is set up, apart from what it serves.
public struct ServerOptions: Sendable {
  /// The address that it listens at. On anything but a loopback address it is open to the network.
  public var host = "127.0.0.1"
  /// 0 is any that is free.
  public var port = 8080
  /// Whose pages may ask (CORS): an origin such as `https://example.org`, or `*` for all; nil for none but its own.
  public var allowedOrigin: String?
  /// For how many seconds an answer may be used without asking whether it still holds.
  public var maxAge = 0
  /// The folder of the viewer's files; nil is the one that comes with the server.
  public var viewerFolder: String?
  /// The server's URL behind a proxy, without a slash at its end, for TileJSON.
  public var publicURL: String?
  /// How long a connection may do nothing, and a request may take to come in, in seconds.
  public var idleSeconds = 60

  /// The defaults of `treeline-server`.
  public init() {}

  var cacheControl: String { maxAge > 0 ? "public, max-age=\(maxAge)" : "no-cache" }
}

/// A server that cannot be set up.
public enum ServerError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The resources of the module are not beside the executable.
  case noResources
  /// The folder has no viewer.
  case noViewer(folder: String)

  public var description: String {
    switch self {
    case .noResources: "expected the folder of the server's resources beside it, found none; build it anew"
    case .noViewer(let folder): "\(folder): expected the viewer's index.html in it, found none"
    }
  }
}
