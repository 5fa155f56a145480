import HTTPTypes
import Hummingbird

/// Gives equivalent requests the same form before they reach the router. Characters of the path that need no encoding
/// are decoded. A method that the router does not know is replaced by a known method that every route refuses.
struct NormalizedRequests<Responder: HTTPResponder>: HTTPResponder where Responder.Context == ServerRequestContext {
  let responder: Responder

  func respond(to request: Request, context: ServerRequestContext) async throws -> Response {
    let isKnown = HTTPRequest.Method.known.contains(request.method)
    let path = request.head.path ?? "/"
    guard !isKnown || path.utf8.contains(UInt8(ascii: "%")) else {
      return try await responder.respond(to: request, context: context)
    }
    var head = request.head
    if !isKnown { head.method = .put }
    head.path = HTTPRequest.withoutNeedlessEncoding(path)
    return try await responder.respond(to: Request(head: head, body: request.body), context: context)
  }
}

extension HTTPRequest {
  /// Decodes letters, digits and `-._~` in a path (RFC 3986, section 6.2.2.2).
  static func withoutNeedlessEncoding(_ address: String) -> String {
    let end = address.firstIndex(of: "?") ?? address.endIndex
    var path: [UInt8] = []
    var rest = address[..<end].utf8
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2)
      if byte == UInt8(ascii: "%"), digits.count == 2, let code = UInt8(String(digits) ?? "", radix: 16),
        isUnreserved(code)
      {
        path.append(code)
        rest = rest.dropFirst(2)
      } else {
        path.append(byte)
      }
    }
    return String(decoding: path, as: UTF8.self) + address[end...]
  }

  private static func isUnreserved(_ code: UInt8) -> Bool {
    switch UnicodeScalar(code) {
    case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~": true
    default: false
    }
  }
}

extension HTTPRequest.Method {
  /// Every route is registered for all these methods. It answers some of the methods and refuses the others.
  static let known: [HTTPRequest.Method] = [.get, .head, .post, .put, .delete, .patch, .options, .trace, .connect]
}
