import Testing

/// A vector tile, decoded by the rules of the format. The decoder shares no code with the writer of tiles. The tests
/// of the server use it as well; those in Python read the same tiles with Google's library for Protocol Buffers.
struct DecodedTile {
  struct Feature {
    var id: UInt64 = 0
    var x = 0
    var y = 0
    var counts: [String: UInt64] = [:]
    var integers: [String: Int] = [:]
    var doubles: [String: Double] = [:]
    var texts: [String: String] = [:]
  }

  var features: [Feature] = []

  /// A tile without clusters has no layer.
  init(_ bytes: [UInt8]) throws {
    let layers = try Message(bytes).members[3] ?? []
    #expect(layers.count <= 1)
    if let layer = layers.first { features = try Self.features(inLayer: layer) }
  }

  private static func features(inLayer bytes: [UInt8]) throws -> [Feature] {
    var features: [Feature] = []
    let layer = try Message(bytes)
    #expect(layer.members[1]?.first == Array("clusters".utf8) && layer.numbers[15] == [2] && layer.numbers[5] == [4096])
    let keys = (layer.members[3] ?? []).map { String(decoding: $0, as: UTF8.self) }
    #expect(Set(keys).count == keys.count)
    let values = try (layer.members[4] ?? []).map { try Message($0) }
    for bytes in layer.members[2] ?? [] {
      let message = try Message(bytes)
      var feature = Feature(id: try #require(message.numbers[1]?.first))
      let geometry = try Message.packed(try #require(message.members[4]?.first))
      #expect(message.numbers[3] == [1] && geometry.count == 3 && geometry[0] == 9)
      (feature.x, feature.y) = (signed(geometry[1]), signed(geometry[2]))
      let tags = try Message.packed(try #require(message.members[2]?.first))
      for tag in stride(from: 0, to: tags.count, by: 2) {
        let (key, value) = (keys[Int(tags[tag])], values[Int(tags[tag + 1])])
        if let text = value.members[1]?.first { feature.texts[key] = String(decoding: text, as: UTF8.self) }
        if let number = value.numbers[5]?.first { feature.counts[key] = number }
        if let number = value.numbers[4]?.first { feature.integers[key] = Int(bitPattern: UInt(number)) }
        if let number = value.numbers[3]?.first { feature.doubles[key] = Double(bitPattern: number) }
      }
      features.append(feature)
    }
    return features
  }

  private static func signed(_ number: UInt64) -> Int { Int(number >> 1) ^ -Int(number & 1) }

  /// The members of a Protocol Buffers message. The keys are field numbers.
  private struct Message {
    var numbers: [UInt64: [UInt64]] = [:]
    var members: [UInt64: [[UInt8]]] = [:]

    init(_ bytes: [UInt8]) throws {
      var rest = bytes[...]
      while !rest.isEmpty {
        let tag = try Self.varint(&rest)
        switch tag & 7 {
        case 0: numbers[tag >> 3, default: []].append(try Self.varint(&rest))
        case 1:
          let number = (0..<8).reduce(UInt64(0)) { $0 | UInt64(rest.removeFirst()) << (8 * UInt64($1)) }
          numbers[tag >> 3, default: []].append(number)
        default:
          let length = Int(try Self.varint(&rest))
          try #require(tag & 7 == 2 && length <= rest.count)
          members[tag >> 3, default: []].append(Array(rest.prefix(length)))
          rest = rest.dropFirst(length)
        }
      }
    }

    static func packed(_ bytes: [UInt8]) throws -> [UInt64] {
      var (rest, numbers) = (bytes[...], [UInt64]())
      while !rest.isEmpty { numbers.append(try varint(&rest)) }
      return numbers
    }

    private static func varint(_ rest: inout ArraySlice<UInt8>) throws -> UInt64 {
      var (number, shift) = (UInt64(0), UInt64(0))
      while true {
        let next = rest.popFirst()
        let byte = try #require(next)
        number |= UInt64(byte & 0x7F) << shift
        if byte < 0x80 { return number }
        shift += 7
      }
    }
  }
}
