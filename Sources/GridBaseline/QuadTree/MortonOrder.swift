import Treeline

/// Positions in the order in which a quadtree meets them: by quadrant, then by quadrant of the quadrant, and so on.
///
/// The key of a position interleaves the bits of its coordinates, y above x (Morton 1966), so each pair of bits from
/// the top names one quadrant, and every quadrant at every level is a contiguous range of the sorted keys.
enum MortonOrder {
  struct Entry {
    var key: UInt64
    var row: UInt32
  }

  static func key(of point: PlanePoint) -> UInt64 {
    spread(point.x) | spread(point.y) << 1
  }

  static func point(of key: UInt64) -> PlanePoint {
    PlanePoint(x: gather(key), y: gather(key >> 1))
  }

  /// The points by key; equal positions by ascending row.
  ///
  /// A radix sort from the lowest byte up, since it is stable: rows enter ascending and stay so inside a position.
  /// Complexity: O(n), whatever the points, coincident ones included.
  static func sorted(_ points: [PlanePoint]) -> [Entry] {
    var entries = points.indices.map { Entry(key: key(of: points[$0]), row: UInt32($0)) }
    let digitCount = 8
    var starts = [[Int]](repeating: [Int](repeating: 0, count: 256), count: digitCount)
    for entry in entries {
      for digit in 0..<digitCount { starts[digit][byte(digit, of: entry.key)] += 1 }
    }
    var other = entries
    for digit in 0..<digitCount {
      // A byte that all keys share orders nothing.
      if starts[digit].contains(entries.count) { continue }
      var start = 0
      for value in 0..<256 {
        let count = starts[digit][value]
        starts[digit][value] = start
        start += count
      }
      scatter(entries, into: &other, by: digit, from: &starts[digit])
      swap(&entries, &other)
    }
    return entries
  }

  private static func scatter(
    _ entries: [Entry], into target: inout [Entry], by digit: Int, from starts: inout [Int]
  ) {
    for entry in entries {
      let value = byte(digit, of: entry.key)
      target[starts[value]] = entry
      starts[value] += 1
    }
  }

  private static func byte(_ digit: Int, of key: UInt64) -> Int {
    Int(truncatingIfNeeded: key >> UInt64(8 * digit)) & 0xFF
  }

  /// Moves bit i to bit 2i.
  private static func spread(_ value: UInt32) -> UInt64 {
    var bits = UInt64(value)
    bits = (bits | bits << 16) & 0x0000_FFFF_0000_FFFF
    bits = (bits | bits << 8) & 0x00FF_00FF_00FF_00FF
    bits = (bits | bits << 4) & 0x0F0F_0F0F_0F0F_0F0F
    bits = (bits | bits << 2) & 0x3333_3333_3333_3333
    return (bits | bits << 1) & 0x5555_5555_5555_5555
  }

  /// Moves bit 2i to bit i; odd bits are dropped.
  private static func gather(_ key: UInt64) -> UInt32 {
    var bits = key & 0x5555_5555_5555_5555
    bits = (bits | bits >> 1) & 0x3333_3333_3333_3333
    bits = (bits | bits >> 2) & 0x0F0F_0F0F_0F0F_0F0F
    bits = (bits | bits >> 4) & 0x00FF_00FF_00FF_00FF
    bits = (bits | bits >> 8) & 0x0000_FFFF_0000_FFFF
    return UInt32(truncatingIfNeeded: bits | bits >> 16)
  }
}
