import Treeline

/// Grows a tree by merging: positions become leaves, leaves are merged until one cluster is left (`MergeSequence`), and
/// the tree of merges becomes points in tree order, gaps, nodes and separations like those of a tree that was split.
struct MergeBuild {
  let arrays: PointArrays
  let pointCount: Int
  let projection: Plane.Projection
  let threads: Int
  let maximumDepth: Int
  let monitor: BuildMonitor

  struct Result {
    var nodes: AssembledNodes
    /// The code of every node with two children, at the tree index of its right child's first point; zero elsewhere.
    var separations: UnsafeMutablePointer<UInt16>
    var traits: MergeTraits
  }

  /// Sorts the points into tree order. Of no use once the build is cancelled.
  ///
  /// - Precondition: There are points, and rows are numbered.
  func run() -> Result? {
    let leaves = Leaves(arrays, pointCount: pointCount, monitor)
    let box = arrays.box(0..<pointCount, threads: threads, monitor)
    // What is merged across the seam is less than half a world wide, and the gap behind the seam is the widest.
    let crossesSeam = projection.isCyclic && box.width >= Longitudes.halfWorld
    guard var merges = merge(leaves, crossesSeam: crossesSeam), !monitor.isCancelled else { return nil }
    var traits: MergeTraits = []
    if merges.depth(monitor) > maximumDepth {
      merges = merges.withCoarseScales(count: { leaves.count(of: $0) }, monitor)
      traits.insert(.coarseScales)
    }
    if monitor.isCancelled { return nil }
    var layout = MergedLayout(merges, leaves, arrays, pointCount: pointCount, crossesSeam: crossesSeam, monitor)
    layout.place()
    layout.describeNodes()
    if layout.isAcrossSeam { traits.insert(.acrossSeam) }
    monitor.advance(.merging, by: pointCount)
    return Result(nodes: layout.nodes, separations: layout.separations, traits: traits)
  }

  private func merge(_ leaves: Leaves, crossesSeam: Bool) -> Merges? {
    var sequence = MergeSequence(leafCount: leaves.leafCount, crossesSeam: crossesSeam, monitor) {
      (leaves.position(of: $0), leaves.count(of: $0))
    }
    sequence.run(threads: threads)
    return sequence.merges
  }
}

/// The distinct positions of some points in Z-order, and the points at each in the order of their rows.
final class Leaves {
  private let placed: UnsafeMutableBufferPointer<PlacedNumber>
  /// Where each leaf begins among the points, and where the last ends.
  private var starts: ContiguousArray<UInt32> = []

  var leafCount: Int { starts.count - 1 }

  init(_ arrays: PointArrays, pointCount: Int, _ monitor: BuildMonitor) {
    placed = .allocate(capacity: pointCount)
    placed.initialize(repeating: PlacedNumber(code: 0, number: 0))
    monitor.pass(over: 0..<pointCount) { block in
      for row in block { placed[row] = PlacedNumber(code: ZOrder.code(of: arrays.points[row]), number: UInt32(row)) }
    }
    placed.sortByCode(monitor)
    starts.reserveCapacity(pointCount + 1)
    starts.append(0)
    monitor.pass(over: 1..<pointCount) { block in
      for index in block where placed[index].code != placed[index - 1].code { starts.append(UInt32(index)) }
    }
    starts.append(UInt32(pointCount))
  }

  deinit { MemoryBlock(placed.baseAddress!, count: placed.count).deallocate() }

  @inline(__always) func count(of leaf: Int) -> UInt32 { starts[leaf + 1] - starts[leaf] }

  @inline(__always) func position(of leaf: Int) -> PlanePoint { ZOrder.point(of: placed[Int(starts[leaf])].code) }

  /// Writes a leaf's points in tree order, and the gaps between them.
  @inline(__always) func write(_ leaf: Int, to arrays: PointArrays, at first: Int) {
    let (start, count, position) = (Int(starts[leaf]), Int(count(of: leaf)), position(of: leaf))
    for index in 0..<count {
      arrays.points[first + index] = position
      arrays.rows[first + index] = placed[start + index].number
    }
    (arrays.gaps + first).initialize(repeating: Gap.none, count: count - 1)
  }
}
