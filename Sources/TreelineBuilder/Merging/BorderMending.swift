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

  private let border: MergeBorder
  private let leaves: Range<Int>
  private let plan: MergePlan
  private let tree: MergeTree
  private let curve: BadgeCurve
  private let anchor: ClusterAnchor
  private let crossesSeam: Bool
  private let threads: Int
  private let monitor: BuildMonitor

  /// For each level, the nodes that lie near the border and exist before the first merge of the level.
  private var nodes: [[UInt32]] = []
  /// For each level, the nodes that lie near the border and were made by a merge of this level.
  private var merges: [[UInt32]] = []
  /// For each level, a distance in units. Nodes and merges are collected only if they are at most this far from the
  /// border. This distance is `marginInReaches` times the reach of the level. The reach of a level is the greatest
  /// distance at which the level merges clusters.
  private var margins: [Int] = []
  private var marginInReaches = 8.0

  /// - Parameters:
  ///   - leaves: Numbers of all leaves in the two parts that are joined.
  ///   - greatestDiameters: For each level, an upper bound of badge diameters in these two parts.
  init(
    _ border: MergeBorder, of leaves: Range<Int>, _ plan: MergePlan, _ tree: MergeTree, _ curve: BadgeCurve,
    _ anchor: ClusterAnchor, crossesSeam: Bool, _ greatestDiameters: [UInt16], threads: Int, _ monitor: BuildMonitor
  ) {
    (self.border, self.leaves, self.plan, self.tree, self.curve) = (border, leaves, plan, tree, curve)
    (self.anchor, self.crossesSeam, self.greatestDiameters) = (anchor, crossesSeam, greatestDiameters)
    (self.threads, self.monitor) = (threads, monitor)
  }

  /// - Returns: the amount of work that the mending took.
  mutating func run() -> MergeRevision.Counts {
    var revision = MergeRevision(tree, curve, anchor, crossesSeam: crossesSeam, border: border, monitor)
    collect()
    for level in plan.levels.indices where !monitor.isCancelled { mend(level, by: &revision) }
    if !monitor.isCancelled { revision.apply() }
    return revision.counts
  }

  /// Collects the nodes and merges near the border. Uses all threads, because the last borders have no other work
  /// beside them.
  private mutating func collect() {
    let levelCount = plan.levels.count
    let margins = plan.levels.indices.map { level in
      Int(min(marginInReaches * curve.reach(plan.levels[level].upperBound, greatestDiameters[level]), 0x1p33))
    }
    // For each band, its level and the margin of that level. A node is not collected if its distance from
    // the border is greater than the margin of its `endBand`.
    let levels = (UInt8.min...UInt8.max).map { plan.level($0) }
    let marginsAtEnd = levels.map { margins[min($0, levelCount - 1)] }
    let near = inChunks(of: leaves.count, threads: threads) {
      [border, tree, first = leaves.lowerBound, monitor] chunk in
      var (nodes, merges) = ([[UInt32]](repeating: [], count: levelCount), [[UInt32]](repeating: [], count: levelCount))
      monitor.pass(over: first + chunk.lowerBound..<first + chunk.upperBound) { block in
        for leaf in block {
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
              if distance <= margins[level] { merges[level].append(node) }
              level += 1
            }
            let last = min(levels[end], levelCount - 1)
            while level <= last {
              if distance <= margins[level] { nodes[level].append(node) }
              level += 1
            }
          }
        }
      }
      return (nodes: nodes, merges: merges)
    }
    var (nodes, merges) = near[0]
    for chunk in near.dropFirst() {
      for level in plan.levels.indices {
        nodes[level] += chunk.nodes[level]
        merges[level] += chunk.merges[level]
      }
    }
    // Sorts the merges of each level so that every merge comes after the merges below it.
    for level in merges.indices {
      merges[level].sort(monitor) {
        (tree.place($0).band, tree[$0].height) < (tree.place($1).band, tree[$1].height)
      }
      monitor.noteWork(onScattered: merges[level].count)
    }
    (self.nodes, self.merges, self.margins) = (nodes, merges, margins)
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
