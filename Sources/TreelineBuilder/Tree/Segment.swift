import Treeline

/// A node that is yet to be made: its points, where they lie, and their sums.
struct Segment<Sum: FixedWidthInteger & UnsignedInteger & Sendable>: Sendable {
  var first: Int
  var moments: Moments<Sum>
  /// What the moments are measured from.
  var corner: PlanePoint
  /// No point is further than this to the right of the corner or below it.
  var extent: UInt32
  /// Which node record is to describe it.
  var record: Int
  var level: Int

  var count: Int { Int(moments.count) }

  /// Whether all sums over these points fit 64 bits, as then do those of every part.
  @inline(__always)
  var isNarrow: Bool {
    let countBits = 64 - moments.count.leadingZeroBitCount
    let extentBits = 32 - extent.leadingZeroBitCount
    return countBits + 2 * extentBits <= 64
  }

  @inline(__always)
  init(first: Int, moments: Moments<Sum>, corner: PlanePoint, extent: UInt32, record: Int, level: Int) {
    self.first = first
    self.moments = moments
    self.corner = corner
    self.extent = extent
    self.record = record
    self.level = level
  }

  init<Other>(converting other: Segment<Other>) {
    self.init(
      first: other.first, moments: Moments(converting: other.moments), corner: other.corner,
      extent: other.extent,
      record: other.record, level: other.level)
  }
}
