import PointSets
import Testing
import Treeline

@Suite struct XXHash64Tests {
  /// Hashes by the reference implementation: `printf %s TEXT | xxh64sum`.
  @Test(
    arguments: [
      ("", 0xEF46_DB37_51D8_E999), ("a", 0xD24E_C4F1_A98C_6E5B), ("abc", 0x44BC_2CF5_AD77_0999),
      ("Nobody inspects the spammish repetition", 0xFBCE_A83C_8A37_8BF1), ("xxhash", 0x32DD_3895_2C4B_C720),
      ("I want an unsigned 64-bit seed!", 0xD4CB_0A70_A2B8_C7C1),
    ] as [(String, UInt64)]) func knownVectors(text: String, hash: UInt64)
  {
    var text = text
    #expect(text.withUTF8 { XXHash64.hash(UnsafeRawBufferPointer($0)) } == hash)
  }

  @Test func chunksDoNotMatter() {
    var random = SplitMix64(seed: 71)
    let bytes = (0..<500).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    for length in [0, 1, 3, 4, 7, 8, 31, 32, 33, 63, 64, 65, 100, 500] {
      let whole = bytes.prefix(length).withUnsafeBytes { XXHash64.hash($0) }
      for _ in 0..<20 {
        var hasher = XXHash64()
        var rest = bytes.prefix(length)
        while !rest.isEmpty {
          let size = random.index(below: min(rest.count, 70) + 1)
          rest.prefix(size).withUnsafeBytes { hasher.update($0) }
          rest = rest.dropFirst(size)
        }
        #expect(hasher.finalize() == whole, "\(length) bytes")
      }
    }
  }

  @Test func finalizingDoesNotEndIt() {
    var hasher = XXHash64()
    "ab".utf8.withContiguousStorageIfAvailable { hasher.update(UnsafeRawBufferPointer($0)) }
    let first = hasher.finalize()
    #expect(hasher.finalize() == first)
    "c".utf8.withContiguousStorageIfAvailable { hasher.update(UnsafeRawBufferPointer($0)) }
    #expect(hasher.finalize() == 0x44BC_2CF5_AD77_0999)
  }
}
