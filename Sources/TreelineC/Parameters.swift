import Treeline

/// Reads a value from parameters such as `zoom=9&spacing=44`, which have the form of a URL's query.
///
/// Parameter names may contain `_` instead of `-`, because identifiers in some languages cannot contain `-`. Messages
/// spell the names in the same way as the caller.
///
/// - Throws: `ParameterError`, which lists all mistakes in the string.
func read<Value>(_ text: UnsafePointer<CChar>?, _ work: (inout QueryParameters) throws -> Value) throws -> Value {
  var values: [(name: String, value: String)] = []
  var spellings: [String: String] = [:]
  for part in (try string(text, "parameters") ?? "").utf8.split(separator: UInt8(ascii: "&")) {
    let equals = part.firstIndex(of: UInt8(ascii: "="))
    let given = String(decoding: part[..<(equals ?? part.endIndex)], as: UTF8.self)
    let value = equals.map { decoded(part[part.index(after: $0)...]) } ?? ""
    let name = given.utf8.contains(UInt8(ascii: "_")) ? String(given.map { $0 == "_" ? "-" : $0 }) : given
    if name != given { spellings[name] = given }
    values.append((name, value))
  }
  var parameters = QueryParameters(values)
  let value = try work(&parameters)
  parameters.refuseUnread()
  guard parameters.faults.isEmpty else {
    // If the caller has spelled any name with `_`, messages spell all names with `_`.
    func spelled(_ name: String) -> String {
      spellings[name] ?? (spellings.isEmpty ? name : String(name.map { $0 == "-" ? "_" : $0 }))
    }
    throw ParameterError(description: parameters.message { "'\(spelled($0))'" })
  }
  return value
}

/// Decodes the percent encoding of URLs.
private func decoded(_ bytes: Substring.UTF8View) -> String {
  guard bytes.contains(UInt8(ascii: "%")) else { return String(decoding: bytes, as: UTF8.self) }
  var (found, rest) = ([UInt8](), bytes)
  while let byte = rest.popFirst() {
    let digits = rest.prefix(2)
    if byte == UInt8(ascii: "%"), digits.count == 2,
      let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
    {
      found.append(code)
      rest = rest.dropFirst(2)
    } else {
      found.append(byte)
    }
  }
  return String(decoding: found, as: UTF8.self)
}
