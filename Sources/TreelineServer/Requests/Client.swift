import HTTPTypes
import Hummingbird
import NIOCore

/// The client that sent a request, and the address at which the client reached the server. The client and the address
/// are read from the connection or from the headers of a trusted proxy.
struct Client: Sendable {
  /// Network address of the client; nil if the connection has no address, as with a Unix socket.
  private(set) var address: IPAddress?
  private(set) var scheme: String
  /// Host to which the request was sent, with an optional port.
  private(set) var authority: String?

  /// Base URL of the server as the client sees it, such as `http://127.0.0.1:8080`; nil if the URL is unknown.
  var root: String? { authority.flatMap { $0.isEmpty ? nil : "\(scheme)://\($0)" } }

  /// Finds the client of a request.
  ///
  /// - Parameters:
  ///   - peer: Address at the other end of the connection.
  ///   - isSecure: Whether the connection uses TLS.
  ///   - proxies: Addresses of trusted proxies.
  init(of request: HTTPRequest, from peer: IPAddress?, isSecure: Bool = false, trusting proxies: [IPAddress.Range]) {
    (address, scheme, authority) = (peer, isSecure ? "https" : "http", request.authority)
    func isTrusted(_ address: IPAddress) -> Bool { proxies.contains { $0.contains(address) } }
    guard let peer, isTrusted(peer) else { return }
    // Each proxy appends the address from which it received the request. The client is the last address that is not a
    // trusted proxy.
    let hops = Self.hops(of: request.headerFields)
    for hop in hops.reversed() {
      if let scheme = hop.scheme, ["http", "https"].contains(scheme) { self.scheme = scheme }
      if let authority = hop.authority, Authority.isValid(authority) { self.authority = authority }
      guard let address = hop.address else { return }
      self.address = address
      if !isTrusted(address) { return }
    }
  }

  private struct Hop {
    var address: IPAddress?
    var scheme: String?
    var authority: String?
  }

  /// Reads `Forwarded` (RFC 7239) or, if that header is missing, the older `X-Forwarded-*` headers.
  private static func hops(of headers: HTTPFields) -> [Hop] {
    if let forwarded = headers[.forwarded] {
      return forwarded.split(separator: ",").map { element in
        var hop = Hop()
        for pair in element.split(separator: ";") {
          let parts = pair.split(separator: "=", maxSplits: 1).map { $0.trimming(" \t\"") }
          guard parts.count == 2 else { continue }
          switch parts[0].lowercased() {
          case "for": hop.address = address(parts[1])
          case "proto": hop.scheme = parts[1].lowercased()
          case "host": hop.authority = parts[1]
          default: break
          }
        }
        return hop
      }
    }
    var hops = list(headers[.xForwardedFor]).map { Hop(address: address($0)) }
    if hops.isEmpty { hops = [Hop()] }
    hops[hops.count - 1].scheme = list(headers[.xForwardedProto]).last?.lowercased()
    hops[hops.count - 1].authority = list(headers[.xForwardedHost]).last
    return hops
  }

  private static func list(_ value: String?) -> [String] {
    value?.split(separator: ",").map { $0.trimming(" \t") } ?? []
  }

  /// Parses an address with an optional port. If an IPv6 address has a port, the address is in brackets.
  private static func address(_ text: String) -> IPAddress? {
    if text.first == "[" { return IPAddress(text.dropFirst().prefix { $0 != "]" }) }
    return IPAddress(text) ?? IPAddress(text.prefix { $0 != ":" })
  }
}

extension Substring {
  fileprivate func trimming(_ characters: String) -> String {
    var rest = drop { characters.contains($0) }
    while let last = rest.last, characters.contains(last) { rest.removeLast() }
    return String(rest)
  }
}

extension HTTPField.Name {
  static let forwarded = Self("Forwarded")!
  static let xForwardedFor = Self("X-Forwarded-For")!
  static let xForwardedProto = Self("X-Forwarded-Proto")!
  static let xForwardedHost = Self("X-Forwarded-Host")!
}

/// Context of a request, with its connection and client.
struct ServerRequestContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// The connection, or a stream of an HTTP/2 connection.
  let channel: any Channel
  /// Address at the other end of the connection.
  let peer: IPAddress?
  /// The client; nil before `RequestMiddleware` has run.
  var client: Client?

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
    peer = source.channel.remoteAddress.flatMap(IPAddress.init)
  }
}
