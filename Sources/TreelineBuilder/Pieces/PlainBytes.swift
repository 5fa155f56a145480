import Treeline

/// A value that can be stored in a file, or sent to another machine with the same byte order.
package protocol BinaryCodable: Sendable {
  func write(to bytes: inout PlainBytes)
  init(from bytes: inout PlainBytes) throws(PieceError)
}

extension BinaryCodable {
  /// The value as bytes with a checksum, for `init(plainBytes:)`.
  var plainBytes: [UInt8] {
    var bytes = PlainBytes([])
    write(to: &bytes)
    return bytes.sealed(as: "\(Self.self)")
  }

  /// - Throws: `PieceError.damaged` if the bytes were not returned by the property `plainBytes`.
  init(plainBytes bytes: [UInt8]) throws(PieceError) {
    var bytes = try PlainBytes(bytes, sealedAs: "\(Self.self)")
    self = try Self(from: &bytes)
    guard bytes.isAtEnd else {
      throw .damaged(what: PlainBytes.words(for: "\(Self.self)"), expected: "no more bytes", found: "more bytes")
    }
  }
}

/// The bytes of plain values, one value after the other. New values are appended. Reading starts at the first value.
package struct PlainBytes: Sendable {
  private(set) var all: [UInt8]
  private var position = 0

  init(_ all: [UInt8]) { self.all = all }

  /// Checks bytes that `sealed(as:)` has returned, and prepares to read them.
  ///
  /// - Throws: `PieceError.damaged` if the bytes are damaged, or if they contain another kind of value.
  init(_ sealed: [UInt8], sealedAs kind: String) throws(PieceError) {
    guard sealed.count >= Self.checksumLength else {
      throw .damaged(
        what: Self.words(for: kind), expected: "\(Self.checksumLength) bytes or more", found: "\(sealed.count)")
    }
    let bytes = Array(sealed.dropLast(Self.checksumLength))
    let (expected, found) = sealed.withUnsafeBytes { sealed in
      (sealed.loadUnaligned(fromByteOffset: bytes.count, as: UInt64.self), Self.checksum(of: bytes, kind))
    }
    guard expected == found else {
      throw .damaged(
        what: Self.words(for: kind), expected: "the bytes that an earlier step wrote, with the checksum \(expected)",
        found: "the checksum \(found)")
    }
    self.init(bytes)
  }

  /// Returns words for a kind of value: `the stored column survey` for `PlainList<ColumnSurvey>`.
  static func words(for kind: String) -> String {
    let name = kind.split { "<>".contains($0) }.last ?? ""
    return "the stored" + name.map { $0.isUppercase ? " " + $0.lowercased() : String($0) }.joined()
  }

  /// Returns all bytes and a checksum. The checksum covers the bytes and the string `kind`, which says what kind of
  /// value the bytes contain.
  func sealed(as kind: String) -> [UInt8] {
    var sealed = self
    sealed.append(Self.checksum(of: all, kind))
    return sealed.all
  }

  private static let checksumLength = MemoryLayout<UInt64>.size

  private static func checksum(of bytes: [UInt8], _ kind: String) -> UInt64 {
    var hash = XXHash64()
    Array(kind.utf8).withUnsafeBytes { hash.update($0) }
    bytes.withUnsafeBytes { hash.update($0) }
    return hash.finalize()
  }

  var isAtEnd: Bool { position == all.count }

  /// Returns flags as an integer. The first flag is the lowest bit.
  static func bits<Integer: FixedWidthInteger>(_ flags: [Bool]) -> Integer {
    flags.reversed().reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
  }

  /// - Precondition: The type of the value has no padding.
  mutating func append<Value: BitwiseCopyable>(_ value: Value) {
    withUnsafeBytes(of: value) { all.append(contentsOf: $0) }
  }

  mutating func append<Element: BitwiseCopyable>(_ values: [Element]) {
    append(UInt64(values.count))
    values.withUnsafeBytes { all.append(contentsOf: $0) }
  }

  mutating func append(_ text: String) { append(Array(text.utf8)) }

  mutating func append(_ value: some BinaryCodable) { value.write(to: &self) }

  mutating func append(_ values: [some BinaryCodable]) {
    append(UInt64(values.count))
    for value in values { value.write(to: &self) }
  }

  mutating func read<Value: BitwiseCopyable>(_ type: Value.Type = Value.self) throws(PieceError) -> Value {
    let size = MemoryLayout<Value>.size
    guard all.count - position >= size else { throw Self.ended }
    defer { position += size }
    return all.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: position, as: Value.self) }
  }

  mutating func readArray<Element: BitwiseCopyable>(of type: Element.Type = Element.self) throws(PieceError)
    -> [Element]
  {
    let count = try readCount(elementSize: max(MemoryLayout<Element>.stride, 1))
    defer { position += count * MemoryLayout<Element>.stride }
    return [Element](unsafeUninitializedCapacity: count) { elements, initializedCount in
      all.withUnsafeBytes { bytes in
        UnsafeMutableRawBufferPointer(elements).copyMemory(
          from: UnsafeRawBufferPointer(rebasing: bytes[position..<position + count * MemoryLayout<Element>.stride]))
      }
      initializedCount = count
    }
  }

  mutating func readValues<Value: BinaryCodable>(of type: Value.Type = Value.self) throws(PieceError) -> [Value] {
    let count = try readCount(elementSize: 1)
    var values: [Value] = []
    for _ in 0..<count { values.append(try Value(from: &self)) }
    return values
  }

  mutating func readText() throws(PieceError) -> String {
    String(decoding: try readArray(of: UInt8.self), as: UTF8.self)
  }

  private mutating func readCount(elementSize: Int) throws(PieceError) -> Int {
    let count = try read(UInt64.self)
    guard count <= UInt64((all.count - position) / elementSize) else { throw Self.ended }
    return Int(count)
  }

  private static let ended = PieceError.damaged(
    what: "stored data of this build", expected: "more bytes", found: "the end")
}
