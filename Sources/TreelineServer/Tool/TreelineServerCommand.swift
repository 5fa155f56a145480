import ArgumentParser
import Foundation
import NIOCore
import NIOPosix
@_spi(Server) import Treeline
import TreelineServer

extension LogFormat: ExpressibleByArgument {}

@main struct TreelineServerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "treeline-server", abstract: "Serves clusters over HTTP, and a map to see them move.",
    discussion: """
      Each index is served under the name of its file, or one that is given: 'places=/data/uk.treeline'. An index \
      that is replaced, as 'treeline build' does, is reopened within a second, or at once at SIGHUP. After SIGTERM or \
      SIGINT the server answers what was asked and stops.

      The routes are described at /openapi.json, the map is at /.
      """, version: Release.version)

  @Argument(help: ArgumentHelp("Files made by 'treeline build'.", valueName: "[name=]index")) var indexes: [String]

  @Option(help: "The address to listen at; 0.0.0.0 opens it to the network.") var host = "127.0.0.1"

  @Option(help: "The port to listen at; 0 is any that is free.") var port = 8080

  @Option(
    help: ArgumentHelp(
      "How large the indexes in memory may be in sum, such as 500M or 8G; larger ones stay in their files.",
      discussion: "By default half of the memory.", valueName: "bytes"))
  var resident: ByteCount?

  @Option(
    help: ArgumentHelp(
      "How large the filters of an index may be in sum that are kept prepared, such as 256M.",
      discussion: "By default 256 MiB.", valueName: "bytes"))
  var filterMemory: ByteCount?

  @Option(help: ArgumentHelp("A port of their own for metrics, health and readiness.", valueName: "port"))
  var managementPort: Int?

  @Option(help: ArgumentHelp("Whose pages may send requests (CORS), or '*' for all; any number.", valueName: "origin"))
  var allowOrigin: [String] = []

  @Option(
    help: ArgumentHelp(
      "A proxy whose Forwarded and X-Forwarded-* headers are believed, such as 127.0.0.1 or 10.0.0.0/8; any number.",
      valueName: "address"))
  var trustedProxy: [String] = []

  @Option(
    help: ArgumentHelp("A file whose first line clients must send as 'Authorization: Bearer'.", valueName: "file"))
  var tokenFile: String?

  @Option(help: ArgumentHelp("The server's certificates for TLS, its own first (PEM).", valueName: "file"))
  var tlsCertificates: String?

  @Option(help: ArgumentHelp("The key of its certificate (PEM).", valueName: "file")) var tlsKey: String?

  @Option(help: ArgumentHelp("How many requests a second one address may send.", valueName: "number"))
  var rate: Double?

  @Option(help: "How many connections there may be.") var connections = 4096

  @Option(help: "How many connections one address may have.") var connectionsPerAddress = 256

  @Option(help: ArgumentHelp("How long a whole request may take to come in.", valueName: "seconds"))
  var requestTime = 30

  @Option(help: ArgumentHelp("How long a client may take to read an answer.", valueName: "seconds"))
  var responseTime = 60

  @Option(help: ArgumentHelp("How long an answer may take to compute.", valueName: "seconds"))
  var answerTime = 30

  @Flag(help: "Log each request.") var accessLog = false

  @Option(help: "How the log on standard error is written.") var logFormat = LogFormat.text

  @Flag(help: "Serve no map at /.") var noViewer = false

  @Option(help: ArgumentHelp("How long clients may use an answer without asking again.", valueName: "seconds"))
  var maxAge = 0

  @Option(help: ArgumentHelp("How clients reach the server behind a proxy, for TileJSON.", valueName: "url"))
  var publicURL: String?

  @Option(help: ArgumentHelp("The viewer's files, instead of its own.", valueName: "folder")) var viewer: String?

  func validate() throws {
    if indexes.isEmpty { throw ValidationError("Name at least one index, as made by 'treeline build'.") }
    guard 0...65_535 ~= port else { throw ValidationError("'--port' must be from 0 to 65535, found \(port).") }
    guard 0...31_536_000 ~= maxAge else {
      throw ValidationError("'--max-age' must be from 0 to 31536000 seconds, found \(maxAge).")
    }
    for origin in allowOrigin where origin != "*" && !Self.isOrigin(origin) {
      throw ValidationError(
        "'--allow-origin' must be one origin, such as 'https://example.org', or '*', found '\(origin)'.")
    }
    if let managementPort, !(1...65_535 ~= managementPort) || managementPort == port {
      throw ValidationError(
        "'--management-port' must be from 1 to 65535 and another than '--port', found \(managementPort).")
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
    // Connections and answers share the threads of the event loops, so a request changes threads nowhere.
    _ = NIOSingletons.unsafeTryInstallSingletonPosixEventLoopGroupAsConcurrencyGlobalExecutor()
    do {
      let catalog = try Catalog(
        indexes.map(Self.source), residentBytes: resident?.bytes ?? Catalog.standardResidentBytes,
        filterBytes: filterMemory?.bytes ?? Catalog.standardFilterBytes)
      let options = try serverOptions()
      try raiseFileLimit()
      let names = catalog.names
      try await ClusterServer(catalog, options: options).run { [host, scheme = tlsKey == nil ? "http" : "https"] port in
        let address = host.contains(":") ? "[\(host)]" : host
        // Not kept back until a buffer is full, where the output is no terminal.
        let line = "Serving \(names.joined(separator: ", ")) at \(scheme)://\(address):\(port)/\n"
        FileHandle.standardOutput.write(Data(line.utf8))
      }
    } catch {
      FileHandle.standardError.write(Data("treeline-server: \(message(of: error))\n".utf8))
      throw ExitCode(code(of: error))
    }
  }

  private func serverOptions() throws -> ServerOptions {
    var options = ServerOptions()
    (options.host, options.port, options.managementPort) = (host, port, managementPort)
    (options.allowedOrigins, options.maxAge) = (allowOrigin, maxAge)
    (options.publicURL, options.viewerFolder) = (publicURL.map(Self.withoutSlash), viewer)
    (options.hasViewer, options.logsRequests) = (!noViewer, accessLog)
    options.logFormat = logFormat
    (options.trustedProxyAddresses, options.requestsPerSecond) = (trustedProxy, rate)
    (options.connections, options.connectionsPerAddress) = (connections, connectionsPerAddress)
    (options.requestSeconds, options.responseSeconds) = (requestTime, responseTime)
    options.answerSeconds = answerTime
    if let tlsCertificates, let tlsKey { options.tls = TLSFiles(certificates: tlsCertificates, key: tlsKey) }
    if let tokenFile {
      guard let text = try? String(contentsOfFile: tokenFile, encoding: .utf8) else {
        throw ValidationError("\(tokenFile): expected a readable file of UTF-8 with the token, found none.")
      }
      let line = text.split(whereSeparator: \.isNewline).first
      guard let token = line?.trimmingCharacters(in: .whitespaces), !token.isEmpty else {
        throw ValidationError("\(tokenFile): expected a token in the first line, found none.")
      }
      options.token = token
    }
    return options
  }

  /// Each connection is an open file, and many systems allow 1024 of them unless they are asked.
  private func raiseFileLimit() throws {
    #if canImport(Glibc)
      var limit = rlimit()
      guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
      limit.rlim_cur = min(limit.rlim_max, max(limit.rlim_cur, rlim_t(connections + 2048)))
      _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    #endif
  }

  /// As `treeline help` has it (sysexits.h).
  private func code(of error: any Error) -> Int32 {
    switch error {
    case is CatalogError: EX_USAGE
    case IndexError.unopenable: EX_NOINPUT
    case is IndexError: EX_DATAERR
    default: EX_IOERR
    }
  }

  /// Errors of the network say nothing of what was tried.
  private func message(of error: any Error) -> String {
    let remedy = "choose another with --host and --port"
    switch error {
    case let error as IOError:
      let reason = String(cString: strerror(error.errnoCode))
      return "cannot listen at \(host), port \(port): \(reason); \(remedy)"
    case is SocketAddressError.UnknownHost:
      return "cannot listen at \(host), port \(port): expected the name or address of this machine; \(remedy)"
    default: return "\(error)"
    }
  }

  /// `name=path`, or a path whose file has the name.
  private static func source(_ argument: String) -> (name: String, path: String) {
    if let equals = argument.firstIndex(of: "="), !argument[..<equals].contains("/") {
      return (String(argument[..<equals]), String(argument[argument.index(after: equals)...]))
    }
    var name = argument.split(separator: "/").last.map(String.init) ?? argument
    if name.hasSuffix(".treeline") { name.removeLast(".treeline".count) }
    return (name, argument)
  }

  /// A scheme, a host and maybe a port, and nothing behind them.
  private static func isOrigin(_ text: String) -> Bool {
    guard hasScheme(text), let host = text.split(separator: "//", maxSplits: 1).last else { return false }
    return !host.contains { "/?#, *".contains($0) }
  }

  private static func hasScheme(_ url: String) -> Bool {
    ["http://", "https://"].contains { url.hasPrefix($0) && url.utf8.count > $0.utf8.count }
  }

  private static func withoutSlash(_ url: String) -> String { url.hasSuffix("/") ? String(url.dropLast()) : url }
}
