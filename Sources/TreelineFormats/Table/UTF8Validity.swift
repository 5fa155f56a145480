/// Whether bytes are UTF-8, and so decoded as they are, without repair.
///
/// By the table of well-formed sequences (The Unicode Standard, table 3-7); `String(validating:)` knows it too, but makes
/// a string each time.
///
/// - Complexity: O(bytes), eight at a time where they are ASCII, as most are.
func isValidUTF8(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
  let raw = UnsafeRawBufferPointer(bytes)
  var position = 0
  while position < raw.count {
    if position + 8 <= raw.count,
      raw.loadUnaligned(fromByteOffset: position, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
    {
      position += 8
      continue
    }
    // What may follow at once is narrower where it keeps out overlong forms, surrogates and all above U+10FFFF.
    let next: ClosedRange<UInt8>
    let length: Int
    switch raw[position] {
    case 0x00...0x7F:
      position += 1
      continue
    case 0xC2...0xDF: (next, length) = (0x80...0xBF, 2)
    case 0xE0: (next, length) = (0xA0...0xBF, 3)
    case 0xED: (next, length) = (0x80...0x9F, 3)
    case 0xE1...0xEF: (next, length) = (0x80...0xBF, 3)
    case 0xF0: (next, length) = (0x90...0xBF, 4)
    case 0xF1...0xF3: (next, length) = (0x80...0xBF, 4)
    case 0xF4: (next, length) = (0x80...0x8F, 4)
    default: return false
    }
    guard position + length <= raw.count, next.contains(raw[position + 1]) else { return false }
    for place in position + 2..<position + length where raw[place] & 0xC0 != 0x80 { return false }
    position += length
  }
  return true
}
