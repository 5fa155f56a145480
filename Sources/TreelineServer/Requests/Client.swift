import HTTPTypes
import Hummingbird
import NIOCore

/// Who asks, and how they reach the server: as the connection says, or a proxy that is named as one to be trusted.
struct Client: Sendable {
  /// nil where there is no network between.
  private(set) var address: IPAddress?
  private(set) var scheme: String
  /// The host and maybe the port that was asked.
  private(set) var authority: String?

  /// The server's address as the client knows it, such as `http://127.0.0.1:8080`; nil where nothing tells.
  var root: String? { authority.flatMap { $0.isEmpty ? nil : "\(scheme)://\($0)" } }

  /// - Parameter isSecure: Whether the connection has TLS.
  init(of request: HTTPRequest, from peer: IPAddress?, isSecure: Bool = false, trusting proxies: [IPAddress.Range]) {
    (address, scheme, authority) = (peer, isSecure ? "https" : "http", request.authority)
    func isTrusted(_ address: IPAddress) -> Bool { proxies.contains { $0.contains(address) } }
    guard let peer, isTrusted(peer) else { return }
    // Each proxy appends whom it was asked by: the last that is none of them is the client.
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

  /// `Forwarded` (RFC 7239), or where there is none the headers that were common before it.
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

  /// An address, maybe with a port, that of IPv6 then in brackets.
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

/// What routes know of a request besides itself.
struct ServerRequestContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// The connection, or the stream of one.
  let channel: any Channel
  /// Who is at the other end of the connection.
  let peer: IPAddress?
  /// Who asks; the peer until a middleware has looked.
  var client: Client?

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
    peer = source.channel.remoteAddress.flatMap(IPAddress.init)
  }
}
