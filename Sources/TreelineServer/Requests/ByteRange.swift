import HTTPTypes

/// The part of a file that a request asks for.
enum ByteRange: Equatable {
  case all
  case part(Range<Int>)
  /// The requested range begins after the end of the file.
  case none
}

extension HTTPRequest {
  /// Returns the part of a file that the `Range` header requests (RFC 9110, section 14). The header is ignored if it
  /// is malformed, names several parts or uses a unit other than bytes. The header is also ignored if `If-Range` names
  /// another version of the file.
  func range(of length: Int, tag: String) -> ByteRange {
    guard method == .get, let text = headerFields[.range]?.lowercased(), text.hasPrefix("bytes=") else { return .all }
    if let version = headerFields[.ifRange], version != tag { return .all }
    let parts = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false).map {
      $0.filter { $0 != " " }
    }
    guard parts.count == 2, parts.allSatisfy({ $0.allSatisfy { "0"..."9" ~= $0 } }) else { return .all }
    switch (Int(parts[0]), Int(parts[1])) {
    case (let first?, let last) where last ?? first >= first && (last != nil || parts[1].isEmpty):
      return first < length ? .part(first..<min(last ?? length, length - 1) + 1) : .none
    case (nil, let count?) where parts[0].isEmpty:
      return count > 0 && length > 0 ? .part(max(length - count, 0)..<length) : .none
    default: return .all
    }
  }
}
