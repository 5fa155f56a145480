import Treeline

extension QuadTree {
  /// Cuts squares level by level, then sums totals from the last node back to the root.
  static func nodes(over entries: [MortonOrder.Entry], bucketCapacity: Int) -> [Node] {
    guard !entries.isEmpty else { return [] }
    var nodes = [Node(over: entries, in: 0..<entries.count)]
    var next = 0
    while next < nodes.count {
      let range = nodes[next].range
      let difference = entries[range.lowerBound].key ^ entries[range.upperBound - 1].key
      if range.count > bucketCapacity, difference != 0 {
        nodes[next].firstChild = UInt32(nodes.count)
        // The highest pair of bits in which keys differ is the first level at which two quadrants are occupied.
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
  /// A leaf whose totals are still to be summed, except for the count.
  fileprivate init(over entries: [MortonOrder.Entry], in range: Range<Int>) {
    first = UInt32(range.lowerBound)
    firstChild = 0
    totals = PointTotals(entries[range.lowerBound])
    totals.count = UInt32(range.count)
  }
}

extension PointTotals {
  fileprivate init(_ entry: MortonOrder.Entry) { self.init(MortonOrder.point(of: entry.key), row: entry.row) }
}
