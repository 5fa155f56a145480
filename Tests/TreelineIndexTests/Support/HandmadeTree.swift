import Treeline

/// A tree with arrays that a test gives. They may contain records that no builder would create.
struct HandmadeTree {
  var points: [PlanePoint]
  var gaps: [UInt8]
  var records: [NodeRecord]

  func tree() -> ClusterTree {
    let pairs = (records.count - 1) / 2
    let memory = Memory(
      points, points.indices.map { UInt32($0) }, gaps, records,
      [NodeSums](repeating: NodeSums(x: 0, y: 0), count: pairs),
      [NodeSpread](repeating: NodeSpread(xx: 0, xy: 0, yy: 0), count: pairs))
    return ClusterTree(
      storage: TreeStorage(
        points: memory.points, rows: StoredRows(memory.rows), pointCount: points.count, gaps: memory.gaps,
        nodes: memory.records,
        nodeCount: records.count, sums: memory.sums, spreads: memory.spreads,
        release: { withExtendedLifetime(memory) {} }), plane: .webMercator(), clippedPointCount: 0,
      growth: .splitting(.mean))
  }

  private final class Memory: @unchecked Sendable {
    let points: UnsafePointer<PlanePoint>
    let rows: UnsafePointer<UInt32>
    let gaps: UnsafePointer<UInt8>
    let records: UnsafePointer<NodeRecord>
    let sums: UnsafePointer<NodeSums>
    let spreads: UnsafePointer<NodeSpread>

    init(
      _ points: [PlanePoint], _ rows: [UInt32], _ gaps: [UInt8], _ records: [NodeRecord], _ sums: [NodeSums],
      _ spreads: [NodeSpread]
    ) {
      self.points = Self.copy(points)
      self.rows = Self.copy(rows)
      self.gaps = Self.copy(gaps)
      self.records = Self.copy(records)
      self.sums = Self.copy(sums)
      self.spreads = Self.copy(spreads)
    }

    deinit {
      points.deallocate()
      rows.deallocate()
      gaps.deallocate()
      records.deallocate()
      sums.deallocate()
      spreads.deallocate()
    }

    private static func copy<Element>(_ elements: [Element]) -> UnsafePointer<Element> {
      let memory = UnsafeMutablePointer<Element>.allocate(capacity: elements.count)
      memory.initialize(from: elements, count: elements.count)
      return UnsafePointer(memory)
    }
  }
}

extension HandmadeTree {
  /// A bucket that is a child of two nodes. It is first reached at the third level and then at the second level.
  static let sharedBucket: HandmadeTree = {
    let box = PlaneRect(minX: 0, minY: 0, maxX: 9, maxY: 0)
    func record(_ count: UInt32, _ childOffset: UInt32) -> NodeRecord {
      NodeRecord(box: box, count: count, childOffset: childOffset)
    }
    return HandmadeTree(
      points: (0..<9).map { PlanePoint(x: $0, y: 0) }, gaps: [0, 0, 0, 0, 0],
      records: [record(9, 1), record(5, 2), record(4, 3), record(4, 2), record(1, 0), record(2, 0), record(2, 0)])
  }()

  /// Returns a tree in which each split puts one point on the left and all other points on the right. Every box covers
  /// the plane.
  ///
  /// - Parameter levels: Number of levels of nodes with stored children.
  static func chain(levels: Int) -> HandmadeTree {
    let box = PlaneRect(minX: 0, minY: 0, maxX: .max, maxY: .max)
    let pointCount = levels + 2
    var records = [NodeRecord(box: box, count: UInt32(pointCount), childOffset: 1)]
    for level in 1...levels {
      let rest = UInt32(pointCount - level)
      // The right node has stored children: the next pair of records.
      records.append(NodeRecord(box: box, count: 1, childOffset: 0))
      records.append(NodeRecord(box: box, count: rest, childOffset: level == levels ? 0 : 1))
    }
    return HandmadeTree(
      points: [PlanePoint](repeating: PlanePoint(x: 0, y: 0), count: pointCount),
      gaps: [UInt8](repeating: 0xFF, count: (pointCount + 1) / 2), records: records)
  }
}
