import Foundation
import Treeline

extension QueryParameters {
  /// The greatest number of clusters in an answer.
  static let largestLimit = 10_000

  /// The parameters of a URL's query.
  init(url query: Substring?) {
    let pairs = query?.utf8.split(separator: UInt8(ascii: "&")).map { pair in
      let end = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
      return (name: Self.decoded(Substring(pair[..<end])), value: Self.decoded(Substring(pair[end...].dropFirst())))
    }
    self.init(pairs ?? [], bounds: Bounds(limits: 1...Self.largestLimit))
  }

  /// - Throws: `Problem` where anything was wrong, unknown parameters included.
  mutating func finish() throws(Problem) {
    refuseUnread()
    if !faults.isEmpty { throw .invalid(faults) }
  }

  /// - Parameter plusIsSpace: Whether a plus sign is a space, as in forms.
  static func decoded(_ text: Substring, plusIsSpace: Bool = true) -> String {
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else { return String(text) }
    let text = plusIsSpace ? text.replacing("+", with: " ") : text
    return text.removingPercentEncoding ?? String(text)
  }
}
