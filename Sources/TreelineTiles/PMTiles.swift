import Foundation
@_spi(Server) import TreelineFormats

/// An archive in PMTiles, version 3 (https://github.com/protomaps/PMTiles/blob/main/spec/v3/spec.md). Tiles are stored
/// in the order of their ids. The specification calls an archive with this order *clustered*. Directories and tiles
/// are compressed by gzip.
///
/// The first 16 KiB contain the header and the root directory. The tiles follow. The metadata and the leaf directories
/// come last, because their lengths are known only after all tiles are written. The format allows sections in any
/// order.
package struct PMTiles: TileArchive {
  private let write: (_ bytes: [UInt8], _ offset: UInt64) throws -> Void
  private var entries = Entries()
  private var tileLength: UInt64 = 0
  /// The previous tile. If the next tile has the next id and the same bytes, both tiles share one entry.
  private var last: (id: UInt64, bytes: [UInt8])?

  private static let headerLength = 127
  private static let rootEnd = 16_384

  /// - Parameter write: Writes bytes at an offset in the file.
  package init(write: @escaping (_ bytes: [UInt8], _ offset: UInt64) throws -> Void) { self.write = write }

  package mutating func append(_ tile: TilePyramid.Tile) throws {
    let id = HilbertCurve.id(of: tile.tile)
    if let last, last.id + 1 == id, last.bytes == tile.bytes {
      entries.extendLast()
    } else {
      try write(tile.bytes, UInt64(Self.rootEnd) + tileLength)
      tileLength += UInt64(tile.bytes.count)
      entries.append(id: id, length: tile.bytes.count)
    }
    last = (id, tile.bytes)
  }

  package mutating func finish(_ description: TileDescription) throws {
    entries.close()
    let metadata = Self.compressed(Array(try description.json.utf8))
    let (root, leaves) = directories()
    let metadataStart = UInt64(Self.rootEnd) + tileLength
    let leavesStart = metadataStart + UInt64(metadata.count)
    try write(metadata, metadataStart)
    try write(leaves, leavesStart)

    var header = Array("PMTiles".utf8) + [3]
    func append(_ number: some FixedWidthInteger) { withUnsafeBytes(of: number.littleEndian) { header += $0 } }
    for (start, length) in [
      (UInt64(Self.headerLength), root.count), (metadataStart, metadata.count), (leavesStart, leaves.count),
    ] {
      append(start)
      append(UInt64(length))
    }
    append(UInt64(Self.rootEnd))
    append(tileLength)
    append(entries.tileCount)
    append(entries.count)
    append(entries.count)  // Number of contents. Equal tiles that are not adjacent are stored twice.
    let (isClustered, gzip, vectorTiles) = (1 as UInt8, 2 as UInt8, 1 as UInt8)
    for byte in [isClustered, gzip, gzip, vectorTiles] { append(byte) }
    append(UInt8(description.zooms.lowerBound))
    append(UInt8(description.zooms.upperBound))
    let (bounds, center) = (description.extent.bounds, description.extent.center)
    for degrees in bounds { append(Self.position(degrees)) }
    append(UInt8(max(Double(description.zooms.lowerBound), min(center[2], Double(description.zooms.upperBound)))))
    for degrees in center.prefix(2) { append(Self.position(degrees)) }
    precondition(header.count == Self.headerLength)
    header += root
    try write(header + Array(repeating: 0, count: Self.rootEnd - header.count), 0)
  }

  /// Converts degrees to the unit of the archive, which is 10^-7 degrees.
  private static func position(_ degrees: Double) -> Int32 { Int32((degrees * 1e7).rounded()) }

  /// Returns the root directory and all leaf directories. There are no leaf directories if all entries fit into the
  /// root directory.
  private func directories() -> (root: [UInt8], leaves: [UInt8]) {
    let room = Self.rootEnd - Self.headerLength
    // With more than 2^14 entries, the root directory would always be too long. So its compressed length is not even
    // measured.
    if entries.count <= 1 << 14 {
      let root = Self.compressed(Directory(entries).bytes)
      if root.count <= room { return (root, []) }
    }
    var leafSize = 1 << 12
    while true {
      var (root, leaves, leaf) = (Directory(), [UInt8](), Directory())
      func close() {
        if leaf.isEmpty { return }
        let bytes = Self.compressed(leaf.bytes)
        root.append(id: leaf.firstID, length: bytes.count, run: 0, offset: UInt64(leaves.count))
        leaves += bytes
        leaf = Directory()
      }
      entries.forEach { entry in
        leaf.append(id: entry.id, length: entry.length, run: entry.run, offset: entry.offset)
        if leaf.count == leafSize { close() }
      }
      close()
      let bytes = Self.compressed(root.bytes)
      if bytes.count <= room { return (bytes, leaves) }
      leafSize *= 2
    }
  }

  private static func compressed(_ bytes: [UInt8]) -> [UInt8] {
    bytes.withUnsafeBytes { Gzip.compressed($0, level: 9) }
  }

  // MARK: - Entries

  /// A tile, or several consecutive tiles with the same bytes.
  private struct Entry {
    var id: UInt64
    var length: Int
    var run: UInt64
    /// Offset of the bytes, measured from the first byte of the first tile.
    var offset: UInt64
  }

  /// A list of all entries. Each entry is stored in a few bytes.
  private struct Entries {
    private var bytes = ProtobufBytes()
    private(set) var count: UInt64 = 0
    private(set) var tileCount: UInt64 = 0
    private var last: (id: UInt64, length: Int, run: UInt64)?
    /// The id of the entry before `last`.
    private var previousID: UInt64 = 0

    mutating func append(id: UInt64, length: Int) {
      close()
      last = (id, length, 1)
      count += 1
      tileCount += 1
    }

    mutating func extendLast() {
      last!.run += 1
      tileCount += 1
    }

    /// Stores the last entry. A stored entry cannot be extended.
    mutating func close() {
      guard let last else { return }
      for number in [last.id - previousID, UInt64(last.length), last.run] { bytes.append(varint: number) }
      previousID = last.id
      self.last = nil
    }

    func forEach(_ body: (Entry) -> Void) {
      var rest = bytes.bytes[...]
      func next() -> UInt64 {
        var (number, shift) = (UInt64(0), UInt64(0))
        while let byte = rest.popFirst() {
          number |= UInt64(byte & 0x7F) << shift
          if byte < 0x80 { break }
          shift += 7
        }
        return number
      }
      var (id, offset) = (UInt64(0), UInt64(0))
      while !rest.isEmpty {
        id += next()
        let length = Int(next())
        body(Entry(id: id, length: length, run: next(), offset: offset))
        offset += UInt64(length)
      }
    }
  }

  /// A directory, which is stored as columns, one after another.
  private struct Directory {
    private var (ids, runs, lengths, offsets) = (ProtobufBytes(), ProtobufBytes(), ProtobufBytes(), ProtobufBytes())
    private(set) var count = 0
    private(set) var firstID: UInt64 = 0
    private var lastID: UInt64 = 0
    /// Offset just past the bytes of the last entry.
    private var end: UInt64?

    init() {}

    init(_ entries: Entries) {
      var directory = Directory()
      entries.forEach { directory.append(id: $0.id, length: $0.length, run: $0.run, offset: $0.offset) }
      self = directory
    }

    var isEmpty: Bool { count == 0 }

    /// - Parameter run: Number of tiles; 0 for a leaf directory.
    mutating func append(id: UInt64, length: Int, run: UInt64, offset: UInt64) {
      if isEmpty { firstID = id }
      ids.append(varint: id - lastID)
      runs.append(varint: run)
      lengths.append(varint: UInt64(length))
      // 0 means that the tile begins where the previous entry ends.
      offsets.append(varint: offset == end ? 0 : offset + 1)
      (lastID, end, count) = (id, offset + UInt64(length), count + 1)
    }

    var bytes: [UInt8] {
      var all = ProtobufBytes()
      all.append(varint: UInt64(count))
      for column in [ids, runs, lengths, offsets] { all.append(column) }
      return all.bytes
    }
  }
}
