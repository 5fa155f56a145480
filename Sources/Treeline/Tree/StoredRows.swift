/// Row numbers in tree order, of 4 bytes, or of 8 where one of them needs more; somebody else keeps them alive.
package struct StoredRows: @unchecked Sendable {
  private let narrow: UnsafePointer<UInt32>?
  private let wide: UnsafePointer<UInt64>?

  /// The greatest row number, up to which programs that take numbers for doubles keep them apart: 2^53.
  package static let greatest = 1 << 53

  package init(_ rows: UnsafePointer<UInt32>) { (narrow, wide) = (rows, nil) }

  package init(_ rows: UnsafePointer<UInt64>) { (narrow, wide) = (nil, rows) }

  /// Whether they have 8 bytes.
  package var areWide: Bool { wide != nil }

  /// A number as it is written, whatever is allowed.
  package func rawValue(at index: Int) -> UInt64 { narrow.map { UInt64($0[index]) } ?? wide![index] }

  @inline(__always) package subscript(index: Int) -> Int {
    if let narrow { return Int(narrow[index]) }
    // A damaged number is read as one that there may be.
    return min(Int(truncatingIfNeeded: wide![index] & (1 << 62 - 1)), Self.greatest)
  }
}
