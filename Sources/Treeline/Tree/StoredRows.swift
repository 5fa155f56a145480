/// Row numbers in tree order. Each number has 4 bytes, or 8 bytes if any row number needs more than 4 bytes. The
/// memory belongs to another object, which must be kept alive while the row numbers are used.
package struct StoredRows: @unchecked Sendable {
  private let narrow: UnsafePointer<UInt32>?
  private let wide: UnsafePointer<UInt64>?

  /// The greatest row number, 2^53. Programs that store numbers as doubles can distinguish all row numbers up to this
  /// number.
  package static let greatest = 1 << 53

  package init(_ rows: UnsafePointer<UInt32>) { (narrow, wide) = (rows, nil) }

  package init(_ rows: UnsafePointer<UInt64>) { (narrow, wide) = (nil, rows) }

  /// Whether row numbers have 8 bytes.
  package var areWide: Bool { wide != nil }

  /// Returns a row number as it is stored, even if it is out of range.
  package func rawValue(at index: Int) -> UInt64 { narrow.map { UInt64($0[index]) } ?? wide![index] }

  @inline(__always) package subscript(index: Int) -> Int {
    if let narrow { return Int(narrow[index]) }
    // A row number in a damaged file is clamped to the allowed range.
    return min(Int(truncatingIfNeeded: wide![index] & (1 << 62 - 1)), Self.greatest)
  }

  /// Copies some row numbers, which must fit 32 bits.
  package func copy(from start: Int, count: Int, to target: UnsafeMutablePointer<UInt32>) {
    if let narrow { return target.initialize(from: narrow + start, count: count) }
    for index in 0..<count { (target + index).initialize(to: UInt32(truncatingIfNeeded: self[start + index])) }
  }
}
