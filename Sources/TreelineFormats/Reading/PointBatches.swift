import Treeline

/// Passes data of an input to a closure while the input is read.
package class InputReceiver<Value> {
  private let body: (Value) throws -> Void
  /// The error that the closure threw.
  fileprivate(set) var failure: (any Error)?

  package init(_ body: @escaping (Value) throws -> Void) { self.body = body }

  /// Passes a value to the closure.
  ///
  /// - Throws: An error that ends the reading, if the closure throws. The closure's own error is then in `failure`.
  func take(_ value: Value, of file: String) throws(ReadingError) {
    do { try body(value) } catch {
      failure = error
      throw .readFailed(file: file, reason: "\(error)")
    }
  }
}

/// Passes the points of an input to a closure in batches. The table that the reader returns has no points. If the
/// Features of GeoJSON fit into memory, the first batch has all of them.
package final class PointBatches: InputReceiver<PointBatch> {
  /// Maximum size of the points and skipped rows of the first batch, in bytes.
  let firstMemory: Int
  /// Memory for a point or a skipped row, in bytes. If columns are kept, a point takes additional memory for its
  /// record. This additional memory is not included.
  let bytesPerPoint: Int
  /// Checksum of all input bytes read so far. The bytes may be compressed.
  package private(set) var checksum = XXHash64()

  /// Number of input bytes read so far. The bytes may be compressed.
  private(set) var byteCount = 0

  /// Maximum size of each later batch, in bytes. The first batch may use up the available memory, so later batches are
  /// smaller.
  var laterMemory: Int { max(bytesPerPoint << 12, min(firstMemory / 4, bytesPerPoint << 18)) }

  package init(memory: Int, bytesPerPoint: Int, _ body: @escaping (PointBatch) throws -> Void) {
    (firstMemory, self.bytesPerPoint) = (max(memory, bytesPerPoint), bytesPerPoint)
    super.init(body)
  }

  func note(_ bytes: UnsafeRawBufferPointer) {
    checksum.update(bytes)
    byteCount += bytes.count
  }
}

/// Checks the columns of an input before its rows are read, because reading the rows may take minutes.
///
/// The closure gets a table that has columns but no points. It throws to refuse the columns. The columns of GeoJSON
/// are not checked, because each Feature may have different columns.
package typealias ColumnCheck = InputReceiver<PointTable>

/// Objects that receive data of an input while the input is read.
package struct PointReceivers {
  /// Receives the points; nil to return all points in a table.
  let batches: PointBatches?
  let check: ColumnCheck?

  package init(batches: PointBatches? = nil, check: ColumnCheck? = nil) {
    (self.batches, self.check) = (batches, check)
  }

  /// Error that the check or the receiver of the batches threw to end the reading; nil if neither threw an error.
  package var failure: (any Error)? { check?.failure ?? batches?.failure }
}

/// Some points of an input, in the order of the input.
package struct PointBatch {
  /// The points, and their columns if columns are kept.
  package let table: PointTable
  /// Whether the batch has all points of the input.
  package let isAll: Bool
  /// Number of input bytes read so far. The bytes may be compressed.
  package let byteCount: Int

  var coordinates: [Coordinate] { table.coordinates }

  /// Input rows without a valid position, ascending. All other rows of the batch are points. The points are in the
  /// order of their rows.
  package var skippedRows: [Int] { table.skippedRows }

  package var isPlanar: Bool { table.isPlanar }
}

extension PointReader {
  /// Returns the checksum of a file. `PointBatches` computes the same checksum while a file is read.
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
