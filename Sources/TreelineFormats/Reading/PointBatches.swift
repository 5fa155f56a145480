import Treeline

/// Who takes the points of an input that are too many to be held at once.
///
/// As long as there are fewer than the first batch has room for, the table that is read holds them as ever.
package final class PointBatches {
  /// How many bytes points and skipped rows may take before the first batch is handed over, and what each of them
  /// takes, besides the bytes of its record where columns are kept.
  let firstMemory: Int
  let bytesPerPoint: Int
  private let body: (PointBatch) throws -> Void
  /// Why the points were not taken.
  package private(set) var failure: (any Error)?
  /// Of all bytes of the input so far, as they are, compressed or not.
  package private(set) var checksum = XXHash64()

  /// How many bytes of the input were read so far, as they are, compressed or not.
  package private(set) var byteCount = 0

  /// What they may take from then on: the first batch was all that memory has room for.
  var laterMemory: Int { max(bytesPerPoint << 12, min(firstMemory / 4, bytesPerPoint << 18)) }

  package init(memory: Int, bytesPerPoint: Int, _ body: @escaping (PointBatch) throws -> Void) {
    (firstMemory, self.bytesPerPoint, self.body) = (max(memory, bytesPerPoint), bytesPerPoint, body)
  }

  /// - Throws: An error that ends the reading; what there is to say is in `failure`.
  func take(_ batch: PointBatch, of file: String) throws(ReadingError) {
    do { try body(batch) } catch {
      failure = error
      throw .readFailed(file: file, reason: "\(error)")
    }
  }

  func note(_ bytes: UnsafeRawBufferPointer) {
    checksum.update(bytes)
    byteCount += bytes.count
  }
}

/// Some points of an input, in its order.
package struct PointBatch {
  /// These points and their columns, if they were kept.
  package let table: PointTable

  package var coordinates: [Coordinate] { table.coordinates }

  /// The numbers of rows without a valid position, ascending; each point has the next number that is not among those
  /// of this batch and the ones before.
  package var skippedRows: [Int] { table.skippedRows }

  package var isPlanar: Bool { table.isPlanar }

  /// How many rows there are, those without a valid position included.
  package var rowCount: Int { coordinates.count + skippedRows.count }

  /// The row of the input that a point stood in, counted from 0.
  ///
  /// - Parameter firstRow: How many rows the batches before this one have had.
  package func row(ofPoint index: Int, from firstRow: Int) -> Int {
    // As in `PointTable.row(ofPoint:)`.
    firstRow + index + firstIndex(in: 0..<skippedRows.count) { skippedRows[$0] - firstRow - $0 > index }
  }
}

extension PointReader {
  /// The checksum that `PointBatches` would have of a file.
  package static func checksum(ofFile path: String) throws(ReadingError) -> UInt64 {
    let source = try FileSource(path: path, progress: nil)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    var checksum = XXHash64()
    while true {
      let count = try source.read(into: buffer)
      if count == 0 { return checksum.finalize() }
      checksum.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }
}
