import HTTPTypes
import NIOCore
import NIOHTTP1

/// Refuses HTTP/1 requests with several Host headers, and HTTP/1.1 requests without a Host header. Also rewrites
/// absolute URLs, and headers that ask to close the connection, into forms that later handlers understand.
final class HTTP1HeadHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  private var isRefused = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if isRefused { return }
    guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
    let hosts = head.headers["host"]
    guard hosts.count == 1 || hosts.isEmpty && (head.version.major, head.version.minor) < (1, 1) else {
      isRefused = true
      let found = hosts.isEmpty ? "none" : "\(hosts.count)"
      return context.fireErrorCaught(
        Problem(status: .badRequest, detail: "A request must have one Host header, found \(found)."))
    }
    // Hummingbird recognizes only one of the ways to ask that the connection be closed (RFC 9112, section 9.3).
    if !head.isKeepAlive { head.headers.replaceOrAdd(name: "connection", value: "close") }
    takeApartAbsoluteForm(&head)
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }

  /// Splits an absolute URL, which clients send to proxies, into a path and `Host` (RFC 9112, section 3.2.2).
  private func takeApartAbsoluteForm(_ head: inout HTTPRequestHead) {
    guard let scheme = ["http://", "https://"].first(where: { head.uri.lowercased().hasPrefix($0) }) else { return }
    let rest = head.uri.dropFirst(scheme.count)
    let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
    head.headers.replaceOrAdd(name: "host", value: String(rest[..<end]))
    head.uri = rest[end...].hasPrefix("/") ? String(rest[end...]) : "/" + rest[end...]
  }
}

/// The host of a request, with an optional port.
enum Authority {
  /// Returns whether the text is a DNS name or an IP address, with an optional port (RFC 9110, section 7.2).
  static func isValid(_ text: String) -> Bool {
    var rest = text[...]
    if rest.first == "[" {
      guard let end = rest.firstIndex(of: "]") else { return false }
      let address = rest[..<end].dropFirst()
      guard !address.isEmpty, address.allSatisfy({ $0.isHexDigit || ":.".contains($0) }) else { return false }
      rest = rest[end...].dropFirst()
    } else {
      let name = rest.prefix { $0 != ":" }
      guard name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-._~".contains($0)) }) else { return false }
      rest = rest[name.endIndex...]
    }
    if rest.isEmpty { return true }
    let port = rest.dropFirst()
    return rest.first == ":" && port.allSatisfy { "0"..."9" ~= $0 } && (port.isEmpty || UInt16(port) != nil)
  }
}
