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
  private var reserved: UInt32 = 0
  let root: NodeRecord
  /// XXH64 of each part, in their order.
  private var checksums: Checksums
  /// XXH64 of the bytes before it.
  private var checksum: UInt64 = 0

  typealias Checksums = (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)

  private static let magic = UInt64(littleEndian: 0x6563_6569_506C_7254)

  static var length: Int { MemoryLayout<PieceHeader>.size }

  init(number: Int, pointCount: Int, recordCount: Int, root: NodeRecord) {
    (self.number, self.pointCount) = (UInt32(number), UInt32(pointCount))
    (self.recordCount, self.root, checksums) = (UInt32(recordCount), root, (0, 0, 0, 0, 0, 0))
  }

  /// Whether this is the header of a piece, as it was written.
  func isOf(_ task: PieceTask) -> Bool {
    checksum == ownChecksum && magic == Self.magic && number == UInt32(task.number)
      && pointCount == UInt32(task.pointCount)
      && root.count == pointCount && recordCount % 2 == 1 && recordCount < 2 * UInt64(pointCount)
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
    case .rows: points * MemoryLayout<UInt32>.stride
    case .nodes: (records - 1) * MemoryLayout<NodeRecord>.stride
    case .spreads: records / 2 * MemoryLayout<NodeSpread>.stride
    case .gaps: Gap.byteCount(ofPoints: points)
    }
  }

  func offset(of part: PiecePart) -> Int {
    PiecePart.allCases.prefix { $0 != part }.reduce(Self.length) { $0 + length(of: $1) }
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
  /// - Parameter piece: The number of the piece, from 0.
  /// - Throws: `PieceError` where there are fewer bytes.
  func read(piece: Int, at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(PieceError)
}

extension PieceSource {
  /// The header of a piece.
  func header(of task: PieceTask) throws(PieceError) -> PieceHeader {
    var header = PieceHeader(
      number: 0, pointCount: 0, recordCount: 1,
      root: NodeRecord(box: PlaneRect(minX: 0, minY: 0, maxX: 0, maxY: 0), count: 0, childOffset: 0))
    var failure: PieceError?
    withUnsafeMutableBytes(of: &header) { bytes in
      do throws(PieceError) { try read(piece: task.number, at: 0, into: bytes) } catch { failure = error }
    }
    if let failure { throw failure }
    guard header.isOf(task) else {
      throw .damaged(what: "piece \(task.number)", expected: "one of \(task.pointCount) points", found: "another file")
    }
    return header
  }
}
