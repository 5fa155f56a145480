/// The raw bytes of many records, one after another, in blocks.
///
/// Blocks instead of one array, so that growing never copies what is there, which would double the peak memory.
struct RecordArena: Sendable {
  private static let blockSize = 4 << 20
  /// The first block is small, for a few records are the most common table in tests and pipes.
  private static let firstBlockSize = 16 << 10
  private var blocks: [[UInt8]] = []
  /// Block number in the upper half, offset in the lower: a block is one record or at most `blockSize`, and a record is
  /// bounded by `ReadingLimits`.
  private var starts: [UInt64] = []

  /// Adds a record of two parts, one behind the other.
  mutating func append(_ start: UnsafeBufferPointer<UInt8>?, _ record: UnsafeBufferPointer<UInt8>) {
    let count = (start?.count ?? 0) + record.count
    let size = blocks.count == 1 ? Self.firstBlockSize : Self.blockSize
    if blocks.isEmpty || blocks[blocks.count - 1].count + count > size {
      let next = blocks.isEmpty ? Self.firstBlockSize : Self.blockSize
      blocks.append([])
      blocks[blocks.count - 1].reserveCapacity(max(next, count))
    }
    let last = blocks.count - 1
    starts.append(UInt64(last) << 32 | UInt64(blocks[last].count))
    if let start { blocks[last].append(contentsOf: start) }
    blocks[last].append(contentsOf: record)
  }

  func withRecord<Result>(_ index: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    let block = Int(starts[index] >> 32)
    let start = Int(starts[index] & 0xFFFF_FFFF)
    let isLastOfBlock = index + 1 == starts.count || Int(starts[index + 1] >> 32) != block
    let end = isLastOfBlock ? blocks[block].count : Int(starts[index + 1] & 0xFFFF_FFFF)
    return blocks[block].withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[start..<end])) }
  }
}
