import Treeline

/// Computes the separations of a tree from their definition alone. A separation is the distance at which a node is
/// split while a distance falls from infinity to 0. Treeline 0.2 computed separations of trees that grow by splitting.
/// Indexes of such trees still answer queries with a spacing, so tests need such trees.
///
/// Takes about O(n^2) steps.
public struct SeparationByDefinition {
  /// Code of each node with children, at the tree index of the first point of the node's right child.
  public private(set) var codes: ContiguousArray<UInt16>

  private let tree: ClusterTree
  /// Entries of all nodes. Each node comes before the nodes below it.
  private var ranges: [Range<Int>] = []
  private var positions: [PlanePoint] = []
  /// Children of each entry; nil for leaves.
  private var children: [(left: Int, right: Int)?] = []
  /// Squared distance at which each entry may be split if nothing else is shown; 0 for leaves.
  private var own: [UInt64] = []
  /// For each shown entry with children, the least squared distance from one of its children to another shown entry.
  private var room: [UInt64]
  /// For each shown entry with children, the other entry at this distance.
  private var blocker: [Int]

  public init(_ tree: ClusterTree) throws {
    self.tree = tree
    codes = ContiguousArray(repeating: SeparationCode.zero.rawValue, count: tree.pointCount)
    (room, blocker) = ([], [])
    try tree.withStorage { storage in
      var waiting = [storage.root].compactMap { $0 }.map { (node: $0, parent: nil as Int?) }
      var spreads: [NodeSpread] = []
      while let (node, parent) = waiting.popLast() {
        let entry = ranges.count
        if let parent { children[parent] = children[parent].map { ($0.left, entry) } ?? (entry, entry) }
        ranges.append(node.range)
        positions.append(Self.meanPosition(of: storage.members(of: node)))
        spreads.append(storage.summary(of: node, in: storage.box(of: node)).spread)
        children.append(nil)
        if let (left, right) = try storage.children(of: node) { waiting += [(right, entry), (left, entry)] }
      }
      for entry in ranges.indices {
        own.append(
          children[entry].map { ownSquaredDistance(spreads[entry], squaredDistance($0.left, $0.right)) } ?? 0)
      }
      room = [UInt64](repeating: .max, count: ranges.count)
      blocker = [Int](repeating: -1, count: ranges.count)
      // The points of a group are split as if there were no other points.
      let parts = storage.groups.map { $0.parts.map { Int($0.lowerBound)..<Int($0.upperBound) } }
      for part in parts ?? [0..<storage.pointCount] where !part.isEmpty { split(below: ranges.firstIndex(of: part)!) }
    }
  }

  /// Splits one node after the other, beginning with a root, until no node is left that can be split.
  private mutating func split(below root: Int) {
    var shown = [root]
    var distance = UInt64.max
    while let next = next(of: shown, at: distance) {
      distance = next.squaredDistance
      let entry = shown[next.place]
      let (left, right) = children[entry]!
      codes[ranges[right].lowerBound] = SeparationCode(roundingDown: distance).rawValue
      shown.replaceSubrange(next.place...next.place, with: [left, right])
      for other in shown where children[other] != nil {
        if other == left || other == right || blocker[other] == entry {
          (room[other], blocker[other]) = (.max, -1)
          for another in shown { block(other, by: another) }
        } else {
          block(other, by: left)
          block(other, by: right)
        }
      }
    }
  }

  /// Returns the place of the entry that is split next. This is the entry with the greatest distance. Of several
  /// entries with this distance, it is the first in tree order.
  private func next(of shown: [Int], at distance: UInt64) -> (place: Int, squaredDistance: UInt64)? {
    var next: (place: Int, squaredDistance: UInt64)?
    for (place, entry) in shown.enumerated() {
      let splitsAt = min(distance, own[entry], room[entry])
      if splitsAt > next?.squaredDistance ?? 0 { next = (place, splitsAt) }
    }
    return next
  }

  private mutating func block(_ entry: Int, by other: Int) {
    guard entry != other, let (left, right) = children[entry] else { return }
    let squared = min(squaredDistance(left, other), squaredDistance(right, other))
    if squared < room[entry] { (room[entry], blocker[entry]) = (squared, other) }
  }

  private func squaredDistance(_ a: Int, _ b: Int) -> UInt64 {
    tree.plane.squaredDistance(positions[a], positions[b])
  }

  /// Returns the squared distance at which a node may be split if nothing else is shown. Two conditions must hold. Its
  /// children are at least this distance apart. Its points scatter by at least the distance times the root of a half
  /// (0.7); this is not needed if the children are twice the distance apart.
  private func ownSquaredDistance(_ spread: NodeSpread, _ apart: UInt64) -> UInt64 {
    // The tree stores the mean square as two numbers with a precision of 24 bits.
    let scatter = (Double(spread.xx) + Double(spread.yy)) * 2
    let quarter = UInt64((UInt128(apart) + 3) / 4)
    return min(apart, max(quarter, UInt64(exactly: scatter.rounded(.up)) ?? .max))
  }

  /// Returns the mean of some positions. Each coordinate is rounded to the nearest unit, and halves are rounded up.
  private static func meanPosition(of points: UnsafeBufferPointer<PlanePoint>) -> PlanePoint {
    let count = UInt64(points.count)
    let x = points.reduce(0) { $0 + UInt64($1.x) }
    let y = points.reduce(0) { $0 + UInt64($1.y) }
    return PlanePoint(x: UInt32((2 * x + count) / (2 * count)), y: UInt32((2 * y + count) / (2 * count)))
  }
}

extension Plane {
  /// Returns the squared distance of two points, clamped to 2^64 - 1.
  fileprivate func squaredDistance(_ a: PlanePoint, _ b: PlanePoint) -> UInt64 {
    var width = abs(Int64(a.x) - Int64(b.x))
    if projection == .webMercator { width = min(width, 1 << 32 - width) }
    let height = abs(Int64(a.y) - Int64(b.y))
    return UInt64(clamping: Int128(width) * Int128(width) + Int128(height) * Int128(height))
  }
}

extension ClusterTree {
  /// Returns this tree with separations, as older versions of Treeline computed them. Returns the tree itself if its
  /// clusters were merged by distance or for badges.
  public func withSeparations() throws -> ClusterTree {
    if growth.mergeMetric?.keepsApart == true { return self }
    let found = try SeparationByDefinition(self).codes
    nonisolated(unsafe) let codes = UnsafeMutablePointer<UInt16>.allocate(capacity: max(found.count, 1))
    for (index, code) in found.enumerated() { codes[index] = code }
    return with(UnsafePointer(codes)) { codes.deallocate() }
  }

  /// Returns this tree without separations, without merge scales, and with clusters at the means of their points. In
  /// version 0.2, trees that were merged by distance could be written without separations.
  public func withoutSeparations() -> ClusterTree { with(nil) {} }

  private func with(_ separations: UnsafePointer<UInt16>?, release: @escaping @Sendable () -> Void) -> ClusterTree {
    let storage = withStorage { old in
      TreeStorage(
        points: old.points, rows: old.rows, pointCount: old.pointCount, gaps: old.gaps, nodes: old.nodes,
        nodeCount: old.nodeCount, sums: old.sums, spreads: old.spreads, separations: separations,
        groups: old.groups, columns: old.columns, description: old.description,
        mergeTraits: old.mergeTraits.subtracting(.anchorsAtMembers),
        release: {
          release()
          withExtendedLifetime(old) {}
        })
    }
    return ClusterTree(storage: storage, plane: plane, clippedPointCount: clippedPointCount, growth: growth)
  }
}
