import Treeline

extension QuadTree {
  /// Divides squares into quadrants level by level. Then adds up the totals of the nodes, from the last node back to
  /// the root.
  static func nodes(over entries: [MortonOrder.Entry], bucketCapacity: Int) -> [Node] {
    guard !entries.isEmpty else { return [] }
    var nodes = [Node(over: entries, in: 0..<entries.count)]
    var next = 0
    while next < nodes.count {
      let range = nodes[next].range
      let difference = entries[range.lowerBound].key ^ entries[range.upperBound - 1].key
      if range.count > bucketCapacity, difference != 0 {
        nodes[next].firstChild = UInt32(nodes.count)
        // Finds the highest pair of bits in which the keys differ. The level of this pair is the first level with more
        // than one occupied quadrant.
        let shift = UInt64(63 - difference.leadingZeroBitCount) & ~1
        appendQuadrants(of: range, at: shift, over: entries, to: &nodes)
      }
      next += 1
    }
    for node in nodes.indices.reversed() { nodes[node].totals = totals(of: node, nodes, entries) }
    return nodes
  }

  private static func appendQuadrants(
    of range: Range<Int>, at shift: UInt64, over entries: [MortonOrder.Entry], to nodes: inout [Node]
  ) {
    var start = range.lowerBound
    while start < range.upperBound {
      let quadrant = entries[start].key >> shift
      let end = firstIndex(in: start + 1..<range.upperBound) { entries[$0].key >> shift != quadrant }
      nodes.append(Node(over: entries, in: start..<end))
      start = end
    }
  }

  private static func totals(of node: Int, _ nodes: [Node], _ entries: [MortonOrder.Entry]) -> PointTotals {
    let children = children(of: nodes[node], in: nodes)
    var totals = children.first.map { nodes[$0].totals } ?? PointTotals(entries[nodes[node].range.lowerBound])
    if children.isEmpty {
      for entry in entries[nodes[node].range].dropFirst() { totals.add(PointTotals(entry)) }
    } else {
      for child in children.dropFirst() { totals.add(nodes[child].totals) }
    }
    return totals
  }
}

extension QuadTree.Node {
  /// Makes a leaf. The count of the leaf is set, but its other totals are not added up yet.
  fileprivate init(over entries: [MortonOrder.Entry], in range: Range<Int>) {
    first = UInt32(range.lowerBound)
    firstChild = 0
    totals = PointTotals(entries[range.lowerBound])
    totals.count = UInt32(range.count)
  }
}

extension PointTotals {
  fileprivate init(_ entry: MortonOrder.Entry) { self.init(ZOrder.point(of: entry.key), row: entry.row) }
}

/// The order in which a quadtree visits positions. Positions are ordered by quadrant. Positions in one quadrant are
/// ordered by the quadrants of this quadrant, and so on.
///
/// The key of a position is its Z-order code. Each pair of bits of the key, from the top, identifies one quadrant.
/// Every quadrant at every level is a contiguous range of the sorted keys.
enum MortonOrder {
  struct Entry {
    var key: UInt64
    var row: UInt32
  }

  /// Returns the points in the order of their keys. Points at equal positions are in the order of their rows.
  ///
  /// Uses a stable radix sort, from the lowest byte up. Rows are in ascending order at first, and points at one
  /// position keep this order. Complexity: O(n) for any points, even for coincident points.
  ///
  /// - Parameter rows: The row number of each point, in ascending order; nil if row numbers are the indices of the
  ///   points.
  static func sorted(_ points: [PlanePoint], rows: [UInt32]? = nil) -> [Entry] {
    var entries = points.indices.map { Entry(key: ZOrder.code(of: points[$0]), row: rows?[$0] ?? UInt32($0)) }
    var sorted = entries
    for shift in stride(from: UInt64(0), to: 64, by: 8) {
      func digit(of entry: Entry) -> Int { Int(truncatingIfNeeded: entry.key >> shift) & 0xFF }
      // At first, the element at index `digit + 1` is the count of the digit. Later, the element at index `digit` is
      // the index for the digit's next entry.
      var starts = [Int](repeating: 0, count: 257)
      for entry in entries { starts[digit(of: entry) + 1] += 1 }
      // A byte that is the same in all keys does not change the order.
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
}
