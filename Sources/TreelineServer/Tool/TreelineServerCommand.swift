import ArgumentParser
import Foundation
import NIOCore
import NIOPosix
@_spi(Server) import Treeline
import TreelineServer

extension LogFormat: ExpressibleByArgument {}

@main struct TreelineServerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "treelinemap-server",
    abstract: "Serves clusters over HTTP, with a map that shows how the clusters move.",
    discussion: """
      Each index is served under the name of its file, or under the name before the equals sign, as in \
      'places=/data/uk.treeline'. If the file of an index is replaced, for example by 'treelinemap build', the server \
      opens the new file within a second, or at once after SIGHUP. After SIGTERM or SIGINT the server answers \
      unfinished expensive requests with the status 503, sends all other answers and stops.

      /openapi.json describes the routes; the map is at /.
      """, version: Release.version)

  @Argument(help: ArgumentHelp("Files made by 'treelinemap build'.", valueName: "[name=]index"))
  var indexes: [String] = []

  @Option(
    help: ArgumentHelp(
      "An index that clients may edit; repeatable.",
      discussion: "Changes are kept in a log beside the index; the name of the log ends with '.log'.",
      valueName: "[name=]index"))
  var live: [String] = []

  @Option(help: ArgumentHelp("The column that identifies the points of a live index.", valueName: "column"))
  var key: String?

  @Option(
    help: ArgumentHelp(
      "A file whose first line is a token. To change points, clients must send 'Authorization: Bearer TOKEN'.",
      discussion: "By default the token is in the environment variable TREELINEMAP_WRITE_TOKEN.", valueName: "file"))
  var writeTokenFile: String?

  @Option(
    help: ArgumentHelp(
      "The log length, such as 64M, at which the changes in the log are written to the index file.",
      discussion: "By default 64 MiB.", valueName: "bytes"))
  var liveLog: ByteCount?

  @Option(help: "The address to listen on; 0.0.0.0 opens the server to the network.") var host = "127.0.0.1"

  @Option(help: "The port to listen on; 0 chooses a free port.") var port = 8080

  @Option(
    help: ArgumentHelp(
      "Maximum total size of the indexes in memory, such as 500M or 8G; other indexes stay in their files.",
      discussion: "By default a third of the memory that the server may use.", valueName: "bytes"))
  var resident: ByteCount?

  @Option(
    help: ArgumentHelp(
      "Maximum memory per index for the cached results of filters, such as 256M.",
      discussion: "By default 256 MiB.", valueName: "bytes"))
  var filterMemory: ByteCount?

  @Option(help: ArgumentHelp("A separate port for metrics, health and readiness.", valueName: "port"))
  var managementPort: Int?

  @Option(
    help: ArgumentHelp("Origin whose pages may send requests (CORS), or '*' for all; repeatable.", valueName: "origin"))
  var allowOrigin: [String] = []

  @Option(
    help: ArgumentHelp("Origin whose pages may show the map in a frame; repeatable.", valueName: "origin"))
  var frameAncestors: [String] = []

  @Option(
    help: ArgumentHelp(
      "A proxy whose Forwarded and X-Forwarded-* headers are trusted, such as 127.0.0.1 or 10.0.0.0/8; repeatable.",
      valueName: "address"))
  var trustedProxy: [String] = []

  @Option(
    help: ArgumentHelp(
      "A file whose first line is a token. All clients must send 'Authorization: Bearer TOKEN'.", valueName: "file"))
  var tokenFile: String?

  @Option(help: ArgumentHelp("The certificates for TLS (PEM); the first must be the server's own.", valueName: "file"))
  var tlsCertificates: String?

  @Option(help: ArgumentHelp("The private key of the server's certificate (PEM).", valueName: "file"))
  var tlsKey: String?

  @Option(help: ArgumentHelp("Maximum number of requests per second from one address.", valueName: "number"))
  var rate: Double?

  @Option(help: "Maximum number of connections.") var connections = 4096

  @Option(help: "Maximum number of connections from one address.") var connectionsPerAddress = 256

  @Option(help: ArgumentHelp("Maximum time for a whole request to arrive.", valueName: "seconds"))
  var requestTime = 30

  @Option(help: ArgumentHelp("Maximum time for a client to read an answer.", valueName: "seconds"))
  var responseTime = 60

  @Option(help: ArgumentHelp("Maximum time to compute an answer.", valueName: "seconds"))
  var answerTime = 30

  @Flag(help: "Log each request.") var accessLog = false

  @Option(help: "Format of the log on standard error.") var logFormat = LogFormat.text

  @Flag(help: "Do not serve the map at /.") var noViewer = false

  @Option(help: ArgumentHelp("Time for which clients may reuse an answer without asking again.", valueName: "seconds"))
  var maxAge = 0

  @Option(help: ArgumentHelp("The public URL of a server behind a proxy; used in TileJSON.", valueName: "url"))
  var publicURL: String?

  @Option(help: ArgumentHelp("Folder with a viewer that replaces the built-in viewer.", valueName: "folder"))
  var viewer: String?

  @Option(help: ArgumentHelp("URL of a map style that the map shows below the clusters.", valueName: "url"))
  var style: String?

  @Option(
    help: ArgumentHelp(
      "Vector or raster tiles (a PMTiles 3 file) that the map shows below the clusters.", valueName: "file"))
  var basemap: String?

  func validate() throws {
    if (live.isEmpty) != (key == nil) {
      throw ValidationError(
        "'--live' and '--key' must be given together: a live index needs the column that identifies its points.")
    }
    if live.isEmpty && (writeTokenFile != nil || liveLog != nil) {
      throw ValidationError("'--write-token-file' and '--live-log' can be used only with '--live'.")
    }
    if !live.isEmpty && writeTokenFile == nil && Self.writeToken == nil {
      throw ValidationError(
        "'--live' needs a token for changes: name a file with '--write-token-file', or set TREELINEMAP_WRITE_TOKEN.")
    }
    if indexes.isEmpty && live.isEmpty {
      throw ValidationError("Give at least one index file; 'treelinemap build' makes index files.")
    }
    if let nameless = (indexes + live).first(where: { Self.source($0).path.isEmpty }) {
      throw ValidationError("An index must be a path or 'name=path', found '\(nameless)'.")
    }
    if style != nil && basemap != nil {
      throw ValidationError("'--style' and '--basemap' both set the map below the clusters; give only one.")
    }
    guard 0...65_535 ~= port else { throw ValidationError("'--port' must be from 0 to 65535, found \(port).") }
    guard 0...31_536_000 ~= maxAge else {
      throw ValidationError("'--max-age' must be from 0 to 31536000 seconds, found \(maxAge).")
    }
    for origin in frameAncestors where !Self.isOrigin(origin) {
      throw ValidationError("'--frame-ancestors' must be one origin, such as 'https://example.org', found '\(origin)'.")
    }
    for origin in allowOrigin where origin != "*" && !Self.isOrigin(origin) {
      throw ValidationError(
        "'--allow-origin' must be one origin, such as 'https://example.org', or '*', found '\(origin)'.")
    }
    if let managementPort, !(1...65_535 ~= managementPort) || managementPort == port {
      throw ValidationError(
        "'--management-port' must be from 1 to 65535 and differ from '--port', found \(managementPort).")
    }
    var options = ServerOptions()
    options.trustedProxyAddresses = trustedProxy
    guard options.trustedProxyAddresses.count == trustedProxy.count else {
      throw ValidationError("'--trusted-proxy' must be an address or a network, such as '127.0.0.1' or '10.0.0.0/8'.")
    }
    if (tlsCertificates == nil) != (tlsKey == nil) {
      throw ValidationError("'--tls-certificates' and '--tls-key' must be given together.")
    }
    if let rate, !(rate > 0 && rate.isFinite) {
      throw ValidationError("'--rate' must be a number above 0, found \(rate).")
    }
    for (name, value) in [
      ("connections", connections), ("connections-per-address", connectionsPerAddress), ("request-time", requestTime),
      ("response-time", responseTime), ("answer-time", answerTime),
    ] where !(1...1_000_000 ~= value) {
      throw ValidationError("'--\(name)' must be from 1 to 1000000, found \(value).")
    }
    if let publicURL, !Self.hasScheme(publicURL) || publicURL.contains(where: { "?# ".contains($0) }) {
      throw ValidationError(
        "'--public-url' must begin with 'http://' or 'https://' and have no query, found '\(publicURL)'.")
    }
  }

  func run() async throws {
    // Makes Swift concurrency use the threads of the event loops, so that a request can stay on one thread.
    _ = NIOSingletons.unsafeTryInstallSingletonPosixEventLoopGroupAsConcurrencyGlobalExecutor()
    do {
      let options = try serverOptions()
      // Without this call, the process would end when a log reaches the limit that the shell sets on file sizes
      // (`ulimit -f`). With this call, only the write to the log fails.
      signal(SIGXFSZ, SIG_IGN)
      let filterBytes = filterMemory?.bytes ?? Catalog.standardFilterBytes
      let catalog = try Catalog(
        indexes.map(Self.source), residentBytes: resident?.bytes ?? Catalog.standardResidentBytes,
        filterBytes: filterBytes,
        live: live.map(Self.source).map { name, path in
          try LiveIndex(
            name: name, path: path, key: key ?? "", logBytes: liveLog?.bytes ?? LiveIndex.standardLogBytes,
            filterBytes: filterBytes, logFormat: logFormat)
        })
      try raiseFileLimit()
      let names = catalog.names
      try await ClusterServer(catalog, options: options).run { [host, scheme = tlsKey == nil ? "http" : "https"] port in
        let address = host.contains(":") ? "[\(host)]" : host
        // The line is written without a buffer. If the output does not go to a terminal, a buffered line would appear
        // too late.
        let line = "Serving \(names.joined(separator: ", ")) at \(scheme)://\(address):\(port)/\n"
        FileHandle.standardOutput.write(Data(line.utf8))
      }
    } catch {
      FileHandle.standardError.write(Data("treelinemap-server: \(message(of: error))\n".utf8))
      throw ExitCode(code(of: error))
    }
  }

  private func serverOptions() throws -> ServerOptions {
    var options = ServerOptions()
    (options.host, options.port, options.managementPort) = (host, port, managementPort)
    (options.allowedOrigins, options.frameAncestors, options.maxAge) = (allowOrigin, frameAncestors, maxAge)
    (options.publicURL, options.viewerFolder) = (publicURL.map(Self.withoutSlash), viewer)
    (options.hasViewer, options.logsRequests) = (!noViewer, accessLog)
    options.logFormat = logFormat
    (options.style, options.basemapFile) = (style, basemap)
    (options.trustedProxyAddresses, options.requestsPerSecond) = (trustedProxy, rate)
    (options.connections, options.connectionsPerAddress) = (connections, connectionsPerAddress)
    (options.requestSeconds, options.responseSeconds) = (requestTime, responseTime)
    options.answerSeconds = answerTime
    if let tlsCertificates, let tlsKey { options.tls = TLSFiles(certificates: tlsCertificates, key: tlsKey) }
    options.token = try tokenFile.map(Self.token(inFile:))
    if !live.isEmpty { options.writeToken = try writeTokenFile.map(Self.token(inFile:)) ?? Self.writeToken }
    return options
  }

  /// The token that lets clients change points. It is read from the environment variable `TREELINEMAP_WRITE_TOKEN`.
  /// Nil if the variable is not set or is empty.
  private static var writeToken: String? {
    ProcessInfo.processInfo.environment["TREELINEMAP_WRITE_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Reads a token from the first line of a file.
  private static func token(inFile path: String) throws -> String {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw ValidationError("\(path): the file with the token is missing, unreadable or not UTF-8.")
    }
    let line = text.split(whereSeparator: \.isNewline).first
    guard let token = line?.trimmingCharacters(in: .whitespaces), !token.isEmpty else {
      throw ValidationError("\(path): the first line must be the token, but it is empty.")
    }
    return token
  }

  /// Raises the limit of open files. Each connection is an open file, and many systems allow only 1024 open files by
  /// default.
  private func raiseFileLimit() throws {
    #if canImport(Glibc)
      var limit = rlimit()
      guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
      limit.rlim_cur = min(limit.rlim_max, max(limit.rlim_cur, rlim_t(connections + 2048)))
      _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    #endif
  }

  /// Returns the exit code for an error. `treelinemap help` lists these codes (sysexits.h).
  private func code(of error: any Error) -> Int32 {
    switch error {
    case is CatalogError: EX_USAGE
    case IndexError.unopenable: EX_NOINPUT
    case is IndexError, is LiveError, ServerError.unusableTLS: EX_DATAERR
    default: EX_IOERR
    }
  }

  /// Returns the text of an error. A network error does not contain the address, so the address is added to the text.
  private func message(of error: any Error) -> String {
    let remedy = "choose another address with --host or another port with --port"
    switch error {
    case let error as IOError:
      let reason = String(cString: strerror(error.errnoCode))
      return "cannot listen at \(host), port \(port): \(reason); \(remedy)"
    case is SocketAddressError.UnknownHost:
      return "cannot listen at \(host), port \(port): '\(host)' is not a name or address of this machine; \(remedy)"
    default: return "\(error)"
    }
  }

  /// Splits `name=path`. If the name is missing, uses the name of the file.
  private static func source(_ argument: String) -> (name: String, path: String) {
    if let equals = argument.firstIndex(of: "="), !argument[..<equals].contains("/") {
      return (String(argument[..<equals]), String(argument[argument.index(after: equals)...]))
    }
    var name = argument.split(separator: "/").last.map(String.init) ?? argument
    if name.hasSuffix(".treeline") { name.removeLast(".treeline".count) }
    return (name, argument)
  }

  /// Returns whether the text is an origin: a scheme, a host, an optional port, and nothing else.
  private static func isOrigin(_ text: String) -> Bool {
    guard hasScheme(text), let host = text.split(separator: "//", maxSplits: 1).last else { return false }
    return !host.contains { "/?#, *".contains($0) }
  }

  private static func hasScheme(_ url: String) -> Bool {
    ["http://", "https://"].contains { url.hasPrefix($0) && url.utf8.count > $0.utf8.count }
  }

  private static func withoutSlash(_ url: String) -> String { url.hasSuffix("/") ? String(url.dropLast()) : url }
}
