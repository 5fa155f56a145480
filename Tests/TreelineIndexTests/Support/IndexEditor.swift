import Treeline

/// Changes an index at known offsets. It can also repair the checksums.
struct IndexEditor {
  private(set) var bytes: [UInt8]
  let header: IndexHeader

  init(_ bytes: [UInt8]) throws {
    self.bytes = bytes
    header = try bytes.withUnsafeBytes { bytes throws(IndexError) in try IndexHeader(bytes, name: "memory") }
  }

  init(_ index: TestIndex) throws { try self.init(index.bytes()) }

  func offset(of kind: IndexSection.Kind) -> Int { Int(header.sections.first { $0.kind == kind }!.offset) }

  mutating func store<Value: FixedWidthInteger>(_ value: Value, at offset: Int) {
    bytes.withUnsafeMutableBytes { $0.store(value, at: offset) }
  }

  /// Inserts zeros at an offset. The bytes from the offset on move towards the end.
  mutating func insertZeros(_ count: Int, at offset: Int) {
    bytes.insert(contentsOf: [UInt8](repeating: 0, count: count), at: offset)
  }

  func number<Value: FixedWidthInteger>(at offset: Int, as type: Value.Type) -> Value {
    bytes.withUnsafeBytes { Value(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: type)) }
  }

  mutating func setGap(_ gap: UInt8, after index: Int) {
    let offset = offset(of: .gaps) + index / 2
    let kept = bytes[offset] & (index % 2 == 0 ? 0xF0 : 0x0F)
    bytes[offset] = kept | gap << (index % 2 == 0 ? 0 : 4)
  }

  mutating func setSeparation(_ code: UInt16, of treeIndex: Int) {
    store(code, at: offset(of: .separations) + 2 * treeIndex)
  }

  /// Returns the bytes with every checksum repaired.
  func repaired() -> IndexBytes {
    var bytes = bytes
    bytes.withUnsafeMutableBytes { ChecksumRepair.repair($0) }
    return IndexBytes(bytes)
  }

  /// Returns the bytes with repaired checksums and a repaired content hash. Then only the contents of the index reveal
  /// that it is not sound.
  func forged() throws -> IndexBytes {
    var editor = self
    editor.store(try repaired().open().contentHash, at: 72)
    return editor.repaired()
  }

  /// Returns the bytes with a repaired checksum of the header. The checksums of sections are not repaired.
  func withHeaderRepaired() -> IndexBytes {
    var bytes = bytes
    bytes.withUnsafeMutableBytes { ChecksumRepair.repairHeader($0, length: header.length) }
    return IndexBytes(bytes)
  }
}

// MARK: - Positions

extension IndexEditor {
  /// Changes the positions of all points and the corners of all boxes, in tree order.
  mutating func movePoints(_ move: (UInt32, UInt32) -> (x: UInt32, y: UInt32)) {
    let points = (0..<header.pointCount).map { offset(of: .points) + 8 * $0 }
    let nodes = (0..<2 * header.nodeCount).map { offset(of: .nodes) + 24 * ($0 / 2) + 8 * ($0 % 2) }
    for offset in points + nodes {
      let moved = move(number(at: offset, as: UInt32.self), number(at: offset + 4, as: UInt32.self))
      store(moved.x, at: offset)
      store(moved.y, at: offset + 4)
    }
  }
}

// MARK: - Fields of a node record

extension IndexEditor {
  enum NodeField: Int {
    case minX = 0
    case minY = 4
    case maxX = 8
    case maxY = 12
    case count = 16
    case childOffset = 20
  }

  func offset(of field: NodeField, ofRecord record: Int) -> Int { offset(of: .nodes) + 24 * record + field.rawValue }

  mutating func set(_ field: NodeField, ofRecord record: Int, to value: UInt32) {
    store(value, at: offset(of: field, ofRecord: record))
  }

  func value(_ field: NodeField, ofRecord record: Int) -> UInt32 {
    number(at: offset(of: field, ofRecord: record), as: UInt32.self)
  }

  /// Returns the first record that has stored children, or the first record that has none. The root's record is left
  /// out.
  func record(isStored: Bool) -> Int {
    (1..<header.nodeCount).first { (value(.childOffset, ofRecord: $0) != 0) == isStored }!
  }
}
