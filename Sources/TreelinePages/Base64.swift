/// Bytes as text (RFC 4648, section 4).
enum Base64 {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func bytes(of bytes: some Collection<UInt8>) -> [UInt8] {
    let bytes = Array(bytes)
    var result: [UInt8] = []
    result.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let count = min(bytes.count - start, 3)
      var number = UInt32(bytes[start]) << 16
      if count > 1 { number |= UInt32(bytes[start + 1]) << 8 }
      if count > 2 { number |= UInt32(bytes[start + 2]) }
      for place in 0..<4 {
        result.append(place <= count ? digits[Int(number >> UInt32(18 - 6 * place)) & 63] : UInt8(ascii: "="))
      }
    }
    return result
  }

  static func text(of bytes: some Collection<UInt8>) -> String {
    String(decoding: self.bytes(of: bytes), as: UTF8.self)
  }

  /// Returns the bytes that a Base64 text stands for; nil if the text is not Base64.
  static func decoded(_ text: String) -> [UInt8]? {
    let text = Array(text.utf8)
    let padding = text.suffix(2).count { $0 == UInt8(ascii: "=") }
    guard text.count % 4 == 0 else { return nil }
    var result: [UInt8] = []
    var (number, bits) = (UInt32(0), 0)
    for character in text.dropLast(padding) {
      guard let digit = digits.firstIndex(of: character) else { return nil }
      (number, bits) = (number << 6 | UInt32(digit), bits + 6)
      if bits >= 8 {
        bits -= 8
        result.append(UInt8(truncatingIfNeeded: number >> UInt32(bits)))
        number &= 1 << UInt32(bits) - 1
      }
    }
    return result
  }
}
