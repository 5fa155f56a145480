import Treeline

/// Builds a tree for each group on one common plane, and stores the trees one after the other. Additional nodes above
/// the trees join all trees into one hierarchy. Each child of an additional node contains half of the node's trees.
///
/// A group's tree equals a tree that is built only from the group's points on this plane. Only the levels of nodes
/// differ, because levels are counted from the topmost node above all trees.
struct GroupedBuild {
  let build: TreeBuild
  let groups: PointGroups

  func run() throws(BuildFailure) -> ClusterTree {
    let pointCount = build.coordinates.count
    precondition(groups.numbers.count == pointCount, "Expected a group for each of \(pointCount) points")
    let points = MutableArray<PlanePoint>(count: pointCount)
    let projected = try build.project(to: points.start)
    // For each group, the index in `positions` and `rows` at which its points begin. The last entry is the number of
    // all points. `positions` and `rows` are sorted by group, and within a group by row.
    var starts = [0]
    var counts = [Int](repeating: 0, count: groups.names.count + 1)
    for number in groups.numbers { counts[Int(number)] += 1 }
    for count in counts { starts.append(starts.last! + count) }
    let (positions, rows) = (MutableArray<PlanePoint>(count: pointCount), MutableArray<UInt32>(count: pointCount))
    var next = starts
    withExtendedLifetime((points, positions, rows)) {
      for (row, number) in groups.numbers.enumerated() {
        let place = next[Int(number)]
        next[Int(number)] += 1
        positions.start[place] = points.start[row]
        rows.start[place] = UInt32(row)
      }
    }
    if counts.last == 0 { starts.removeLast() }
    var laid = try layOut(positions, rows, starts)
    // Merge scales must be rounded to few steps either in all trees or in no tree.
    if laid.isOnlyPartlyCoarse { laid = try layOut(positions, rows, starts, hasCoarseScales: true) }
    let header = TreeGroups(
      names: groups.names, pointCounts: counts.dropLast().map(UInt32.init), neverClustered: UInt32(counts.last!))
    return build.tree(laid.storage(of: header), on: projected)
  }

  private func layOut(
    _ positions: MutableArray<PlanePoint>, _ rows: MutableArray<UInt32>, _ starts: [Int], hasCoarseScales: Bool = false
  ) throws(BuildFailure) -> LaidOutTrees {
    let monitor = build.monitor
    var laid = LaidOutTrees(pointCount: starts.last!)
    if starts.count == 1 {
      // If the options request separations, even a tree without points answers queries by spacing.
      laid.appendSeparations(try storage(of: positions, 0..<0, level: 0, hasCoarseScales: hasCoarseScales), at: 0)
    }
    // The nodes that are still to be written, each with the index of its record. They are the roots of the trees, and
    // the nodes above these roots.
    var stack = starts.count > 1 ? [(node: PartRange(partCount: starts.count - 1), record: 0)] : []
    if !stack.isEmpty { laid.nodes.records.append(LaidOutTrees.unwritten) }
    while let (node, record) = stack.popLast() {
      let range = starts[node.parts.lowerBound]..<starts[node.parts.upperBound]
      if let halves = node.halves {
        let left = laid.addChildren(
          of: record, UnsafeBufferPointer(start: positions.start + range.lowerBound, count: range.count))
        stack += [(halves.right, left + 1), (halves.left, left)]
      } else {
        let storage = try storage(of: positions, range, level: node.level, hasCoarseScales: hasCoarseScales)
        laid.append(storage, rows: rows.start + range.lowerBound, at: range.lowerBound, record: record)
        monitor.advance(stage, by: range.count)
      }
    }
    if monitor.isCancelled { throw .cancelled }
    return laid
  }

  private var stage: BuildProgress.Stage { build.options.growth.mergeMetric == nil ? .splitting : .merging }

  /// Builds the tree of one group. The levels above the tree's root count towards the depth limit.
  private func storage(
    of positions: MutableArray<PlanePoint>, _ range: Range<Int>, level: Int, hasCoarseScales: Bool
  ) throws(BuildFailure) -> TreeStorage {
    let memory = BuildMemory(pointCount: range.count, build.monitor)
    memory.arrays.points.initialize(from: positions.start + range.lowerBound, count: range.count)
    var part = build
    part.principalLevels -= level
    part.options.maximumMergeDepth = hasCoarseScales ? -1 : part.options.maximumMergeDepth - level
    part.monitor = BuildMonitor(partOf: build.monitor, pointCount: range.count)
    return try part.storage(of: memory)
  }
}

/// Trees that are stored one after the other, and the nodes above the trees.
private struct LaidOutTrees {
  let points: MutableArray<PlanePoint>
  let rows: MutableArray<UInt32>
  let gaps: MutableArray<UInt8>
  var nodes = NodeArrays(pointCount: 0)
  private var separations: MutableArray<UInt16>?
  private var anchors: MutableArray<UInt8>?
  private var traits: MergeTraits = []
  private var badgeCurve: BadgeCurve?
  private var fineCount = 0

  /// Whether the merge scales of some trees are rounded to few steps, but the merge scales of other trees are not.
  var isOnlyPartlyCoarse: Bool { traits.contains(.coarseScales) && fineCount > 0 }

  static let unwritten = NodeRecord(box: PlaneRect(minX: 0, minY: 0, maxX: 0, maxY: 0), count: 0, childOffset: 0)

  init(pointCount: Int) {
    (points, rows) = (MutableArray(count: pointCount), MutableArray(count: pointCount))
    gaps = MutableArray(count: Gap.byteCount(ofPoints: pointCount))
    nodes.records.removeAll()
  }

  /// Writes the data of a node that contains the given points, and adds records for the two children of this node.
  ///
  /// - Returns: the index of the left child's record. The right child's record follows this record.
  mutating func addChildren(of record: Int, _ points: UnsafeBufferPointer<PlanePoint>) -> Int {
    var box = PlaneRect(points[0])
    for point in points { box.formUnion(point) }
    let moments = Moments<UInt128>(points, from: PlanePoint(x: box.minX, y: box.minY))
    nodes.records[record].box = box
    return nodes.addChildren(of: record, moments, Scatter(moments).spread(count: moments.count))
  }

  /// Copies a tree. The points of the copy begin at the index `first`, and its root is stored at the index `record`.
  ///
  /// - Parameter partRows: For each row of the copied tree, the row of the same point in the input.
  mutating func append(_ tree: TreeStorage, rows partRows: UnsafePointer<UInt32>, at first: Int, record: Int) {
    let count = tree.pointCount
    (points.start + first).update(from: tree.points, count: count)
    for index in 0..<count {
      rows.start[first + index] = partRows[tree.rows[index]]
      let gap = tree.gap(after: UInt32(index))
      gaps.start[(first + index) / 2] |= (first + index) % 2 == 0 ? gap : gap << 4
    }
    let left = nodes.records.count
    var root = tree.nodes[0]
    if root.childOffset != 0 { root.childOffset = UInt32(left - record) }
    nodes.records[record] = root
    nodes.records.append(contentsOf: UnsafeBufferPointer(start: tree.nodes + 1, count: tree.nodeCount - 1))
    let pairCount = NodeSums.count(ofNodes: tree.nodeCount)
    nodes.sums.append(contentsOf: UnsafeBufferPointer(start: tree.sums, count: pairCount))
    nodes.spreads.append(contentsOf: UnsafeBufferPointer(start: tree.spreads, count: pairCount))
    appendSeparations(tree, at: first)
  }

  /// Copies the separations, the array `anchors` and the traits of a tree. The tree's first point has the index
  /// `first`, so the separations and `anchors` of the tree begin at this index, too.
  mutating func appendSeparations(_ tree: TreeStorage, at first: Int) {
    let count = tree.pointCount
    if let codes = tree.separations {
      let separations = self.separations ?? MutableArray(count: points.count)
      (separations.start + first).update(from: codes, count: count)
      self.separations = separations
    }
    if let bits = tree.anchors {
      let anchors = self.anchors ?? MutableArray(count: (points.count + 7) / 8)
      for index in 0..<count where TreeStorage.bit(of: bits, at: index) {
        anchors.start[(first + index) / 8] |= 1 << UInt8((first + index) % 8)
      }
      self.anchors = anchors
    }
    if !tree.mergeTraits.contains(.coarseScales) { fineCount += 1 }
    traits.formUnion(tree.mergeTraits)
    badgeCurve = badgeCurve ?? tree.badgeCurve
  }

  func storage(of groups: TreeGroups) -> TreeStorage {
    func copy<Element>(_ elements: ContiguousArray<Element>) -> MutableArray<Element> {
      let copy = MutableArray<Element>(count: elements.count)
      elements.withUnsafeBufferPointer {
        if let from = $0.baseAddress { copy.start.update(from: from, count: $0.count) }
      }
      return copy
    }
    let (records, sums, spreads) = (copy(nodes.records), copy(nodes.sums), copy(nodes.spreads))
    return TreeStorage(
      points: points.start, rows: StoredRows(UnsafePointer(rows.start)), pointCount: points.count, gaps: gaps.start,
      nodes: records.start,
      nodeCount: records.count, sums: sums.start, spreads: spreads.start,
      separations: separations.map { UnsafePointer($0.start) }, badgeCurve: badgeCurve,
      anchors: anchors.map { UnsafePointer($0.start) }, groups: groups, mergeTraits: traits,
      release: { [points, rows, gaps, separations, anchors] in
        withExtendedLifetime((points, rows, gaps, records, sums, spreads, separations, anchors)) {}
      })
  }
}

/// Memory that is filled with zeros, and deallocated together with this object.
private final class MutableArray<Element>: @unchecked Sendable {
  let start: UnsafeMutablePointer<Element>
  let count: Int

  init(count: Int) {
    self.count = count
    start = .allocateZeros(count: max(count, 1))
  }

  deinit { start.freeZeros() }
}
