import ArgumentParser
import Foundation
import NIOCore
import NIOPosix
import Treeline
import TreelineServer

@main struct TreelineServerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "treeline-server", abstract: "Serves clusters over HTTP, and a map to see them move.",
    discussion: """
      Each index is served under the name of its file, or one that is given: 'places=/data/uk.treeline'. An index \
      that is replaced, as 'treeline build' does, is reopened within a second, or at once at SIGHUP. After SIGTERM or \
      SIGINT the server answers what was asked and stops.

      The routes are described at /openapi.json, the map is at /.
      """)

  @Argument(help: ArgumentHelp("Files made by 'treeline build'.", valueName: "[name=]index")) var indexes: [String]

  @Option(help: "The address to listen at; 0.0.0.0 opens it to the network.") var host = "127.0.0.1"

  @Option(help: "The port to listen at; 0 is any that is free.") var port = 8080

  @Option(
    help: ArgumentHelp(
      "How large the indexes in memory may be in sum, such as 500M or 8G; larger ones stay in their files.",
      discussion: "By default half of the memory.", valueName: "bytes"))
  var resident: ByteCount?

  @Option(help: ArgumentHelp("Whose pages may send requests (CORS), or '*' for all.", valueName: "origin"))
  var allowOrigin: String?

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
    if let allowOrigin, allowOrigin != "*", !Self.isOrigin(allowOrigin) {
      throw ValidationError(
        "'--allow-origin' must be one origin, such as 'https://example.org', or '*', found '\(allowOrigin)'.")
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
        indexes.map(Self.source), residentBytes: resident?.bytes ?? Catalog.standardResidentBytes)
      var options = ServerOptions()
      (options.host, options.port) = (host, port)
      (options.allowedOrigin, options.maxAge) = (allowOrigin, maxAge)
      (options.publicURL, options.viewerFolder) = (publicURL.map(Self.withoutSlash), viewer)
      let names = catalog.names
      try await ClusterServer(catalog, options: options).run { [host] port in
        let address = host.contains(":") ? "[\(host)]" : host
        // Not kept back until a buffer is full, where the output is no terminal.
        let line = "Serving \(names.joined(separator: ", ")) at http://\(address):\(port)/\n"
        FileHandle.standardOutput.write(Data(line.utf8))
      }
    } catch {
      FileHandle.standardError.write(Data("treeline-server: \(message(of: error))\n".utf8))
      throw ExitCode(code(of: error))
    }
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
