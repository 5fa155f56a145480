import Treeline

/// A node that is yet to be made: its points, where they lie, and their sums.
struct Segment<Sum: FixedWidthInteger & UnsignedInteger & Sendable>: Sendable {
  var first: Int
  /// Measured from the corner of the box.
  var moments: Moments<Sum>
  var box: PlaneRect
  /// Which node record is to describe it.
  var record: Int
  var level: Int

  var count: Int { Int(moments.count) }
  var corner: PlanePoint { PlanePoint(x: box.minX, y: box.minY) }

  /// Whether all sums over these points fit 64 bits, as then do those of every part, and there are so few points
  /// that the sums of half of them, some milliseconds, need no look at whether the build is cancelled.
  var isNarrow: Bool {
    if moments.count > 16 * BuildMonitor.blockSize { return false }
    let countBits = 64 - moments.count.leadingZeroBitCount
    let extentBits = 32 - max(box.width, box.height).leadingZeroBitCount
    return countBits + 2 * extentBits <= 64
  }

  init(first: Int, moments: Moments<Sum>, box: PlaneRect, record: Int, level: Int) {
    self.first = first
    self.moments = moments
    self.box = box
    self.record = record
    self.level = level
  }

  init<Other>(converting other: Segment<Other>) {
    self.init(
      first: other.first, moments: Moments(converting: other.moments), box: other.box, record: other.record,
      level: other.level)
  }
}
