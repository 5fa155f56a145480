import HTTPTypes

/// What a request wants of a file.
enum ByteRange: Equatable {
  case all
  case part(Range<Int>)
  /// It begins behind the end.
  case none
}

extension HTTPRequest {
  /// The part of a file that `Range` names (RFC 9110, section 14). Several parts at once, other units and what is no
  /// range at all are as if there were no such header; so is a part of another version than the client has.
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
