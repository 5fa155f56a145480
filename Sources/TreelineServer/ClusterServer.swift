import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOSSL
import ServiceLifecycle

/// A server that answers requests for clusters over HTTP.
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

  /// Creates a server for the indexes of a catalog.
  ///
  /// - Parameters:
  ///   - catalog: The indexes to serve.
  ///   - options: Settings of the server.
  ///   - logger: Logger to use instead of standard error.
  /// - Throws: `ServerError` if the server's resource files, the viewer, the base map or the TLS files cannot be used.
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
    if let path = options.basemapFile, options.hasViewer, !ViewerFiles.isArchive(at: path) {
      throw ServerError.noBasemap(path: path)
    }
    tls = try options.tls.map { try $0.context() }
    metrics = ServerMetrics(log: log)
    bounds = ServerBounds(options, metrics: metrics, logger: self.logger)
    routes = Routes(
      catalog: catalog, options: options, metrics: metrics, bounds: bounds, pool: AnswerPool(bounds),
      logger: self.logger, viewer: ViewerFiles(folder: viewer),
      document: [UInt8](try Data(contentsOf: URL(fileURLWithPath: resources + "/openapi.json"))))
  }

  /// Answers requests. Tests call this responder without a socket.
  var responder: some HTTPResponder<Routes.Context> { NormalizedRequests(responder: routes.router().buildResponder()) }

  /// Returns the server as a service, which can run together with other services.
  ///
  /// - Parameter onRunning: Called with the port that the server listens on.
  public func application(onRunning: @escaping @Sendable (_ port: Int) -> Void = { _ in }) -> some ApplicationProtocol {
    ServerApplication(
      responder: responder,
      server: HTTPServerBuilder { responder in
        ConnectionChannel(
          responder: responder, bounds: bounds, options: options, tls: tls,
          onStop: { [pool = routes.pool, catalog] in
            pool.stop()
            catalog.stopEvents()
          })
      },
      configuration: ApplicationConfiguration(
        address: .hostname(options.host, port: options.port),
        // The default of 256 is too small when many clients connect at once. The system drops connections beyond the
        // backlog, and these clients try again only after longer and longer pauses. The system limits the value.
        backlog: min(options.connections, Int(UInt16.max)),
        availableConnectionsDelegate: MaximumAvailableConnections(options.connections + ConnectionCounts.reserve.all)),
      services: [IndexWatcher(catalog: catalog, metrics: metrics, logger: logger)],
      onRunning: { channel in onRunning(channel.localAddress?.port ?? options.port) }, logger: logger)
  }

  /// Returns the service with metrics, health and readiness. The service has a separate port, so that requests of
  /// clients cannot block it.
  private func management(at port: Int) -> some ApplicationProtocol {
    ServerApplication(
      responder: NormalizedRequests(responder: routes.managementRouter().buildResponder()),
      server: HTTPServerBuilder { [bounds = ServerBounds(options, metrics: metrics, logger: logger)] responder in
        ConnectionChannel(responder: responder, bounds: bounds, options: options, tls: nil)
      },
      configuration: ApplicationConfiguration(
        address: .hostname(options.host, port: port),
        availableConnectionsDelegate: MaximumAvailableConnections(ConnectionCounts.reserve.all)),
      logger: logger)
  }

  /// Serves until SIGTERM or SIGINT. Then the server accepts no more connections, ends expensive answers with a 503,
  /// sends all other answers and returns.
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

/// Files with the server's certificates and its private key (PEM).
public struct TLSFiles: Hashable, Sendable {
  /// Path of the certificates. The server's own certificate is the first.
  public var certificates: String
  /// Path of the private key.
  public var key: String

  /// Creates a pair of paths.
  public init(certificates: String, key: String) { (self.certificates, self.key) = (certificates, key) }

  /// - Throws: `ServerError`
  func context() throws -> NIOSSLContext {
    let chain = try Self.read(certificates, "certificates in PEM form", option: "--tls-certificates") {
      try NIOSSLCertificate.fromPEMBytes($0)
    }
    let privateKey = try Self.read(key, "a private key in PEM form without a passphrase", option: "--tls-key") {
      try NIOSSLPrivateKey(bytes: $0, format: .pem)
    }
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(privateKey))
    configuration.minimumTLSVersion = .tlsv12
    configuration.applicationProtocols = ["h2", "http/1.1"]
    do { return try NIOSSLContext(configuration: configuration) } catch NIOSSLError.failedToLoadPrivateKey {
      throw ServerError.unusableTLS(
        path: key, expected: "the private key of the first certificate in \(certificates)", found: "another key",
        option: "--tls-key")
    } catch {
      throw ServerError.unusableTLS(
        path: certificates, expected: "certificates that a server can use", found: "\(error)",
        option: "--tls-certificates")
    }
  }

  private static func read<Content>(
    _ path: String, _ expected: String, option: String, _ parse: ([UInt8]) throws -> Content
  ) throws(ServerError) -> Content {
    func error(_ found: String) -> ServerError {
      .unusableTLS(path: path, expected: expected, found: found, option: option)
    }
    guard access(path, R_OK) == 0 else { throw error(String(cString: strerror(errno))) }
    guard let bytes = try? Data(contentsOf: URL(fileURLWithPath: path)) else { throw error("no readable file") }
    guard let content = try? parse([UInt8](bytes)) else { throw error("none") }
    return content
  }
}

/// Settings of a server, apart from its indexes.
public struct ServerOptions: Sendable {
  /// Address to listen on. Any address other than a loopback address opens the server to the network.
  public var host = "127.0.0.1"
  /// Port to listen on; 0 chooses a free port.
  public var port = 8080
  /// Separate port for `/metrics`, `/health` and `/ready`; nil to answer `/metrics` at `port`.
  public var managementPort: Int?
  /// Origins whose pages may send requests (CORS), such as `https://example.org`, or `*` for all origins. If the list
  /// is empty, only pages of the server may send requests.
  public var allowedOrigins: [String] = []
  /// Origins whose pages may show the map in a frame, such as `https://example.org`. Pages of the server may always
  /// show the map in a frame.
  public var frameAncestors: [String] = []
  /// Addresses and networks of trusted proxies, such as `127.0.0.1` and `10.0.0.0/8`. The server believes the
  /// `Forwarded` and `X-Forwarded-*` headers of these proxies. Invalid addresses are ignored.
  public var trustedProxyAddresses: [String] {
    get { trustedProxies.map { "\($0)" } }
    set { trustedProxies = newValue.compactMap(IPAddress.Range.init) }
  }
  var trustedProxies: [IPAddress.Range] = []
  /// Certificates and private key of the server; nil for no TLS.
  public var tls: TLSFiles?
  /// Bearer token that clients must send; nil if no token is needed.
  public var token: String?
  /// Bearer token that clients must send instead of `token` to change points of live indexes. If this token is nil,
  /// the server refuses all changes.
  public var writeToken: String?
  /// Maximum number of requests per second from one address; nil for no maximum.
  public var requestsPerSecond: Double?
  /// Whether each request is logged.
  public var logsRequests = false
  /// Format of the log if no logger is given.
  public var logFormat = LogFormat.text
  /// Whether the server shows the map at `/`.
  public var hasViewer = true
  /// Time in seconds for which a client may reuse an answer without asking the server again.
  public var maxAge = 0
  /// Folder with the files of another viewer; nil for the viewer that comes with the server.
  public var viewerFolder: String?
  /// URL of the map style that the viewer draws below the clusters; nil for the viewer's own land and borders.
  public var style: String?
  /// Path of a PMTiles 3 file with the vector or raster tiles that the viewer draws below the clusters; nil for the
  /// viewer's own land and borders.
  public var basemapFile: String?
  /// Public URL of a server behind a proxy. The URL has no slash at the end. TileJSON contains this URL.
  public var publicURL: String?
  /// Maximum time for which a connection may be idle, in seconds.
  public var idleSeconds = 60
  /// Maximum time from the first byte to the last byte of a request, in seconds.
  public var requestSeconds = 30
  /// Maximum time that a client may take to read an answer, in seconds.
  public var responseSeconds = 60
  /// Maximum time to compute an answer, in seconds.
  public var answerSeconds = 30
  /// Maximum number of connections. The server accepts a few more connections, but these may request only `/health`
  /// and `/ready`.
  public var connections = 4096
  /// Maximum number of connections from one IPv4 address or one /64 network of IPv6. Trusted proxies have no maximum.
  public var connectionsPerAddress = 256
  /// Maximum total size of the answers that clients have not read yet, in bytes.
  public var answerBytes = 256 << 20

  /// Creates the default settings of `treelinemap-server`.
  public init() {}

  /// Value of `Cache-Control`. If a token is needed, shared caches must not store the answer.
  var cacheControl: String {
    switch (token == nil, maxAge > 0) {
    case (true, true): "public, max-age=\(maxAge)"
    case (true, false): "no-cache"
    case (false, true): "private, max-age=\(maxAge)"
    case (false, false): "private, no-cache"
    }
  }
}

/// An error in the setup of a server.
public enum ServerError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The resource files of the module are not next to the executable.
  case noResources
  /// The folder contains no viewer.
  case noViewer(folder: String)
  /// A file with certificates or with a private key cannot be used. `option` is the option that names the file.
  case unusableTLS(path: String, expected: String, found: String, option: String)
  /// The file of the base map is missing or is not PMTiles 3.
  case noBasemap(path: String)

  public var description: String {
    switch self {
    case .noResources: "expected a resource folder next to the server's executable, found none; build the server again"
    case .unusableTLS(let path, let expected, let found, let option):
      "\(path): expected \(expected), found \(found); name another file with \(option)"
    case .noBasemap(let path): "\(path): this file cannot be read as PMTiles, version 3"
    case .noViewer(let folder): "\(folder): this folder has no index.html; name a folder that contains a viewer"
    }
  }
}

extension ServerError: LocalizedError {
  public var errorDescription: String? { description }
}
