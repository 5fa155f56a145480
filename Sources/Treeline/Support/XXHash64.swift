/// The 64-bit hash xxHash64 (Y. Collet, XXH64 as specified in doc/xxhash_spec.md of Cyan4973/xxHash), with seed 0.
///
/// The hash is implemented here because the library uses no other packages.
package struct XXHash64 {
  private var lanes: (UInt64, UInt64, UInt64, UInt64) = (prime1 &+ prime2, prime2, 0, 0 &- prime1)
  private var pending: [UInt8] = []
  private var length: UInt64 = 0

  package init() {}

  package static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var hasher = XXHash64()
    hasher.update(bytes)
    return hasher.finalize()
  }

  /// Adds bytes, which may come in pieces of any length.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    length &+= UInt64(bytes.count)
    var rest = bytes[...]
    if !pending.isEmpty {
      let missing = min(Self.stripe - pending.count, rest.count)
      pending.append(contentsOf: rest.prefix(missing))
      rest = rest.dropFirst(missing)
      guard pending.count == Self.stripe else { return }
      pending.withUnsafeBytes { consume($0) }
      pending.removeAll(keepingCapacity: true)
    }
    let whole = rest.count / Self.stripe * Self.stripe
    consume(UnsafeRawBufferPointer(rebasing: rest.prefix(whole)))
    pending.append(contentsOf: rest.dropFirst(whole))
  }

  private mutating func consume(_ bytes: UnsafeRawBufferPointer) {
    var lanes = lanes
    for offset in stride(from: 0, to: bytes.count, by: Self.stripe) {
      lanes.0 = Self.round(lanes.0, bytes.word(at: offset))
      lanes.1 = Self.round(lanes.1, bytes.word(at: offset + 8))
      lanes.2 = Self.round(lanes.2, bytes.word(at: offset + 16))
      lanes.3 = Self.round(lanes.3, bytes.word(at: offset + 24))
    }
    self.lanes = lanes
  }

  package func finalize() -> UInt64 {
    var hash = Self.prime5
    if length >= Self.stripe {
      hash = lanes.0.rotated(1) &+ lanes.1.rotated(7) &+ lanes.2.rotated(12) &+ lanes.3.rotated(18)
      for lane in [lanes.0, lanes.1, lanes.2, lanes.3] {
        hash = (hash ^ Self.round(0, lane)) &* Self.prime1 &+ Self.prime4
      }
    }
    hash &+= length
    pending.withUnsafeBytes { tail in
      var offset = 0
      while offset + 8 <= tail.count {
        hash = (hash ^ Self.round(0, tail.word(at: offset))).rotated(27) &* Self.prime1 &+ Self.prime4
        offset += 8
      }
      if offset + 4 <= tail.count {
        let word = UInt64(tail.read(at: offset) as UInt32)
        hash = (hash ^ word &* Self.prime1).rotated(23) &* Self.prime2 &+ Self.prime3
        offset += 4
      }
      for byte in tail[offset...] { hash = (hash ^ UInt64(byte) &* Self.prime5).rotated(11) &* Self.prime1 }
    }
    hash = (hash ^ hash >> 33) &* Self.prime2
    hash = (hash ^ hash >> 29) &* Self.prime3
    return hash ^ hash >> 32
  }

  @inline(__always) private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    (lane &+ word &* prime2).rotated(31) &* prime1
  }

  private static let stripe = 32
  private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
  private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
  private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5
}

extension UInt64 {
  @inline(__always) fileprivate func rotated(_ bits: UInt64) -> UInt64 { self << bits | self >> (64 &- bits) }
}

extension UnsafeRawBufferPointer {
  @inline(__always) fileprivate func word(at offset: Int) -> UInt64 {
    UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}
