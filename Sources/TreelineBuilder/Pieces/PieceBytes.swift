import Treeline

/// The first bytes of a built piece: what it has, and the record of its topmost node, which stands elsewhere in the
/// index than those below it.
///
/// Behind it lie the piece's parts of the sections of an index. A piece is read where it was written; the format is no
/// index's, and may change with every version.
struct PieceHeader: BitwiseCopyable, Sendable {
  private var magic = Self.magic
  let number: UInt32
  let pointCount: UInt32
  /// Its own root's included.
  let recordCount: UInt32
  /// Of the codes of a point, in bytes.
  let codeLength: UInt16
  private var rowWidth: UInt16 = 4
  let root: NodeRecord
  /// XXH64 of each part, in their order.
  private var checksums: Checksums
  /// XXH64 of the bytes before it.
  private var checksum: UInt64 = 0

  typealias Checksums = (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)

  private static let magic = UInt64(littleEndian: 0x6563_6569_506C_7254)

  static var length: Int { MemoryLayout<PieceHeader>.size }

  init(of task: PieceTask, recordCount: Int, root: NodeRecord, codeLength: Int) {
    (number, pointCount) = (UInt32(task.number), UInt32(task.pointCount))
    (self.recordCount, self.root, checksums) = (UInt32(recordCount), root, (0, 0, 0, 0, 0, 0))
    // No index has columns of so many bytes, and none is assembled of such pieces.
    self.codeLength = UInt16(clamping: codeLength)
  }

  /// Whether row numbers have 8 bytes rather than 4.
  var hasWideRows: Bool {
    get { rowWidth == 8 }
    set { rowWidth = newValue ? 8 : 4 }
  }

  /// Whether this is the header of a piece, as it was written.
  func isOf(_ task: PieceTask, codeLength: Int) -> Bool {
    checksum == ownChecksum && magic == Self.magic && number == UInt32(task.number)
      && pointCount == UInt32(task.pointCount) && self.codeLength == UInt16(clamping: codeLength)
      && (rowWidth == 4 || rowWidth == 8)
      && root.count == pointCount && root.box == task.extent.box && recordCount % 2 == 1
      && recordCount < 2 * UInt64(pointCount)
  }

  private var ownChecksum: UInt64 {
    withUnsafeBytes(of: self) { XXHash64.hash(UnsafeRawBufferPointer(rebasing: $0.dropLast(8))) }
  }

  /// To be called once the checksums of all parts are there.
  mutating func seal() { checksum = ownChecksum }

  func length(of part: PiecePart) -> Int {
    let (points, records) = (Int(pointCount), Int(recordCount))
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

  /// Where the codes of columns begin, those of all points of one behind those of another, and behind all of them a
  /// checksum for each column.
  var codesOffset: Int { PiecePart.allCases.reduce(Self.length) { $0 + length(of: $1) } }

  /// Of the whole piece.
  func byteCount(_ layout: RecordLayout) -> Int {
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

/// What a piece has of an index, in the order in which it lies there: what needs most alignment first.
enum PiecePart: Int, CaseIterable, Sendable {
  case points, sums, rows, nodes, spreads, gaps
}

/// Where the bytes of built pieces are: in a `PieceFolder`, or wherever else they can be read from.
public protocol PieceSource: Sendable {
  /// Fills a buffer with the bytes of a piece from an offset on.
  ///
  /// - Parameters:
  ///   - piece: The number of the piece, from 0.
  ///   - offset: Of the first byte, from the start of the piece.
  ///   - buffer: As long as what is read.
  /// - Throws: `PieceError` where there are fewer bytes.
  func read(piece: Int, at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(PieceError)
}

extension PieceSource {
  /// The header of a piece.
  func header(of task: PieceTask, codeLength: Int) throws(PieceError) -> PieceHeader {
    var header = PieceHeader(
      of: task, recordCount: 1,
      root: NodeRecord(box: PlaneRect(minX: 0, minY: 0, maxX: 0, maxY: 0), count: 0, childOffset: 0),
      codeLength: codeLength)
    var failure: PieceError?
    withUnsafeMutableBytes(of: &header) { bytes in
      do throws(PieceError) { try read(piece: task.number, at: 0, into: bytes) } catch { failure = error }
    }
    if let failure { throw failure }
    guard header.isOf(task, codeLength: codeLength) else {
      throw .damaged(
        what: "piece \(task.number)",
        expected: "one of \(task.pointCount) points and \(codeLength) bytes of codes each", found: "another file")
    }
    return header
  }
}
