import Treeline

/// The header of a built piece. The header describes the contents of the piece, and holds the record of the piece's
/// root. In an index, this record is not next to the records below the root. So the record is stored in the header.
///
/// The header is followed by the bytes that the piece adds to each section of the index. A piece can be read only by
/// the version that wrote it. The format of pieces is not part of the index format, and may change with every version.
struct PieceHeader: BitwiseCopyable, Sendable {
  private var magic = Self.magic
  let number: UInt32
  let pointCount: UInt32
  /// Number of records, including the root's record; 0 for a piece of a merged tree. Such a piece has only the rows and
  /// codes of its points.
  let recordCount: UInt32
  /// Length of a point's codes, in bytes.
  let codeLength: UInt16
  private var rowWidth: UInt16 = 4
  let root: NodeRecord
  /// XXH64 of each part, in the order of the parts.
  private var checksums: Checksums
  /// XXH64 of the header's bytes before this field.
  private var checksum: UInt64 = 0

  typealias Checksums = (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)

  private static let magic = UInt64(littleEndian: 0x6563_6569_506C_7254)

  static var length: Int { MemoryLayout<PieceHeader>.size }

  init(of task: PieceTask, recordCount: Int, root: NodeRecord, codeLength: Int) {
    (number, pointCount) = (UInt32(task.number), UInt32(task.pointCount))
    (self.recordCount, self.root, checksums) = (UInt32(recordCount), root, (0, 0, 0, 0, 0, 0))
    // If `codeLength` does not fit into 16 bits, the greatest 16-bit number is stored. An index cannot hold codes of
    // this length, so no index is assembled from such a piece.
    self.codeLength = UInt16(clamping: codeLength)
  }

  /// Whether row numbers have 8 bytes instead of 4.
  var hasWideRows: Bool {
    get { rowWidth == 8 }
    set { rowWidth = newValue ? 8 : 4 }
  }

  /// Whether this header belongs to the piece that `task` describes, and has not changed since it was written.
  func isOf(_ task: PieceTask, codeLength: Int) -> Bool {
    checksum == ownChecksum && magic == Self.magic && number == UInt32(task.number)
      && pointCount == UInt32(task.pointCount) && self.codeLength == UInt16(clamping: codeLength)
      && (rowWidth == 4 || rowWidth == 8)
      && root.count == pointCount && root.box == task.extent.box
      && (task.rule == nil ? recordCount == 0 : recordCount % 2 == 1 && recordCount < 2 * UInt64(pointCount))
  }

  private var ownChecksum: UInt64 {
    withUnsafeBytes(of: self) { XXHash64.hash(UnsafeRawBufferPointer(rebasing: $0.dropLast(8))) }
  }

  /// Sets the checksum of the header. The checksums of all parts must be set already.
  mutating func seal() { checksum = ownChecksum }

  func length(of part: PiecePart) -> Int {
    let (points, records) = (Int(pointCount), Int(recordCount))
    if records == 0 && part != .rows { return 0 }
    return switch part {
    case .points: points * MemoryLayout<PlanePoint>.stride
    case .sums: records / 2 * MemoryLayout<NodeSums>.stride
    case .rows: points * Int(rowWidth)
    case .nodes: (records - 1) * MemoryLayout<NodeRecord>.stride
    case .spreads: records / 2 * MemoryLayout<NodeSpread>.stride
    case .gaps: Gap.byteCount(ofPoints: points)
    }
  }

  func offset(of part: PiecePart) -> Int {
    PiecePart.allCases.prefix { $0 != part }.reduce(Self.length) { $0 + length(of: $1) }
  }

  /// Offset of the codes of columns. All codes of one column are adjacent. The codes of all columns are followed by a
  /// checksum for each column.
  var codesOffset: Int { PiecePart.allCases.reduce(Self.length) { $0 + length(of: $1) } }

  /// Returns the length of the whole piece, in bytes.
  func byteCount(_ layout: CodeLayout) -> Int {
    codesOffset + layout.length * Int(pointCount) + 8 * layout.widths.count
  }

  subscript(part: PiecePart) -> UInt64 {
    get { withUnsafeBytes(of: checksums) { $0.load(fromByteOffset: 8 * part.rawValue, as: UInt64.self) } }
    set {
      withUnsafeMutableBytes(of: &checksums) {
        $0.storeBytes(of: newValue, toByteOffset: 8 * part.rawValue, as: UInt64.self)
      }
    }
  }
}

/// The parts of a built piece, without the codes of its columns. A piece stores its parts in the order of these cases,
/// so that parts with larger alignments come first.
enum PiecePart: Int, CaseIterable, Sendable {
  case points, sums, rows, nodes, spreads, gaps
}

/// A source of the bytes of built pieces, such as a `PieceFolder`.
public protocol PieceSource: Sendable {
  /// Fills a buffer with the bytes of a piece, beginning at an offset.
  ///
  /// - Parameters:
  ///   - piece: Number of the piece, from 0.
  ///   - offset: Offset of the first byte from the start of the piece.
  ///   - buffer: Buffer for the bytes. Its length is the number of bytes to read.
  /// - Throws: `PieceError` if the piece ends before the buffer is full.
  func read(piece: Int, at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws
}

extension PieceSource {
  /// Fills a buffer with bytes of a piece. Any error of the source becomes a `PieceError`.
  func readBytes(
    ofPiece piece: Int, at offset: Int, into buffer: UnsafeMutableRawBufferPointer
  ) throws(PieceError) {
    do { try read(piece: piece, at: offset, into: buffer) } catch let error as PieceError { throw error } catch {
      throw .damaged(what: "piece \(piece)", expected: "bytes that can be read", found: "\(error)")
    }
  }

  /// Returns the header of a piece.
  func header(of task: PieceTask, codeLength: Int) throws(PieceError) -> PieceHeader {
    var header = PieceHeader(
      of: task, recordCount: 1,
      root: NodeRecord(box: PlaneRect(minX: 0, minY: 0, maxX: 0, maxY: 0), count: 0, childOffset: 0),
      codeLength: codeLength)
    var failure: PieceError?
    withUnsafeMutableBytes(of: &header) { bytes in
      do throws(PieceError) { try readBytes(ofPiece: task.number, at: 0, into: bytes) } catch { failure = error }
    }
    if let failure { throw failure }
    guard header.isOf(task, codeLength: codeLength) else {
      throw .damaged(
        what: "piece \(task.number)",
        expected: "a piece of \(task.pointCount) points with \(codeLength) bytes of codes per point",
        found: "another file")
    }
    return header
  }
}
