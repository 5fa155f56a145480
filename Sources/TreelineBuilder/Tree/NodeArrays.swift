import Treeline

/// The node records of a subtree, the first of them its root's, in the order in which they are stored.
struct NodeArrays: Sendable {
  var records: ContiguousArray<NodeRecord> = []
  var sums: ContiguousArray<NodeSums> = []
  var spreads: ContiguousArray<NodeSpread> = []

  /// The nodes of no points at all.
  init() {}

  /// - Parameter pointCount: how many points the subtree has, to make room for.
  init(pointCount: Int) {
    // A bucket holds 8 points or more on average.
    records.reserveCapacity(pointCount / 4 + 1)
    sums.reserveCapacity(pointCount / 8 + 1)
    spreads.reserveCapacity(pointCount / 8 + 1)
    records.append(Self.unwritten)
  }

  static let unwritten = NodeRecord(
    box: PlaneRect(minX: 0, minY: 0, maxX: 0, maxY: 0), count: 0, childOffset: 0)

  /// Makes room for the children of a node and describes it.
  ///
  /// - Returns: where the left child's record is; the right child's follows it.
  mutating func addChildren<Sum>(of segment: Segment<Sum>, in box: PlaneRect, spread: NodeSpread) -> Int {
    let left = records.count
    records[segment.record] = NodeRecord(
      box: box, count: UInt32(segment.moments.count), childOffset: UInt32(left - segment.record))
    records.append(Self.unwritten)
    records.append(Self.unwritten)
    sums.append(segment.sums(in: box))
    spreads.append(spread)
    return left
  }
}

extension Segment {
  /// The sums of coordinates from the corner of a box.
  func sums(in box: PlaneRect) -> NodeSums {
    let moved = moments.moved(right: box.minX - corner.x, down: box.minY - corner.y)
    return NodeSums(x: moved.x, y: moved.y)
  }
}
