import Treeline

/// Joins the merge histories of two parts of the plane.
///
/// Each part was merged without the other part. So some merges near the border are wrong. Wrong merges lead to more
/// wrong merges, farther inside the parts. Clusters are merged in levels, from small distances to large distances. In
/// each level, the clusters around the wrong merges are merged again, now with the clusters of both parts
/// (`MergeRevision`). If the area around the wrong merges was too small, a larger area is merged.
struct BorderMending {
  /// For each level, an upper bound of badge diameters.
  private(set) var greatestDiameters: [UInt16]

  /// The blocks of the two parts that are joined.
  private(set) var blocks: [LeafBlock]

  private let border: MergeBorder
  private let plan: MergePlan
  private let tree: MergeTree
  private let curve: BadgeCurve
  private let anchor: ClusterAnchor
  private let crossesSeam: Bool
  private let monitor: BuildMonitor

  /// For each level, the nodes that lie near the border and exist before the first merge of the level.
  private var nodes: [[UInt32]] = []
  /// For each level, the nodes that lie near the border and were made by a merge of this level. Every merge comes after
  /// the merges below it.
  private var merges: [[UInt32]] = []
  /// For each level, a distance in units. Nodes and merges are collected only if they are at most this far from the
  /// border. This distance is `marginInReaches` times the reach of the level. The reach of a level is the greatest
  /// distance at which the level merges clusters.
  private var margins: [Int] = []
  /// At first, an area extends five squares from the border (see `MergeArea`). A square is at most two reaches wide.
  private var marginInReaches = 10.0

  /// - Parameter greatestDiameters: For each level, an upper bound of badge diameters in the two parts.
  init(
    _ border: MergeBorder, of blocks: [LeafBlock], _ plan: MergePlan, _ tree: MergeTree, _ curve: BadgeCurve,
    _ anchor: ClusterAnchor, crossesSeam: Bool, _ greatestDiameters: [UInt16], _ monitor: BuildMonitor
  ) {
    (self.border, self.blocks, self.plan, self.tree, self.curve) = (border, blocks, plan, tree, curve)
    (self.anchor, self.crossesSeam, self.greatestDiameters) = (anchor, crossesSeam, greatestDiameters)
    self.monitor = monitor
  }

  /// Corrects the merges along the border, unless more than `mostClusters` clusters must be merged again.
  ///
  /// - Returns: the amount of work that the mending took.
  mutating func run(mostClusters: Int) -> MergeRevision.Counts {
    var revision = MergeRevision(
      tree, curve, anchor, crossesSeam: crossesSeam, border: border, mostClusters: mostClusters, monitor)
    collect()
    for level in plan.levels.indices where !monitor.isCancelled && !revision.gaveUp { mend(level, by: &revision) }
    if !monitor.isCancelled && !revision.gaveUp {
      revision.apply()
      for merge in revision.added {
        let leaf = Int(merge.cluster.node) - tree.leafCount
        let block = firstIndex(in: blocks.indices) { leaf < blocks[$0].leaves.upperBound }
        blocks[block].box.formUnion(merge.cluster.position)
      }
    }
    return revision.counts
  }

  /// Collects the nodes and merges near the border.
  private mutating func collect() {
    let levelCount = plan.levels.count
    margins = plan.levels.indices.map { level in
      Int(min(marginInReaches * curve.reach(plan.levels[level].upperBound, greatestDiameters[level]), 0x1p33))
    }
    // For each band, its level and the margin of that level. A node is not collected if its distance from
    // the border is greater than the margin of its `endBand`.
    let levels = (UInt8.min...UInt8.max).map { plan.level($0) }
    let marginsAtEnd = levels.map { margins[min($0, levelCount - 1)] }
    nodes = Array(repeating: [], count: levelCount)
    var merges = [[CodedNumber]](repeating: [], count: levelCount)
    let greatestMargin = margins.max() ?? 0
    for block in blocks where border.distance(block.box) <= greatestMargin && !monitor.isCancelled {
      for leaf in block.leaves {
        // Visits the leaf, and then the merge whose number is `leafCount` plus the number of the leaf (see
        // `MergeTree`).
        for kind in 0..<2 {
          let (node, isLeaf) = (UInt32(leaf &+ kind &* tree.leafCount), kind == 0)
          let place = tree.place(node)
          let (distance, end) = (border.distance(place.position), Int(place.endBand))
          if distance > marginsAtEnd[end] || place.band == MergeTree.never { continue }
          var level = 0
          if !isLeaf {
            level = levels[Int(place.band)]
            if distance <= margins[level] {
              merges[level].append(CodedNumber(code: UInt64(tree[node].height), number: node))
            }
            level += 1
          }
          let last = min(levels[end], levelCount - 1)
          while level <= last {
            if distance <= margins[level] { nodes[level].append(node) }
            level += 1
          }
        }
      }
      monitor.noteWork(onPoints: block.leaves.count)
    }
    for level in merges.indices { merges[level].withUnsafeMutableBufferPointer { $0.sortByCode(monitor) } }
    self.merges = merges.map { $0.map(\.number) }
  }

  private mutating func mend(_ level: Int, by revision: inout MergeRevision) {
    let greatest = revision.revise(plan.levels[level], greatestDiameter: greatestDiameters[level]) { area in
      while margins[level] < min(area.farthest, 1 << 32) {
        marginInReaches *= 2
        collect()
      }
      var near: [UInt32] = []
      for block in nodes[level].indices.blocks(of: 256) {
        near += nodes[level][block].filter { area.contains(tree.place($0).position) }
        monitor.noteWork(onScattered: block.count)
      }
      return (near, merges[level])
    }
    for later in level..<plan.levels.count { greatestDiameters[later] = max(greatestDiameters[later], greatest) }
  }
}

/// Some leaves that follow each other in Z-order.
struct LeafBlock {
  let leaves: Range<Int>
  /// Box around the leaves, and around all merges whose number is `leafCount` plus the number of one of these leaves
  /// (see `MergeTree`). The box may be too large, because merges may have been removed.
  var box: PlaneRect

  /// Divides leaves into blocks.
  static func blocks(of leaves: Range<Int>, _ tree: MergeTree) -> [LeafBlock] {
    leaves.blocks(of: 1 << 8).map { block in
      var box = PlaneRect(tree.leaves.position(of: block.lowerBound))
      for leaf in block {
        box.formUnion(tree.leaves.position(of: leaf))
        let place = tree.place(UInt32(leaf + tree.leafCount))
        if place.band != MergeTree.never { box.formUnion(place.position) }
      }
      return LeafBlock(leaves: block, box: box)
    }
  }
}
