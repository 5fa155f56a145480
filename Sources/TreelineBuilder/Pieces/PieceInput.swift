import Treeline

/// The layout of a point's codes. A point has one code for each column. The code stands for the point's value in this
/// column. A point is stored together with its codes until the piece that contains the point is built. The codes are
/// in the order of the columns.
struct CodeLayout: Sendable {
  /// Width of each column's code, in bytes.
  let widths: [Int]

  /// Length of a point's codes, in bytes.
  let length: Int

  init(_ columns: [ColumnEncoding] = []) {
    widths = columns.map(\.width)
    length = widths.reduce(0, +)
  }

  /// Returns the offset of a column's code.
  func offset(of column: Int) -> Int { widths[..<column].reduce(0, +) }
}

/// Memory into which the points of a piece are read, in any order.
struct PieceInput {
  let points: UnsafeMutableBufferPointer<PlanePoint>
  let rows: UnsafeMutableBufferPointer<UInt64>
  /// The codes of all points, one point after the other. The codes of one point are in the order of the columns.
  let codes: UnsafeMutableRawBufferPointer
}

/// Memory that this object owns. It is deallocated together with the object.
final class PieceMemory: @unchecked Sendable {
  let bytes: UnsafeMutableRawBufferPointer

  init(byteCount: Int) { bytes = .allocate(byteCount: byteCount, alignment: 16) }

  deinit { bytes.deallocate() }
}

/// The rows of the points in a piece, and the codes that stand for the points' values in columns.
struct PieceRows {
  let pointCount: Int
  let layout: CodeLayout
  private let rowMemory: PieceMemory
  private let recordMemory: PieceMemory
  /// The points, sorted by row. An entry is the number of a point, counted in the order in which points were read. The
  /// array is nil if the points were read in the order of their rows.
  private var order: [UInt32]?

  init(pointCount: Int, _ layout: CodeLayout) {
    (self.pointCount, self.layout) = (pointCount, layout)
    rowMemory = PieceMemory(byteCount: 8 * pointCount)
    recordMemory = PieceMemory(byteCount: layout.length * pointCount)
  }

  func input(_ points: UnsafeMutablePointer<PlanePoint>) -> PieceInput {
    PieceInput(
      points: UnsafeMutableBufferPointer(start: points, count: pointCount), rows: rows, codes: recordMemory.bytes)
  }

  private var rows: UnsafeMutableBufferPointer<UInt64> { rowMemory.bytes.bindMemory(to: UInt64.self) }

  /// Sorts points by their rows.
  ///
  /// - Returns: a row number that two points share; nil if all row numbers differ, or if the build is cancelled.
  mutating func sort(
    _ points: UnsafeMutablePointer<PlanePoint>, spare: UnsafeMutablePointer<PlanePoint>, _ monitor: BuildMonitor
  ) -> UInt64? {
    let rows = rows
    if (1..<max(pointCount, 1)).allSatisfy({ rows[$0 - 1] < rows[$0] }) { return nil }
    var order = Array(0..<UInt32(pointCount))
    order.sort(monitor) { rows[Int($0)] < rows[Int($1)] }
    if monitor.isCancelled { return nil }
    for index in 0..<pointCount { spare[index] = points[Int(order[index])] }
    points.update(from: spare, count: pointCount)
    self.order = order
    return zip(order, order.dropFirst()).first { rows[Int($0)] == rows[Int($1)] }.map { rows[Int($0.0)] }
  }

  /// Returns the row numbers in tree order, and the codes of each column. A row number takes 4 bytes, or 8 bytes if any
  /// of the row numbers needs more than 4 bytes.
  ///
  /// - Parameter ranks: For each tree index, the rank of the point in the order of rows.
  func laidOut(by ranks: UnsafePointer<UInt32>, threads: Int, _ monitor: BuildMonitor) -> (
    rows: PieceMemory, codes: [PieceMemory]
  ) {
    let isWide = rows.contains { $0 > UInt32.max }
    let target = PieceMemory(byteCount: (isWide ? 8 : 4) * pointCount)
    let codes = layout.widths.map { PieceMemory(byteCount: $0 * pointCount) }
    nonisolated(unsafe) let (ranks, rows, records) = (ranks, rows, UnsafeRawBufferPointer(recordMemory.bytes))
    _ = inChunks(of: pointCount, threads: threads) { [order, layout] chunk in
      monitor.pass(over: chunk) { block in
        for index in block {
          let place = order.map { Int($0[Int(ranks[index])]) } ?? Int(ranks[index])
          if isWide {
            target.bytes.storeBytes(of: rows[place], toByteOffset: 8 &* index, as: UInt64.self)
          } else {
            target.bytes.storeBytes(of: UInt32(rows[place]), toByteOffset: 4 &* index, as: UInt32.self)
          }
        }
        var offset = 0
        for (column, width) in layout.widths.enumerated() {
          let (source, end) = (records.baseAddress! + offset, codes[column].bytes.baseAddress!)
          func copy<Code: FixedWidthInteger>(as type: Code.Type) {
            for index in block {
              let place = order.map { Int($0[Int(ranks[index])]) } ?? Int(ranks[index])
              let code = (source + place &* layout.length).loadUnaligned(as: Code.self)
              (end + index &* width).storeBytes(of: code, as: Code.self)
            }
          }
          switch width {
          case 1: copy(as: UInt8.self)
          case 2: copy(as: UInt16.self)
          case 4: copy(as: UInt32.self)
          default: copy(as: UInt64.self)
          }
          offset += width
        }
      }
    }
    return (target, codes)
  }
}
