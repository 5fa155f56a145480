/// Finds the widest stretch of longitude without a point, in one pass and little memory.
///
/// The circle is cut into 65,536 bins of 0.0055 degrees; each keeps its outermost positions, so a gap that spans a
/// bin's edge is measured exactly and one inside a bin is not seen. A function of the set of points alone.
struct LongitudeGaps: Sendable {
  private static let binBits: UInt32 = 16

  private var least = ContiguousArray<UInt32>(repeating: .max, count: 1 << binBits)
  private var greatest = ContiguousArray<UInt32>(repeating: 0, count: 1 << binBits)

  @inline(__always) mutating func add(_ x: UInt32) {
    let bin = Int(x >> (32 - Self.binBits))
    least[bin] = min(least[bin], x)
    greatest[bin] = max(greatest[bin], x)
  }

  func merged(with other: LongitudeGaps) -> LongitudeGaps {
    var merged = self
    for bin in merged.least.indices {
      merged.least[bin] = min(least[bin], other.least[bin])
      merged.greatest[bin] = max(greatest[bin], other.greatest[bin])
    }
    return merged
  }

  /// The position behind the widest gap, the first of several equally wide; 0 where there are no points.
  var seam: UInt32 {
    let occupied = least.indices.filter { least[$0] <= greatest[$0] }
    guard let last = occupied.last else { return 0 }
    var end = greatest[last]
    var widest: UInt32 = 0
    var seam = least[occupied[0]]
    for bin in occupied {
      // Modulo 2^32: the first gap reaches back past longitude -180.
      let gap = least[bin] &- end
      if gap > widest {
        widest = gap
        seam = least[bin]
      }
      end = greatest[bin]
    }
    return seam
  }
}
