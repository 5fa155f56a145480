/// The delimiter that the first record uses most outside quotes; a comma if it uses none.
///
/// - Returns: `nil` if the record does not end within `bytes` and more may follow.
func detectDelimiter(_ bytes: UnsafeBufferPointer<UInt8>, isFinal: Bool) -> UInt8? {
  let candidates = [Byte.comma, Byte.tab, Byte.semicolon]
  var counts = [0, 0, 0]
  var position = 0
  var isQuoted = false
  var isCellStart = true
  scan: while position < bytes.count {
    let byte = bytes[position]
    position += 1
    if isQuoted {
      // A doubled quote closes and opens again, which comes to the same.
      if byte == Byte.quote { isQuoted = false }
      isCellStart = byte == Byte.quote
      continue
    }
    switch byte {
    case Byte.lineFeed, Byte.carriageReturn: return best(candidates, counts)
    case Byte.quote where isCellStart:
      isQuoted = true
      continue
    default: break
    }
    isCellStart = false
    if let index = candidates.firstIndex(of: byte) {
      counts[index] += 1
      isCellStart = true
    }
  }
  return isFinal ? best(candidates, counts) : nil
}

private func best(_ candidates: [UInt8], _ counts: [Int]) -> UInt8 {
  let most = counts.max() ?? 0
  return candidates[counts.firstIndex(of: most) ?? 0]
}
