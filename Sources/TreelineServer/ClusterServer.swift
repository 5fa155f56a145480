import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOSSL
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
  private let metrics: ServerMetrics
  let bounds: ServerBounds
  private let log: LogOutput
  private let logger: Logger
  private let routes: Routes
  private let tls: NIOSSLContext?

  /// A server of some indexes.
  ///
  /// - Parameters:
  ///   - catalog: What it serves.
  ///   - options: How it serves.
  ///   - logger: Where it logs, in place of standard error.
  /// - Throws: `ServerError` where the files that it gives out are missing.
  public init(_ catalog: Catalog, options: ServerOptions = ServerOptions(), logger: Logger? = nil) throws {
    self.catalog = catalog
    self.options = options
    let log = LogOutput()
    var quiet = Logger(label: "treeline") { [format = options.logFormat] in ServerLogHandler($0, format, to: log) }
    quiet.logLevel = options.logsRequests ? .info : .notice
    self.log = log
    self.logger = logger ?? quiet
    guard let resources = Bundle.module.resourcePath else { throw ServerError.noResources }
    let viewer = options.viewerFolder ?? resources + "/viewer"
    guard !options.hasViewer || FileVersion(path: viewer + "/index.html")?.isRegular == true else {
      throw ServerError.noViewer(folder: viewer)
    }
    tls = try options.tls.map { try $0.context() }
    metrics = ServerMetrics(log: log)
    bounds = ServerBounds(options, metrics: metrics, logger: self.logger)
    routes = Routes(
      catalog: catalog, options: options, metrics: metrics, bounds: bounds, pool: AnswerPool(bounds),
      logger: self.logger, viewer: ViewerFiles(folder: viewer),
      document: [UInt8](try Data(contentsOf: URL(fileURLWithPath: resources + "/openapi.json"))))
  }

  /// Answers requests, with or without a socket.
  var responder: some HTTPResponder<Routes.Context> { NormalizedRequests(responder: routes.router().buildResponder()) }

  /// The server as a service to run among others.
  ///
  /// - Parameter onRunning: Gets the port that is listened at.
  public func application(onRunning: @escaping @Sendable (_ port: Int) -> Void = { _ in }) -> some ApplicationProtocol {
    Application(
      responder: responder,
      server: HTTPServerBuilder { responder in
        ConnectionChannel(
          responder: responder, bounds: bounds, options: options, tls: tls,
          onStop: { [pool = routes.pool] in pool.stop() })
      },
      configuration: ApplicationConfiguration(
        address: .hostname(options.host, port: options.port),
        availableConnectionsDelegate: MaximumAvailableConnections(options.connections + ConnectionCounts.reserve.all)),
      services: [IndexWatcher(catalog: catalog, metrics: metrics, logger: logger)],
      onServerRunning: { channel in onRunning(channel.localAddress?.port ?? options.port) }, logger: logger)
  }

  /// What operators ask, at a port of its own that no client holds up.
  private func management(at port: Int) -> some ApplicationProtocol {
    Application(
      responder: NormalizedRequests(responder: routes.managementRouter().buildResponder()),
      server: HTTPServerBuilder { [bounds = ServerBounds(options, metrics: metrics, logger: logger)] responder in
        ConnectionChannel(responder: responder, bounds: bounds, options: options, tls: nil)
      },
      configuration: ApplicationConfiguration(
        address: .hostname(options.host, port: port),
        availableConnectionsDelegate: MaximumAvailableConnections(ConnectionCounts.reserve.all)),
      logger: logger)
  }

  /// Serves until SIGTERM or SIGINT; then takes no more connections, answers what was asked and returns.
  public func run(onRunning: @escaping @Sendable (_ port: Int) -> Void = { _ in }) async throws {
    var services: [any Service] = [application(onRunning: onRunning)]
    if let port = options.managementPort { services.insert(management(at: port), at: 0) }
    var configuration = ServiceGroupConfiguration(
      services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    configuration.maximumGracefulShutdownDuration = .seconds(30)
    defer { log.flush() }
    try await ServiceGroup(configuration: configuration).run()
  }
}

/// The certificates of a server, its own first, and its key.
public struct TLSFiles: Hashable, Sendable {
  /// The path of the certificates.
  public var certificates: String
  /// The path of the key.
  public var key: String

  /// Certificates and the key by their paths.
  public init(certificates: String, key: String) { (self.certificates, self.key) = (certificates, key) }

  func context() throws -> NIOSSLContext {
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: try NIOSSLCertificate.fromPEMFile(certificates).map { .certificate($0) },
      privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
    configuration.minimumTLSVersion = .tlsv12
    configuration.applicationProtocols = ["h2", "http/1.1"]
    return try NIOSSLContext(configuration: configuration)
  }
}

/// How a server is set up, apart from what it serves.
public struct ServerOptions: Sendable {
  /// The address that it listens at. On anything but a loopback address it is open to the network.
  public var host = "127.0.0.1"
  /// 0 is any that is free.
  public var port = 8080
  /// Where `/metrics` is answered instead, with `/health` and `/ready`; nil for no port of its own.
  public var managementPort: Int?
  /// Whose pages may ask (CORS): origins such as `https://example.org`, or `*` for all; none but its own by default.
  public var allowedOrigins: [String] = []
  /// Whom to believe who asks, by `Forwarded` or `X-Forwarded-For`, `-Proto` and `-Host`: addresses such as
  /// `127.0.0.1` and `10.0.0.0/8`. What is none is left out.
  public var trustedProxyAddresses: [String] {
    get { trustedProxies.map { "\($0)" } }
    set { trustedProxies = newValue.compactMap(IPAddress.Range.init) }
  }
  var trustedProxies: [IPAddress.Range] = []
  /// What the server proves with who it is, in files of PEM; nil for no TLS.
  public var tls: TLSFiles?
  /// What clients must send as a bearer's token; nil for nothing.
  public var token: String?
  /// How many requests a second the clients of one address may send; nil for any number.
  public var requestsPerSecond: Double?
  /// Whether each request is logged.
  public var logsRequests = false
  /// How the server logs where it is given no logger.
  public var logFormat = LogFormat.text
  /// Whether there is a map at `/`.
  public var hasViewer = true
  /// For how many seconds an answer may be used without asking whether it still holds.
  public var maxAge = 0
  /// The folder of the viewer's files; nil is the one that comes with the server.
  public var viewerFolder: String?
  /// The server's URL behind a proxy, without a slash at its end, for TileJSON.
  public var publicURL: String?
  /// How long a connection may do nothing, in seconds.
  public var idleSeconds = 60
  /// How long a whole request, head and body, may take to come in, in seconds.
  public var requestSeconds = 30
  /// How long a client may take to read an answer, in seconds.
  public var responseSeconds = 60
  /// How long an answer may take to compute, in seconds.
  public var answerSeconds = 30
  /// How many connections there may be; on a few more, only the server's state is told.
  public var connections = 4096
  /// How many of them a client's address may have, of IPv6 its /64 network; proxies that are trusted have any number.
  public var connectionsPerAddress = 256
  /// How many bytes of answers may wait for clients to read them, in sum.
  public var answerBytes = 256 << 20

  /// The defaults of `treeline-server`.
  public init() {}

  /// No shared cache may give away an answer for which a token is needed.
  var cacheControl: String {
    switch (token == nil, maxAge > 0) {
    case (true, true): "public, max-age=\(maxAge)"
    case (true, false): "no-cache"
    case (false, true): "private, max-age=\(maxAge)"
    case (false, false): "private, no-cache"
    }
  }
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
