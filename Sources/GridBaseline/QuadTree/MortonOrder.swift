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

  static func key(of point: PlanePoint) -> UInt64 { spread(point.x) | spread(point.y) << 1 }

  static func point(of key: UInt64) -> PlanePoint { PlanePoint(x: gather(key), y: gather(key >> 1)) }

  /// The points by key; equal positions by ascending row.
  ///
  /// A radix sort from the lowest byte up, since it is stable: rows enter ascending and stay so inside a position.
  /// Complexity: O(n), whatever the points, coincident ones included.
  static func sorted(_ points: [PlanePoint]) -> [Entry] {
    var entries = points.indices.map { Entry(key: key(of: points[$0]), row: UInt32($0)) }
    var sorted = entries
    for shift in stride(from: UInt64(0), to: 64, by: 8) {
      func digit(of entry: Entry) -> Int { Int(truncatingIfNeeded: entry.key >> shift) & 0xFF }
      // By digit and one more: first how many there are, then where the next one goes.
      var starts = [Int](repeating: 0, count: 257)
      for entry in entries { starts[digit(of: entry) + 1] += 1 }
      // A byte that all keys share orders nothing.
      if starts.contains(entries.count) { continue }
      for value in 1..<256 { starts[value] += starts[value - 1] }
      for entry in entries {
        sorted[starts[digit(of: entry)]] = entry
        starts[digit(of: entry)] += 1
      }
      swap(&entries, &sorted)
    }
    return entries
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
