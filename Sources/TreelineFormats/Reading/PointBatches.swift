import Treeline

/// Receives the points of an input in batches if they are too many for memory.
///
/// If all points fit into the first batch, the input's table contains them, as it does without batches.
package final class PointBatches {
  /// Size in bytes that points and skipped rows may reach before the first batch is passed on.
  let firstMemory: Int
  /// Size of a point or of a skipped row in bytes. If columns are kept, the bytes of the record are not included.
  let bytesPerPoint: Int
  private let body: (PointBatch) throws -> Void
  /// The receiver's error.
  package private(set) var failure: (any Error)?
  /// Checksum of all input bytes so far, which may be compressed.
  package private(set) var checksum = XXHash64()

  /// Number of input bytes read so far, which may be compressed.
  package private(set) var byteCount = 0

  /// Size in bytes of later batches. They are smaller, since the first batch used all available memory.
  var laterMemory: Int { max(bytesPerPoint << 12, min(firstMemory / 4, bytesPerPoint << 18)) }

  package init(memory: Int, bytesPerPoint: Int, _ body: @escaping (PointBatch) throws -> Void) {
    (firstMemory, self.bytesPerPoint, self.body) = (max(memory, bytesPerPoint), bytesPerPoint, body)
  }

  /// - Throws: An error that ends the reading. The receiver's error is in `failure`.
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

/// A check of an input's columns before its rows are read, which may take minutes.
///
/// Features of GeoJSON may all have different columns, so that there is nothing to check.
package final class ColumnCheck {
  private let body: (PointTable) throws -> Void
  /// The error of the check.
  package private(set) var failure: (any Error)?

  /// - Parameter body: Called with the columns and no points. It throws to refuse the columns.
  package init(_ body: @escaping (PointTable) throws -> Void) { self.body = body }

  /// - Throws: An error that ends the reading. The error of the check is in `failure`.
  func check(_ table: PointTable, of file: String) throws(ReadingError) {
    do { try body(table) } catch {
      failure = error
      throw .readFailed(file: file, reason: "\(error)")
    }
  }
}

/// The parts of a program that take part in the reading of an input.
package struct PointReceivers {
  /// Receives the points if they are too many for memory; nil to keep all points in memory.
  let batches: PointBatches?
  let check: ColumnCheck?

  package init(batches: PointBatches? = nil, check: ColumnCheck? = nil) {
    (self.batches, self.check) = (batches, check)
  }

  /// The error with which one of the receivers ended the reading; nil if no receiver ended it.
  package var failure: (any Error)? { check?.failure ?? batches?.failure }
}

/// Some points of an input, in its order.
package struct PointBatch {
  /// The points and their columns, if these were kept.
  package let table: PointTable

  package var coordinates: [Coordinate] { table.coordinates }

  /// Numbers of the rows without a valid position, ascending. The points have the remaining row numbers in order. A row
  /// number remains if it is skipped neither in this batch nor in an earlier batch.
  package var skippedRows: [Int] { table.skippedRows }

  package var isPlanar: Bool { table.isPlanar }

  /// Number of rows, including those without a valid position.
  package var rowCount: Int { coordinates.count + skippedRows.count }

  /// Returns the row of a point in the input, counted from 0.
  ///
  /// - Parameter firstRow: Number of rows in the batches before this one.
  package func row(ofPoint index: Int, from firstRow: Int) -> Int {
    // Skips rows as `PointTable.row(ofPoint:)` does.
    firstRow + index + firstIndex(in: 0..<skippedRows.count) { skippedRows[$0] - firstRow - $0 > index }
  }
}

extension PointReader {
  /// Returns the checksum that `PointBatches` would compute for a file.
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
