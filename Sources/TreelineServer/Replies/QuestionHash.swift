/// The 64-bit hash FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo): tells questions, and files, apart in entity tags. Nothing hangs on
/// it but that a cache is not misled by chance.
enum QuestionHash {
  /// Sixteen hexadecimal digits.
  static func digits(of bytes: some Sequence<UInt8>) -> String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
