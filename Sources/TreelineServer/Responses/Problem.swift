import Foundation
import Hummingbird
import NIOHTTP1
@_spi(Server) import Treeline
@_spi(Server) import TreelineFormats

/// A problem with a request, in the form that is sent to the client (RFC 9457).
struct Problem: Error {
  let status: HTTPResponse.Status
  let detail: String
  var faults: [QueryParameters.Fault] = []
  var headers = HTTPFields()
  /// Kind of the problem; nil if the status describes the problem well enough.
  var kind: Kind?

  /// Kinds of problems. The member `type` contains the kind; the page `/docs` and the OpenAPI document describe the
  /// kinds.
  enum Kind: String, CaseIterable {
    case invalidParameters = "invalid-parameters"
    case answerTooLong = "answer-too-long"
    case damagedIndex = "damaged-index"
    case outdatedIDs = "outdated-ids"
  }

  var response: Response {
    let (headers, body) = content
    return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: body))
  }

  /// Returns the head and body of a response to a request that reaches no route.
  func parts(closesConnection: Bool) -> (head: HTTPResponse, body: ByteBuffer) {
    var (headers, body) = content
    headers[.contentLength] = "\(body.readableBytes)"
    headers[.date] = HTTPDate.text(of: time(nil))
    headers[.xContentTypeOptions] = "nosniff"
    if closesConnection { headers[.connection] = "close" }
    return (HTTPResponse(status: status, headerFields: headers), body)
  }

  private var content: (headers: HTTPFields, body: ByteBuffer) {
    var headers = headers
    headers[.contentType] = ContentType.problem
    headers[.cacheControl] = "no-store"
    var bytes = OutputBytes()
    try! bytes.append(encoding: self)  // Strings and whole numbers always encode.
    return (headers, bytes.withBytes { ByteBuffer(bytes: $0) })
  }
}

extension Problem: Encodable {
  enum CodingKeys: String, CodingKey {
    case type, title, status, detail
    case faults = "invalid_params"
  }

  /// Encodes the problem. If the problem has no kind, `type` is `about:blank`.
  func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(kind.map { "/docs#" + $0.rawValue } ?? "about:blank", forKey: .type)
    try members.encode(status.reasonPhrase, forKey: .title)
    try members.encode(status.code, forKey: .status)
    try members.encode(detail, forKey: .detail)
    if !faults.isEmpty { try members.encode(faults.map(InvalidParameter.init), forKey: .faults) }
  }

  private struct InvalidParameter: Encodable {
    let name: String
    let expected: String
    @ExplicitNull var found: String?

    init(_ fault: QueryParameters.Fault) {
      (name, expected) = (fault.name, fault.expected)
      _found = ExplicitNull(wrappedValue: fault.found)
    }
  }
}

extension Problem {
  static func invalid(_ faults: [QueryParameters.Fault]) -> Problem {
    let detail = faults.map { "\($0.name): expected \($0.expected), found \($0.found.map(quoted) ?? "none")" }
    return Problem(
      status: .badRequest, detail: detail.joined(separator: "; "), faults: faults, kind: .invalidParameters)
  }

  /// Returns a text in quotes. A phrase that has quotes already, such as `the text 'red'`, stays as it is.
  private static func quoted(_ found: String) -> String {
    found.hasPrefix("'") || found.contains(" '") ? found : "'\(found)'"
  }

  static func invalid(_ name: String, expected: String, found: String?) -> Problem {
    invalid([QueryParameters.Fault(name, expected: expected, found: found)])
  }

  private static func invalid(_ name: String, _ expectation: (expected: String, found: String)) -> Problem {
    invalid(name, expected: expectation.expected, found: expectation.found)
  }

  /// A problem with an index whose file was changed while the file was mapped into memory. If the changed file is a
  /// valid index, the server opens this file within seconds.
  static var damagedIndex: Problem {
    Problem(
      status: .serviceUnavailable, detail: "The index is damaged or being replaced; try again.",
      headers: [.retryAfter: "1"], kind: .damagedIndex)
  }

  /// Maximum length of an answer before compression, in bytes.
  static let longestAnswer = 64_000_000

  static let answerTooLong = Problem(
    status: .contentTooLarge,
    detail:
      "The answer would be longer than \(longestAnswer) bytes; request fewer clusters, a smaller "
      + "part of the map, or 'top(column, 10)' instead of 'counts(column)'.", kind: .answerTooLong)

  /// A problem for a client that has left. The client can receive this problem only if its own side of the connection
  /// is closed and the server's side is still open.
  static let clientLeft = Problem(
    status: .serviceUnavailable,
    detail: "The client closed its side of the connection too early; keep both sides open until the answer arrives.")

  static func outdatedIDs(of index: ServedIndex) -> Problem {
    Problem(
      status: .conflict,
      detail: "The cluster ids are not from the current version \(index.version) of the index; request clusters again.",
      kind: .outdatedIDs)
  }

  static func notFound(_ detail: String) -> Problem { Problem(status: .notFound, detail: detail) }

  /// Converts any error to a problem. If the error is not the client's fault, the problem reveals no paths, line
  /// numbers or versions.
  init(of error: any Error) {
    switch error {
    case let problem as Problem: self = problem
    case QueryError.unknownCluster(let id):
      self = .notFound("This version of the index has no cluster with id \(id); ids change with each version.")
    case QueryError.noPassingPoint(let id): self = .notFound("No point of cluster \(id) passes the filter.")
    case QueryError.limitBelowGroups(let found, let needed):
      self = .invalid(
        "limit",
        expected:
          "a limit of \(needed) or more clusters, one for each group in view and for each point in view that is "
          + "never clustered", found: "\(found)")
    case let error as QueryError: self.init(status: .badRequest, detail: "\(error)")
    case let error as FilterError: self = .invalid("filter", error.expectation)
    case let error as AggregateError: self = .invalid("aggregate", error.expectation)
    case is IndexError:
      self.init(status: .internalServerError, detail: "The index is damaged; the server's log says where.")
    case is HTTPParserError:
      self.init(status: .badRequest, detail: "The request is incomplete or is not valid HTTP.")
    case let error as any HTTPResponseError:
      self.init(status: error.status, detail: error.status == .notFound ? "Nothing is served at this path." : "")
    default: self.init(status: .internalServerError, detail: "The server failed; the server's log says why.")
    }
  }
}
