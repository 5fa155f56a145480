import HTTPTypes
import NIOHTTP1
import Treeline
@_spi(Server) import TreelineFormats

/// What went wrong with a request, as the client is told (RFC 9457).
struct Problem: Error {
  let status: HTTPResponse.Status
  let detail: String
  var faults: [ParameterFault] = []
  var headers = HTTPFields()

  /// - Note: Status says all that a `type` of ours would, so there is none.
  func write(to bytes: inout OutputBytes) {
    bytes.append("{\"type\":\"about:blank\",\"title\":")
    bytes.append(json: status.reasonPhrase)
    bytes.append(",\"status\":")
    bytes.append(status.code)
    bytes.append(",\"detail\":")
    bytes.append(json: detail)
    if !faults.isEmpty {
      bytes.append(",\"invalid_params\":[")
      for (number, fault) in faults.enumerated() {
        if number > 0 { bytes.append(",") }
        bytes.append("{\"name\":")
        bytes.append(json: fault.name)
        bytes.append(",\"expected\":")
        bytes.append(json: fault.expected)
        bytes.append(",\"found\":")
        bytes.append(json: fault.found.map { AttributeValue.string($0) } ?? .null)
        bytes.append("}")
      }
      bytes.append("]")
    }
    bytes.append("}\n")
  }
}

/// What is wrong with one parameter.
struct ParameterFault: Hashable {
  let name: String
  let expected: String
  /// nil where it is missing.
  let found: String?
}

extension Problem {
  static func invalid(_ faults: [ParameterFault]) -> Problem {
    let detail = faults.map {
      "\($0.name): expected \($0.expected), found \($0.found.map { "'\($0)'" } ?? "none")"
    }
    return Problem(status: .badRequest, detail: detail.joined(separator: "; "), faults: faults)
  }

  static func invalid(_ name: String, expected: String, found: String?) -> Problem {
    invalid([ParameterFault(name: name, expected: expected, found: found)])
  }

  static func notFound(_ detail: String) -> Problem { Problem(status: .notFound, detail: detail) }

  /// Any error as it may be told outside: nothing of files, lines and versions.
  init(of error: any Error) {
    switch error {
    case let problem as Problem: self = problem
    case QueryError.unknownCluster(let id):
      self = .notFound("No cluster of this index has the id \(id); ids hold for one version of an index.")
    case let error as QueryError: self.init(status: .badRequest, detail: "\(error)")
    case is IndexError:
      self.init(status: .internalServerError, detail: "The index is damaged; the server's log says where.")
    case is HTTPParserError:
      self.init(status: .badRequest, detail: "The request broke off, or was none, before its end.")
    default: self.init(status: .internalServerError, detail: "The server failed; its log says more.")
    }
  }
}
