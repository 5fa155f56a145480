import Treeline

/// Builds a tree for each group on one common plane, and stores the trees one after the other. Additional nodes above
/// the trees join all trees into one hierarchy. Each child of an additional node contains half of the node's trees.
///
/// A group's tree equals a tree that is built only from the group's points on this plane. Only the levels of nodes
/// differ, because levels are counted from the topmost node above all trees.
struct GroupedBuild {
  let build: TreeBuild
  let points: GroupedPoints

  func run() throws(BuildFailure) -> TreeStorage {
    // Merge scales must be rounded to few steps either in all trees or in no tree.
    do {
      let laid = try layOut()
      if !laid.isOnlyPartlyCoarse { return laid.storage(of: points.header) }
    }
    return try layOut(hasCoarseScales: true).storage(of: points.header)
  }

  private func layOut(hasCoarseScales: Bool = false) throws(BuildFailure) -> LaidOutTrees {
    let monitor = build.monitor
    let parts = points.header.parts
    var laid = LaidOutTrees(pointCount: Int(points.header.pointCount), monitor)
    if parts.isEmpty {
      // If the trees have merge scales, even a tree without points has them.
      laid.appendSeparations(try storage(of: 0..<0, level: 0, hasCoarseScales: hasCoarseScales), at: 0)
    }
    // The nodes of this order are the nodes above the trees, and the roots of the trees.
    var order = RecordOrder(parts.isEmpty ? nil : PartRange(partCount: parts.count))
    laid.records.append(repeating: LaidOutTrees.unwritten, count: order.recordCount)
    while let (node, record) = order.popNext() {
      let range = Int(parts[node.parts.lowerBound].lowerBound)..<Int(parts[node.parts.upperBound - 1].upperBound)
      if let halves = node.halves {
        laid.write(record, points.positions.start, range, left: order.placeChildren(halves.left, halves.right))
      } else {
        let storage = try storage(of: range, level: node.level, hasCoarseScales: hasCoarseScales)
        laid.append(
          storage, rows: points.rows.start + range.lowerBound, at: range.lowerBound, record: record,
          next: order.placeSubtree(storage.nodeCount))
        monitor.advance(stage, by: range.count)
      }
    }
    if monitor.isCancelled { throw .cancelled }
    return laid
  }

  private var stage: BuildProgress.Stage { build.options.growth.mergeMetric == nil ? .splitting : .merging }

  /// Builds the tree of one group. The levels above the tree's root count towards the depth limit.
  private func storage(of range: Range<Int>, level: Int, hasCoarseScales: Bool) throws(BuildFailure) -> TreeStorage {
    let memory = BuildMemory(pointCount: range.count, build.monitor)
    build.monitor.pass(over: range) { block in
      (memory.arrays.points + (block.lowerBound - range.lowerBound)).initialize(
        from: points.positions.start + block.lowerBound, count: block.count)
    }
    var part = build
    part.principalLevels -= level
    part.options.maximumMergeDepth = hasCoarseScales ? -1 : part.options.maximumMergeDepth - level
    part.monitor = BuildMonitor(partOf: build.monitor, pointCount: range.count, mapped: build.monitor.mapped)
    return try part.storage(of: memory)
  }
}

/// Positions and rows, sorted by group. Within a group, points are in input order.
final class GroupedPoints {
  let header: TreeGroups
  let positions: BuildArray<PlanePoint>
  let rows: BuildArray<UInt32>
  private let monitor: BuildMonitor
  /// For each part of the header, the index of the next point that is added to it.
  private var next: [Int]
  private var count = 0

  init(_ header: TreeGroups, _ monitor: BuildMonitor) {
    (self.header, self.monitor) = (header, monitor)
    let pointCount = Int(header.pointCount)
    (positions, rows) = (BuildArray(count: pointCount, monitor), BuildArray(count: pointCount, monitor))
    next = header.parts.map { Int($0.lowerBound) }
  }

  /// Adds points, in input order.
  ///
  /// - Parameter parts: For each point, the number of its part in `header.parts`.
  func add(_ points: UnsafeBufferPointer<PlanePoint>, inParts parts: some Sequence<some BinaryInteger>) {
    for (point, part) in zip(points, parts) {
      let place = next[Int(part)]
      next[Int(part)] += 1
      positions.start[place] = point
      rows.start[place] = UInt32(count)
      count += 1
    }
    monitor.noteWork(onPoints: points.count)
  }
}

/// Trees that are stored one after the other, and the nodes above the trees.
private struct LaidOutTrees {
  let points: BuildArray<PlanePoint>
  let rows: BuildArray<UInt32>
  let gaps: BuildArray<UInt8>
  var records: GrowingArray<NodeRecord>
  private var sums: GrowingArray<NodeSums>
  private var spreads: GrowingArray<NodeSpread>
  private let monitor: BuildMonitor
  private var separations: BuildArray<UInt16>?
  private var anchors: BuildArray<UInt8>?
  private var traits: MergeTraits = []
  private var badgeCurve: BadgeCurve?
  private var fineCount = 0

  /// Whether the merge scales of some trees are rounded to few steps, but the merge scales of other trees are not.
  var isOnlyPartlyCoarse: Bool { traits.contains(.coarseScales) && fineCount > 0 }

  static let unwritten = NodeRecord(box: PlaneRect(minX: 0, minY: 0, maxX: 0, maxY: 0), count: 0, childOffset: 0)

  init(pointCount: Int, _ monitor: BuildMonitor) {
    self.monitor = monitor
    (points, rows) = (BuildArray(count: pointCount, monitor), BuildArray(count: pointCount, monitor))
    gaps = BuildArray(repeating: 0, count: Gap.byteCount(ofPoints: pointCount), monitor)
    (records, sums, spreads) = (GrowingArray(monitor), GrowingArray(monitor), GrowingArray(monitor))
  }

  /// Writes the record of a node that contains the points of a range, and makes room for the records of its children.
  ///
  /// - Parameter left: Index of the left child's record.
  mutating func write(_ record: Int, _ points: UnsafePointer<PlanePoint>, _ range: Range<Int>, left: Int) {
    var (box, moments) = (PlaneRect(points[range.lowerBound]), Moments<UInt128>())
    monitor.pass(over: range) { block in for index in block { box.formUnion(points[index]) } }
    monitor.pass(over: range) { block in
      let part = UnsafeBufferPointer(start: points + block.lowerBound, count: block.count)
      moments = moments + Moments(part, from: PlanePoint(x: box.minX, y: box.minY))
    }
    records.start[record] = NodeRecord(box: box, count: UInt32(range.count), childOffset: UInt32(left - record))
    records.append(repeating: Self.unwritten, count: 2)
    sums.append(NodeSums(x: moments.x, y: moments.y))
    spreads.append(Scatter(moments).spread(count: UInt64(range.count)))
  }

  /// Copies a tree. The points of the copy begin at the index `first`, and its root is stored at the index `record`.
  ///
  /// - Parameters:
  ///   - partRows: For each row of the copied tree, the row of the same point in the input.
  ///   - next: Index of the first record below the root.
  mutating func append(
    _ tree: TreeStorage, rows partRows: UnsafePointer<UInt32>, at first: Int, record: Int, next: Int
  ) {
    monitor.pass(over: 0..<tree.pointCount) { block in
      (points.start + first + block.lowerBound).update(from: tree.points + block.lowerBound, count: block.count)
      for index in block {
        rows.start[first + index] = partRows[tree.rows[index]]
        let gap = tree.gap(after: UInt32(index))
        gaps.start[(first + index) / 2] |= (first + index) % 2 == 0 ? gap : gap << 4
      }
    }
    records.start[record] = tree.nodes[0].moved(to: record, childrenAt: next)
    records.append(tree.nodes + 1, count: tree.nodeCount - 1)
    let pairCount = NodeSums.count(ofNodes: tree.nodeCount)
    sums.append(tree.sums, count: pairCount)
    spreads.append(tree.spreads, count: pairCount)
    appendSeparations(tree, at: first)
  }

  /// Copies the separations, the array `anchors` and the traits of a tree. The tree's first point has the index
  /// `first`, so the separations and `anchors` of the tree begin at this index, too.
  mutating func appendSeparations(_ tree: TreeStorage, at first: Int) {
    if let codes = tree.separations {
      let separations = self.separations ?? BuildArray(count: points.count, monitor)
      monitor.pass(over: 0..<tree.pointCount) { block in
        (separations.start + first + block.lowerBound).update(from: codes + block.lowerBound, count: block.count)
      }
      self.separations = separations
    }
    if let bits = tree.anchors {
      let anchors = self.anchors ?? BuildArray(repeating: 0, count: (points.count + 7) / 8, monitor)
      monitor.pass(over: 0..<tree.pointCount) { block in
        for index in block where TreeStorage.bit(of: bits, at: index) {
          anchors.start[(first + index) / 8] |= 1 << UInt8((first + index) % 8)
        }
      }
      self.anchors = anchors
    }
    if !tree.mergeTraits.contains(.coarseScales) { fineCount += 1 }
    traits.formUnion(tree.mergeTraits)
    badgeCurve = badgeCurve ?? tree.badgeCurve
  }

  func storage(of groups: TreeGroups) -> TreeStorage {
    TreeStorage(
      points: points.start, rows: StoredRows(UnsafePointer(rows.start)), pointCount: points.count, gaps: gaps.start,
      nodes: records.start, nodeCount: records.count, sums: sums.start, spreads: spreads.start,
      separations: separations.map { UnsafePointer($0.start) }, badgeCurve: badgeCurve,
      anchors: anchors.map { UnsafePointer($0.start) }, groups: groups, mergeTraits: traits,
      release: {
        [points, rows, gaps, separations, anchors, records = records.array, sums = sums.array, spreads = spreads.array]
        in
        withExtendedLifetime((points, rows, gaps, separations, anchors, records, sums, spreads)) {}
      })
  }
}
