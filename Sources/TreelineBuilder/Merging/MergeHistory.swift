import Treeline

/// The merges of a tree that grew by distance or for badges. Points can be added and removed.
///
/// At any scale, a change affects only nearby merges: those within a few times the greatest distance at which clusters
/// are merged at this scale. So only the clusters near the change are merged again, scale by scale (`MergeRevision`).
/// The resulting tree equals, node for node, the tree that a build of all points would grow.
///
/// ```swift
/// let history = MergeHistory(tree)!
/// history.update(adding: [.init(row: 17, position: there)], removing: [.init(row: 3, position: here)])
/// let updated = history.tree()
/// ```
///
/// Rows are numbered from 0 without gaps, so adding or removing points changes the rows of other points. When the new
/// tree is laid out, unchanged subtrees are copied from the tree that was laid out last (`UnchangedSubtrees`).
package final class MergeHistory {
  /// A point and its row. Points at one position are ordered by their rows.
  package struct Point {
    var row: UInt32
    var position: PlanePoint

    package init(row: UInt32, position: PlanePoint) { (self.row, self.position) = (row, position) }
  }

  /// Total amount of work in all updates.
  package private(set) var counts = MergeRevision.Counts()
  private(set) var pointCount: Int

  private var tree: MergeTree
  /// Root of the tree; nil if there are no points.
  private var root: UInt32?
  /// Greatest leaf number in use, plus 1. Smaller numbers may be free.
  private var usedLeafCount = 0
  private var freeLeaves: [UInt32] = []
  private var usedRowCount = 0
  private var rowCapacity: Int
  /// For each level, an upper bound of the diameters of all badges in the bands of this level. A level is a range of
  /// bands (see `levels`).
  private var greatestDiameters: [UInt16]

  /// The tree from which `tree()` copies unchanged subtrees; nil if there is no such tree.
  private var laidOut: ClusterTree?
  private var places: [UInt32: UnchangedSubtrees.Place] = [:]
  private var moments: [UInt32: Moments<UInt128>] = [:]
  /// Changes of row numbers since the last tree was laid out, in the order in which they happened.
  private var shifts: [RowShift] = []

  let plane: Plane
  /// Number of points beyond Web Mercator's latitudes. `tree()` stores this number in its result.
  var clippedPointCount: Int
  private let metric: MergeMetric
  private let curve: BadgeCurve
  private let anchor: ClusterAnchor
  private let crossesSeam: Bool
  private let monitor: BuildMonitor

  /// Reads the history of a tree.
  ///
  /// A tree without points does not store its `ClusterAnchor`. For such a tree, the history uses `ClusterAnchor.mean`.
  ///
  /// - Returns: nil if the tree does not contain its history. This is the case for a tree that grew by splitting or by
  ///   scatter, a tree with groups, a tree without merge scales, and a tree whose merge scales are rounded. The result
  ///   is also nil if the scales that the tree stores differ from the scales that are computed from its points.
  /// - Complexity: O(pointCount), about 150 bytes of memory per point.
  package init?(_ source: ClusterTree) {
    guard let metric = source.growth.mergeMetric, metric.keepsApart, source.groups.isEmpty,
      source.withStorage({ $0.separations != nil && !$0.mergeTraits.contains(.coarseScales) })
    else { return nil }
    (plane, clippedPointCount, self.metric) = (source.plane, source.clippedPointCount, metric)
    let curve = source.badgeCurve ?? .distances
    (self.curve, anchor) = (curve, source.anchor)
    crossesSeam = plane.projection.isCyclic
    pointCount = source.pointCount
    monitor = BuildMonitor(pointCount: pointCount)
    greatestDiameters = Self.levels.map { _ in curve.units(of: 1) }
    let capacity = Self.capacity(for: pointCount)
    rowCapacity = capacity
    tree = Self.emptyTree(capacity, rowCapacity: capacity, crossesSeam: crossesSeam, monitor)
    guard (try? source.withStorage({ try read($0) })) ?? false else { return nil }
    remember(source)
  }

  deinit {
    tree.deallocateContents()
    tree.deallocate()
    tree.leaves.deallocate()
  }

  private static func capacity(for count: Int) -> Int { count + count / 4 + 64 }

  private static func emptyTree(_ capacity: Int, rowCapacity: Int, crossesSeam: Bool, _ monitor: BuildMonitor)
    -> MergeTree
  {
    MergeTree(
      Leaves(capacity: capacity, rowCapacity: rowCapacity), hasExtents: true, crossesSeam: crossesSeam, threads: 1,
      monitor)
  }

  /// Levels: ranges of bands that are revised together. From one level to the next, the distance at which clusters
  /// are merged grows by a factor of the square root of two.
  private static let levels = stride(from: 0, through: Int(DistanceBands.last), by: bandsInLevel).map {
    UInt8($0)...UInt8(min($0 + bandsInLevel - 1, Int(DistanceBands.last)))
  }
  private static let bandsInLevel = 4
}

// MARK: - Reading a tree

extension MergeHistory {
  /// Adds all merges of a stored tree.
  ///
  /// - Returns: whether the merges have the scales that the tree stores.
  private func read(_ storage: TreeStorage) throws(IndexError) -> Bool {
    guard let first = storage.root else { return true }
    var (stack, done) = ([(node: first, hasParts: false)], [(cluster: MergeCluster, band: UInt8)]())
    while let (node, hasParts) = stack.popLast() {
      if hasParts {
        let (b, a) = (done.removeLast(), done.removeLast())
        let scaledDistance = BadgeCurve.scaled(
          a.cluster.squaredDistance(to: b.cluster, crossesSeam: crossesSeam),
          width: curve.width(curve.units(of: a.cluster.sums.count), curve.units(of: b.cluster.sums.count)))
        // The distance of this merge may be smaller than the distance of a merge below it. In that case, the band of
        // this merge is the latest band of the merges below it.
        let merge = a.cluster.merged(
          with: b.cluster, at: scaledDistance, band: max(DistanceBands.band(of: scaledDistance), a.band, b.band),
          anchor, crossesSeam: crossesSeam, leafCount: tree.leafCount)
        let right = Int(node.first + a.cluster.sums.count)
        guard storage.separations![right] == merge.cluster.scale.rawValue,
          tree.leaves.precedes(a.cluster.leastMember, b.cluster.leastMember)
        else { return false }
        tree.add(merge)
        noteDiameter(of: merge.left)
        noteDiameter(of: merge.right)
        done.append((merge.cluster, merge.band))
      } else if let (left, right) = try storage.children(of: node) {
        stack += [(node, true), (right, false), (left, false)]
      } else {
        let rows = node.range.map { UInt32(truncatingIfNeeded: storage.rows[$0]) }
        done.append((tree.cluster(addLeaf(at: storage.points[Int(node.first)], rows)), 0))
      }
    }
    root = done[0].cluster.node
    noteDiameter(of: done[0].cluster.node)
    return storage.nodeCount == Int(tree.recordCount(below: root!)) + 1
  }

  /// Raises values of `greatestDiameters` to at least the diameter of a node's badge. Raises the values of all levels
  /// in which the node exists. The first of these levels contains the band in which the node is formed, and the last
  /// contains the band in which the node is merged with another node.
  private func noteDiameter(of node: UInt32) {
    let (place, diameter) = (tree.place(node), curve.units(of: tree.count(of: node)))
    let levels = [place.band, min(place.endBand, DistanceBands.last)].map { Int($0) / Self.bandsInLevel }
    for level in levels[0]...levels[1] {
      greatestDiameters[level] = max(greatestDiameters[level], diameter)
    }
  }
}

// MARK: - Leaves

extension MergeHistory {
  /// Adds a leaf.
  ///
  /// - Precondition: There is memory for another leaf.
  private func addLeaf(at position: PlanePoint, _ rows: [UInt32]) -> UInt32 {
    let leaf = freeLeaves.popLast() ?? UInt32(usedLeafCount)
    usedLeafCount = max(usedLeafCount, Int(leaf) + 1)
    tree.leaves.positions[Int(leaf)] = position
    tree.leaves.starts[Int(leaf)] = UInt32(usedRowCount)
    for row in rows {
      tree.leaves.rows[usedRowCount] = row
      usedRowCount += 1
    }
    tree.leaves.ends[Int(leaf)] = UInt32(usedRowCount)
    return leaf
  }

  /// Returns the leaf at a position; nil if no leaf is there.
  private func leaf(at position: PlanePoint) -> UInt32? {
    var stack = [root].compactMap { $0 }
    while let node = stack.popLast() {
      let box = tree.box(node)
      // The subtraction wraps around, because the box may cross the seam.
      guard position.x &- box.minX <= box.width, box.minY...box.maxY ~= position.y else { continue }
      if tree.isLeaf(node) { return node }
      stack += [tree[node].right, tree[node].left]
    }
    return nil
  }

  /// Reserves memory for more leaves and rows.
  private func reserve(leaves: Int, rows: Int) {
    if usedLeafCount - freeLeaves.count + leaves <= tree.leafCount && usedRowCount + rows <= rowCapacity { return }
    forgetLayout()
    let old = tree
    let capacity = Self.capacity(for: usedLeafCount - freeLeaves.count + leaves)
    rowCapacity = Self.capacity(for: pointCount + rows)
    tree = Self.emptyTree(capacity, rowCapacity: rowCapacity, crossesSeam: crossesSeam, monitor)
    (usedLeafCount, freeLeaves, usedRowCount) = (0, [], 0)
    greatestDiameters = Self.levels.map { _ in curve.units(of: 1) }
    // `stack` has the nodes of the old tree that must still be copied. `done` has finished copies.
    var (stack, done) = (root.map { [(node: $0, hasParts: false)] } ?? [], [UInt32]())
    while let (node, hasParts) = stack.popLast() {
      if old.isLeaf(node) {
        done.append(addLeaf(at: old.leaves.position(of: Int(node)), old.leaves.rows(of: Int(node))))
      } else if hasParts {
        let (right, left) = (done.removeLast(), done.removeLast())
        var cluster = old.cluster(node)
        cluster.leastMember = tree.leastMember(of: left)
        cluster.node = UInt32(capacity) + tree.leastMember(of: right)
        tree.add(
          Merge(
            left: left, right: right, anchorsRight: old[node].anchorsRight, band: old.place(node).band,
            cluster: cluster))
        noteDiameter(of: left)
        noteDiameter(of: right)
        done.append(cluster.node)
      } else {
        stack += [(node, true), (old[node].right, false), (old[node].left, false)]
      }
    }
    root = done.first
    if let root { noteDiameter(of: root) }
    old.deallocateContents()
    old.deallocate()
    old.leaves.deallocate()
  }
}

// MARK: - Updates

extension MergeHistory {
  /// Adds, removes and moves points, and merges the affected clusters again.
  ///
  /// - Parameters:
  ///   - added: Points to add, with the rows that they have after the update.
  ///   - removed: Points to remove, with the rows that they have before the update.
  ///   - moved: Points to move, with the rows that they have before the update. The order of points stays the same.
  /// - Precondition: `contains` returns true for all points that are removed or moved. No row occurs twice in `added`.
  ///   No row occurs twice in `removed` and `moved` together. Each added row is less than the number of points after
  ///   the update.
  /// - Complexity: A few milliseconds for each position that changes, whatever the number of points in the tree. If
  ///   row numbers change, less than a nanosecond more for each point in the tree. Changes can take longer at a
  ///   position with very many points, because the rows of all points at a changed position are copied. Changes can
  ///   also take longer if the points form a lattice, because an update may change merges everywhere if all distances
  ///   are equal.
  package func update(
    adding added: [Point] = [], removing removed: [Point] = [], moving moved: [(point: Point, target: PlanePoint)] = []
  ) {
    let moved = moved.filter { $0.point.position != $0.target }
    change(
      adding: moved.map { Point(row: $0.point.row, position: $0.target) }, removing: removed + moved.map(\.point))
    if !removed.isEmpty {
      shift(RowShift(removing: removed.map(\.row).sorted(), pointCount: pointCount + removed.count))
    }
    if added.isEmpty { return }
    shift(RowShift(inserting: added.map(\.row).sorted(), pointCount: pointCount))
    change(adding: added, removing: [])
  }

  private func shift(_ shift: RowShift) {
    shift.apply(to: UnsafeMutableBufferPointer(start: tree.leaves.rows, count: usedRowCount))
    shifts.append(shift)
  }

  private func change(adding added: [Point], removing removed: [Point]) {
    var changes: [PlanePoint: (added: [UInt32], removed: Set<UInt32>)] = [:]
    for point in added { changes[point.position, default: ([], [])].added.append(point.row) }
    for point in removed { changes[point.position, default: ([], [])].removed.insert(point.row) }
    // An area around very many positions would be slow to search, so at most 64 positions are updated at a time.
    let positions = Array(changes)
    for block in positions.indices.blocks(of: 64) { update(positions[block].map { ($0.key, $0.value) }) }
  }

  /// Returns whether the history has a point with this position and this row.
  func contains(_ point: Point) -> Bool {
    leaf(at: point.position).map { tree.leaves.rows(of: Int($0)).contains(point.row) } ?? false
  }

  /// Calls `body` with the position of each leaf whose x coordinate lies in a range. The range may extend across the
  /// seam.
  ///
  /// - Complexity: O(number of nodes whose boxes meet the range)
  func forEachPosition(from west: UInt32, width: UInt32, _ body: (PlanePoint) -> Void) {
    var stack = [root].compactMap { $0 }
    while let node = stack.popLast() {
      let box = tree.box(node)
      guard west &- box.minX <= box.width || box.minX &- west <= width else { continue }
      if tree.isLeaf(node) {
        body(tree.leaves.position(of: Int(node)))
      } else {
        stack += [tree[node].right, tree[node].left]
      }
    }
  }

  private func update(_ changes: [(position: PlanePoint, rows: (added: [UInt32], removed: Set<UInt32>))]) {
    var rowsAt: [[UInt32]] = []
    for (position, change) in changes {
      let old = leaf(at: position).map { tree.leaves.rows(of: Int($0)) } ?? []
      let kept = old.filter { !change.removed.contains($0) }
      precondition(old.count - kept.count == change.removed.count, "Expected rows \(change.removed) at \(position)")
      rowsAt.append((kept + change.added).sorted())
      pointCount += rowsAt.last!.count - old.count
    }
    reserve(leaves: changes.count, rows: rowsAt.reduce(0) { $0 + $1.count })
    var (gone, here) = (Set<UInt32>(), [UInt32: MergeCluster]())
    for ((position, _), rows) in zip(changes, rowsAt) {
      if let leaf = leaf(at: position) { gone.insert(leaf) }
      if rows.isEmpty { continue }
      let leaf = addLeaf(at: position, rows)
      here[leaf] = tree.cluster(leaf)
    }
    revise(gone, here)
    freeLeaves += gone
  }

  private func revise(_ gone: Set<UInt32>, _ here: [UInt32: MergeCluster]) {
    var revision = MergeRevision(
      tree, curve, anchor, crossesSeam: crossesSeam, gone: gone, here: here, monitor)
    for (level, bands) in Self.levels.enumerated() {
      greatestDiameters[level] = revision.revise(bands, greatestDiameter: greatestDiameters[level]) {
        candidates(in: $0, bands)
      }
    }
    divide(removing: Set(revision.removed))
    revision.apply()
    counts += revision.counts
    // `here` contains the new nodes that have not been merged yet. All merges above a changed leaf are new. So after
    // the last level, `here` contains only the new root.
    root = revision.here.first?.key
  }

  /// Returns two lists: all nodes that exist in an area when the given bands of merging begin, and all merges of
  /// these bands that may affect the area. In the second list, every merge comes after the merges below it.
  private func candidates(in area: MergeArea, _ bands: ClosedRange<UInt8>) -> (nodes: [UInt32], merges: [UInt32]) {
    var (nodes, merges) = ([UInt32](), [UInt32]())
    var stack = root.map { [(node: $0, hasParts: false)] } ?? []
    while let (node, hasParts) = stack.popLast() {
      if hasParts {
        merges.append(node)
        continue
      }
      let place = tree.place(node)
      if tree.isLeaf(node) || place.band < bands.lowerBound {
        if area.contains(place.position) { nodes.append(node) }
      } else if area.meets(tree.box(node)) {
        if place.band <= bands.upperBound { stack.append((node, true)) }
        stack.append((tree[node].right, false))
        stack.append((tree[node].left, false))
      }
    }
    return (nodes, merges)
  }
}

// MARK: - The result

extension MergeHistory {
  /// Returns the tree of all points.
  ///
  /// - Complexity: O(`pointCount`), with a small constant, because unchanged parts are copied from the tree that was
  ///   laid out last.
  package func tree(threads: Int = 1) -> ClusterTree {
    let memory = BuildMemory(pointCount: pointCount, monitor)
    let badgeCurve = metric == .badges ? curve : nil
    let storage: TreeStorage
    do throws(BuildFailure) {
      if let root {
        let (merged, packedGaps) = layOut(root, to: memory, threads: threads)
        storage = try memory.finish(merged, badgeCurve, threads: threads, monitor, packedGaps: packedGaps)
      } else {
        storage = try memory.finishEmpty(.merging(by: metric), badgeCurve, monitor)
      }
    } catch { preconditionFailure("Expected a finished build, found a cancelled build") }
    let tree = ClusterTree(
      storage: storage, plane: plane, clippedPointCount: clippedPointCount, growth: .merging(by: metric))
    if storage.mergeTraits.contains(.coarseScales) { forgetLayout() } else { remember(tree) }
    return tree
  }

  private func layOut(_ root: UInt32, to memory: BuildMemory, threads: Int) -> (
    MergeBuild.Result, packedGaps: UnsafeMutablePointer<UInt8>?
  ) {
    let box = tree.box(root)
    let mayCrossSeam = crossesSeam && (box.isAcrossSeam || box.width >= Longitudes.halfWorld)
    guard let laidOut, tree.height(root) <= MergeTree.maximumDepth else {
      let build = MergeBuild(
        arrays: memory.arrays, pointCount: pointCount, projection: plane.projection, metric: metric, anchor: anchor,
        badgeCurve: curve, threads: threads, maximumDepth: MergeTree.maximumDepth, leavesInPart: nil, monitor: monitor)
      return (build.layOut(tree, root: root, crossesSeam: mayCrossSeam)!, nil)
    }
    return laidOut.withStorage { storage in
      let layout = MergedLayout(
        tree, root: root, anchorsAtMembers: anchor == .member, memory.arrays, pointCount: pointCount,
        crossesSeam: mayCrossSeam, threads: threads, monitor)
      var unchanged = UnchangedSubtrees(storage: storage, places: places, shifts: shifts, moments: moments)
      moments = [:]
      let packedGaps = layout.run(copying: &unchanged)
      moments = unchanged.moments
      layout.deallocate()
      var traits: MergeTraits = mayCrossSeam && isAnyAcrossSeam(below: root) ? [.acrossSeam] : []
      if anchor == .member { traits.insert(.anchorsAtMembers) }
      let merged = MergeBuild.Result(
        nodes: layout.nodes, separations: layout.separations, anchors: layout.packedAnchors(), traits: traits)
      return (merged, packedGaps)
    }
  }

  /// Whether the box of a node, or of any node below it, crosses the seam.
  private func isAnyAcrossSeam(below node: UInt32) -> Bool {
    var stack = [node]
    while let node = stack.popLast() {
      let box = tree.box(node)
      if box.isAcrossSeam { return true }
      // This node does not cross the seam. If any node below it crosses the seam, this node is as wide as the world.
      // So if this node is narrower, no node below it is searched.
      if box.width == .max && !tree.isLeaf(node) { stack += [tree[node].left, tree[node].right] }
    }
    return false
  }

  /// Remembers a tree of the current points. The next call of `tree()` can copy unchanged subtrees from it.
  private func remember(_ tree: ClusterTree) {
    (laidOut, places, shifts) = (tree, [:], [])
    if let root, UnchangedSubtrees.isCopied(root, in: self.tree) { places[root] = .root }
  }

  private func forgetLayout() { (laidOut, places, moments, shifts) = (nil, [:], [:], []) }

  /// Updates the dictionary `places` before merges are removed. The dictionary contains the subtrees that have not
  /// changed since a tree was last laid out, with their places in that tree. The next call of `tree()` copies these
  /// subtrees. If a subtree contains a merge that will be removed, the subtree is replaced by its largest subtrees
  /// without such merges. If a merge is removed, all merges above it are also removed.
  private func divide(removing removed: Set<UInt32>) {
    var stack = removed.compactMap { node in places[node].map { (node: node, place: $0) } }
    while let (node, place) = stack.popLast() {
      places[node] = nil
      let parts = tree.places(below: node, at: place)
      for (part, place) in [(tree[node].left, parts.left), (tree[node].right, parts.right)]
      where UnchangedSubtrees.isCopied(part, in: tree) {
        if removed.contains(part) { stack.append((part, place)) } else { places[part] = place }
      }
    }
    for node in removed { moments[node] = nil }
  }
}
