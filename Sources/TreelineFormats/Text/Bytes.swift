/// Part of an input's bytes, without a copy.
typealias Bytes = UnsafeBufferPointer<UInt8>

/// Bytes that have a special meaning in one of the formats.
enum Byte {
  static let tab = UInt8(ascii: "\t")
  static let lineFeed = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")
  /// RS, the first byte of each record in a JSON text sequence (RFC 7464).
  static let recordSeparator: UInt8 = 0x1E
  /// US, a control character that does not occur in texts.
  static let unitSeparator: UInt8 = 0x1F
  static let space = UInt8(ascii: " ")
  static let quote = UInt8(ascii: "\"")
  static let comma = UInt8(ascii: ",")
  static let semicolon = UInt8(ascii: ";")
  static let colon = UInt8(ascii: ":")
  static let bar = UInt8(ascii: "|")
  static let hash = UInt8(ascii: "#")
  static let backslash = UInt8(ascii: "\\")
  static let plus = UInt8(ascii: "+")
  static let minus = UInt8(ascii: "-")
  static let point = UInt8(ascii: ".")
  static let zero = UInt8(ascii: "0")
  static let openBrace = UInt8(ascii: "{")
  static let closeBrace = UInt8(ascii: "}")
  static let openBracket = UInt8(ascii: "[")
  static let closeBracket = UInt8(ascii: "]")

  @inline(__always) static func isDigit(_ byte: UInt8) -> Bool { byte &- zero < 10 }
}

/// Returns whether bytes are valid UTF-8.
///
/// - Complexity: O(bytes). A string is created only if there are bytes beyond ASCII.
func isValidUTF8(_ bytes: Bytes) -> Bool {
  bytes.reduce(0, |) < 0x80 || String(validating: bytes, as: UTF8.self) != nil
}

/// Returns bytes of the input for a message: in quotes, shortened, on one line, and with broken UTF-8 repaired.
func excerpt(_ bytes: Bytes) -> String { "\"" + visible(bytes) + "\"" }

func visible(_ bytes: Bytes) -> String {
  // A message shows at most 60 characters, and each has at most 4 bytes. So the first 260 bytes are enough.
  visible(String(decoding: bytes.prefix(260), as: UTF8.self))
}

/// Returns a text as messages show it: shortened and on one line.
func visible(_ text: String) -> String { text.visible }

extension String {
  /// The text without white space at both ends.
  package var trimmed: String { String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed()) }
}
