import Treeline

/// Two clusters that were merged, and the cluster that they became.
struct Merge {
  /// Nodes of the two clusters. The least member of a cluster is the first of its leaves in Z-order. The least member
  /// of the left cluster comes before the least member of the right cluster.
  var left: UInt32
  var right: UInt32
  /// Whether the merged cluster takes the position of the right cluster. If not, it takes the position of the left
  /// cluster. Used only in trees in which each cluster has the position of one of its points, not the mean position.
  var anchorsRight: Bool
  /// Band in which the two clusters were merged (see `DistanceBands`).
  var band: UInt8
  var cluster: MergeCluster
}

/// A binary tree of merges. Until all leaves have been merged, it is a forest.
///
/// Leaves are numbered from 0. The *least member* of a cluster is the first of its leaves in Z-order. When two
/// clusters are merged, the new cluster keeps the earlier one of their two least members. The later one loses this
/// role, and is never again the least member of a cluster. So in each merge one leaf loses the role, and each leaf
/// loses it at most once. The node of a merge has the number `leafCount` plus the number of the leaf that loses the
/// role. So no two nodes have the same number.
///
/// All copies of a `MergeTree` share one tree. Threads may work on disjoint ranges of leaves.
struct MergeTree: @unchecked Sendable {
  struct Node {
    /// Child with the smaller least member.
    var left: UInt32 = 0
    var right: UInt32 = 0
    /// Number of points.
    var count: UInt32 = 0
    var leastMember: UInt32 = 0
    /// Number of records below this node in a stored tree.
    var recordCount: UInt32 = 0
    /// Height of the tree below this node.
    var height: UInt32 = 0
    /// Merge scale. It is never below the merge scale of a child.
    var scale = SeparationCode.zero
    var anchorsRight = false
  }

  /// Position of a cluster, the band in which the cluster was made, and the band in which it was merged with another
  /// cluster. `DistanceBands` defines the bands.
  struct Place {
    var position: PlanePoint
    /// Band in which the cluster was made; `never` if no cluster is stored here.
    var band = MergeTree.never
    /// Band in which the cluster was merged with another cluster; `never` if it was not merged.
    var endBand = MergeTree.never
  }

  /// Value that is stored for a missing band.
  static let never = UInt8.max

  let leaves: Leaves
  private let nodes: UnsafeMutablePointer<Node>
  private let places: UnsafeMutablePointer<Place>
  private let sums: UnsafeMutablePointer<(x: UInt64, y: UInt64)>
  private let leafEnds: UnsafeMutablePointer<UInt8>
  /// Boxes of clusters, which a `MergeHistory` needs in order to find clusters by position. A build does not need
  /// them, so `extents` is nil in a build.
  private let extents: UnsafeMutablePointer<Extent>?
  /// Whether clusters may be merged across the seam, the meridian at which the plane begins and ends. Used only if the
  /// tree has extents.
  private let crossesSeam: Bool

  private struct Extent {
    /// Box around all points of the cluster. If the cluster lies across the seam (the meridian at which the plane
    /// begins and ends), so does the box.
    var box: PlaneRect
    /// See `MergeSums`.
    var countBeyond: UInt32
  }

  var leafCount: Int { leaves.leafCount }

  /// Makes a tree without merges.
  init(_ leaves: Leaves, hasExtents: Bool = false, crossesSeam: Bool = false, threads: Int, _ monitor: BuildMonitor) {
    let count = leaves.leafCount
    (nodes, places) = (monitor.allocate(count: count), monitor.allocate(count: count))
    (sums, leafEnds) = (monitor.allocate(count: count), monitor.allocate(count: count))
    self.leaves = leaves
    (extents, self.crossesSeam) = (hasExtents ? monitor.allocate(count: count) : nil, crossesSeam)
    for block in [MemoryBlock(nodes, count: count), MemoryBlock(places, count: count), MemoryBlock(sums, count: count)]
    {
      block.adviseLargePages()
    }
    removeAll(threads: threads, monitor)
  }

  /// Removes all merges.
  func removeAll(threads: Int, _ monitor: BuildMonitor) {
    _ = inChunks(of: leafCount, threads: threads) { [self] chunk in
      monitor.pass(over: chunk) { block in
        (nodes + block.lowerBound).initialize(repeating: Node(), count: block.count)
        (places + block.lowerBound).initialize(repeating: Place(position: PlanePoint(x: 0, y: 0)), count: block.count)
        (leafEnds + block.lowerBound).initialize(repeating: Self.never, count: block.count)
      }
    }
  }

  /// Deallocates the memory that is not needed after merging: everything except the nodes.
  func deallocateContents() {
    MemoryBlock(places, count: leafCount).deallocate()
    MemoryBlock(sums, count: leafCount).deallocate()
    MemoryBlock(leafEnds, count: leafCount).deallocate()
    if let extents { MemoryBlock(extents, count: leafCount).deallocate() }
  }

  /// Deallocates the nodes.
  func deallocate() { MemoryBlock(nodes, count: leafCount).deallocate() }

  @inline(__always) func isLeaf(_ node: UInt32) -> Bool { Int(node) < leafCount }

  /// Node of a merge.
  @inline(__always) subscript(_ node: UInt32) -> Node {
    get { nodes[Int(node) &- leafCount] }
    nonmutating _modify { yield &nodes[Int(node) &- leafCount] }
  }

  /// Returns the number of points of a node.
  @inline(__always) func count(of node: UInt32) -> UInt32 {
    isLeaf(node) ? leaves.count(of: Int(node)) : self[node].count
  }

  @inline(__always) func recordCount(below node: UInt32) -> UInt32 { isLeaf(node) ? 0 : self[node].recordCount }

  @inline(__always) func height(_ node: UInt32) -> UInt32 { isLeaf(node) ? 0 : self[node].height }

  @inline(__always) func leastMember(of node: UInt32) -> UInt32 { isLeaf(node) ? node : self[node].leastMember }

  @inline(__always) private func setEndBand(of node: UInt32, to band: UInt8) {
    if isLeaf(node) { leafEnds[Int(node)] = band } else { places[Int(node) &- leafCount].endBand = band }
  }

  /// Returns the position of a node's cluster, the band in which the cluster was made, and the band in which it was
  /// merged with another cluster. For a leaf, the band in which it was made is 0.
  @inline(__always) func place(_ node: UInt32) -> Place {
    isLeaf(node)
      ? Place(position: leaves.position(of: Int(node)), band: 0, endBand: leafEnds[Int(node)])
      : places[Int(node) &- leafCount]
  }

  /// Returns the cluster of a node. If clusters may have been merged across the seam, the tree must have extents.
  @inline(__always) func cluster(_ node: UInt32) -> MergeCluster {
    if isLeaf(node) {
      let (position, count) = (leaves.position(of: Int(node)), leaves.count(of: Int(node)))
      return MergeCluster(
        sums: MergeSums(x: UInt64(position.x) &* UInt64(count), y: UInt64(position.y) &* UInt64(count), count: count),
        position: position, node: node, leastMember: node, scale: .zero,
        longitudes: Longitudes(west: position.x, east: position.x))
    }
    let (own, sum) = (self[node], sums[Int(node) &- leafCount])
    var cluster = MergeCluster(
      sums: MergeSums(x: sum.x, y: sum.y, count: own.count), position: place(node).position, node: node,
      leastMember: own.leastMember, scale: own.scale, longitudes: Longitudes(west: 0, east: 0))
    if let extents {
      let extent = extents[Int(node) &- leafCount]
      cluster.sums.countBeyond = extent.countBeyond
      cluster.longitudes = Longitudes(west: extent.box.minX, east: extent.box.maxX)
    }
    return cluster
  }

  /// Returns the box around the points of a node. The tree must have extents.
  func box(_ node: UInt32) -> PlaneRect {
    isLeaf(node) ? PlaneRect(leaves.position(of: Int(node))) : extents![Int(node) &- leafCount].box
  }

  /// Returns the cluster of a node in a tree whose clusters may be merged across the seam (the meridian at which the
  /// plane begins and ends). A tree without extents does not store which longitudes a cluster covers. In such a tree,
  /// the sums and the longitudes are computed again from all leaves below the node.
  ///
  /// - Complexity: O(number of leaves below the node); O(1) in a tree with extents.
  func clusterAroundTheWorld(_ node: UInt32) -> MergeCluster {
    if extents != nil { return cluster(node) }
    var (stack, done) = ([(node: node, hasParts: false)], [(sums: MergeSums, longitudes: Longitudes)]())
    while let (next, hasParts) = stack.popLast() {
      if isLeaf(next) {
        let leaf = cluster(next)
        done.append((leaf.sums, leaf.longitudes))
      } else if hasParts {
        let (b, a) = (done.removeLast(), done.removeLast())
        let joined = a.longitudes.joined(with: b.longitudes)
        done.append((a.sums.joined(with: b.sums, longitudes: (a.longitudes, b.longitudes, joined)), joined))
      } else {
        stack += [(next, true), (self[next].right, false), (self[next].left, false)]
      }
    }
    var cluster = cluster(node)
    (cluster.sums, cluster.longitudes) = done[0]
    return cluster
  }

  /// Adds a merge of two nodes that exist.
  @inline(__always) func add(_ merge: Merge) {
    let cluster = merge.cluster
    add(
      cluster.node, merge.left, merge.right, leastMember: cluster.leastMember, count: cluster.sums.count,
      cluster.scale, anchorsRight: merge.anchorsRight)
    let number = Int(cluster.node) &- leafCount
    places[number] = Place(position: cluster.position, band: merge.band)
    sums[number] = (cluster.sums.x, cluster.sums.y)
    if let extents {
      var box = box(merge.left).union(box(merge.right))
      if crossesSeam { (box.minX, box.maxX) = (cluster.longitudes.west, cluster.longitudes.east) }
      extents[number] = Extent(box: box, countBeyond: cluster.sums.countBeyond)
    }
    setEndBand(of: merge.left, to: merge.band)
    setEndBand(of: merge.right, to: merge.band)
  }

  @inline(__always) private func add(
    _ node: UInt32, _ left: UInt32, _ right: UInt32, leastMember: UInt32, count: UInt32, _ scale: SeparationCode,
    anchorsRight: Bool
  ) {
    let isStored = count > NodeRecord.bucketCapacity
    self[node] = Node(
      left: left, right: right, count: count, leastMember: leastMember,
      recordCount: isStored ? recordCount(below: left) + recordCount(below: right) + 2 : 0,
      height: max(height(left), height(right)) + 1, scale: scale, anchorsRight: anchorsRight)
  }

  /// Removes the given merges.
  func remove(_ merges: [UInt32]) {
    for merge in merges {
      setEndBand(of: self[merge].left, to: Self.never)
      setEndBand(of: self[merge].right, to: Self.never)
    }
    for merge in merges { places[Int(merge) - leafCount].band = Self.never }
  }

  /// Returns the nodes that were not merged with another node, in the order of their least members. The least member
  /// of a node is the first of its leaves in Z-order. For each number of the given range, examines two nodes: the leaf
  /// with this number, and the merge whose number is `leafCount` plus this number.
  func roots(_ range: Range<Int>) -> [UInt32] {
    var roots: [UInt32] = []
    for leaf in range {
      if leafEnds[leaf] == Self.never { roots.append(UInt32(leaf)) }
      if places[leaf].band != Self.never && places[leaf].endBand == Self.never {
        roots.append(UInt32(leafCount + leaf))
      }
    }
    return roots.sorted { leastMember(of: $0) < leastMember(of: $1) }
  }
}

// MARK: - Depth

extension MergeTree {
  /// Greatest depth of a tree with exact scales. If a tree is deeper, it gets coarse scales instead (see
  /// `withCoarseScales`). Without this bound, a chain of merges at rising scales could be as deep as the number of
  /// points.
  static let maximumDepth = 511

  /// Returns this tree with coarse scales, which are rounded down to steps. There are two steps for each doubling of
  /// the squared distance, so there are four steps for each doubling of the distance.
  ///
  /// In the coarse tree, all merges of one step have the same scale, so they can be in any order. An order is chosen
  /// that makes the tree shallow: the list of clusters stays in tree order, and is divided again and again where about
  /// half of the points are on each side. If the clusters have n points in total, a cluster with w of these points is
  /// at most log2(n / w) + 2 levels below the union of all these clusters. So 128 steps make at most 31 + 256 levels.
  ///
  /// At any distance T, the clusters of the coarse tree are clusters that the exact tree has at T or at some greater
  /// distance. So the clusters are at least T apart.
  ///
  /// - Returns: the tree, which the caller must deallocate, and its root.
  func withCoarseScales(of root: UInt32, _ monitor: BuildMonitor) -> (tree: MergeTree, root: UInt32) {
    let coarse = MergeTree(leaves, threads: 1, monitor)
    /// All merges. Each merge comes after the merge above it.
    var (merges, stack) = (ContiguousArray<UInt32>(), isLeaf(root) ? [] : [root])
    /// `isTop`: for each merge, whether it is the topmost merge at its coarse scale. `news`: for each topmost merge,
    /// its node in the new tree.
    var isTop = ContiguousArray<Bool>(repeating: true, count: leafCount)
    var news = ContiguousArray<UInt32>(repeating: 0, count: leafCount)
    while let node = stack.popLast(), !monitor.isCancelled {
      merges.append(node)
      for part in [self[node].left, self[node].right] where !isLeaf(part) {
        isTop[Int(part) - leafCount] = self[part].scale.coarse != self[node].scale.coarse
        stack.append(part)
      }
    }
    for merge in merges.reversed() where isTop[Int(merge) - leafCount] && !monitor.isCancelled {
      func isWithin(_ node: UInt32) -> Bool { !isLeaf(node) && (node == merge || !isTop[Int(node) - leafCount]) }
      // The clusters that are merged into one cluster at this coarse scale, in tree order, and the number of points
      // before each of these clusters.
      var (parts, starts) = ([UInt32](), [UInt64(0)])
      // `anchor` is one of the clusters in `parts`, at the index `anchorIndex`. The merged cluster takes the position
      // of `anchor`.
      var (anchor, anchorIndex) = (merge, 0)
      while isWithin(anchor) { anchor = self[anchor].anchorsRight ? self[anchor].right : self[anchor].left }
      var stack = [merge]
      while let node = stack.popLast() {
        if isWithin(node) {
          stack += [self[node].right, self[node].left]
        } else {
          if node == anchor { anchorIndex = parts.count }
          parts.append(isLeaf(node) ? node : news[Int(node) - leafCount])
          starts.append(starts.last! + UInt64(count(of: node)))
        }
      }
      news[Int(merge) - leafCount] = coarse.addBalanced(
        parts[...], starts, self[merge].scale.coarse, anchor: anchorIndex)
    }
    return (coarse, isLeaf(root) ? root : news[Int(root) - leafCount])
  }

  /// Merges the clusters `parts` into one cluster, and returns the node of this cluster. The clusters follow each
  /// other in tree order, and all merges get the same scale. The recursion is as deep as the tree that it builds.
  ///
  /// - Parameters:
  ///   - starts: Number of points before each cluster. The last entry is the number of all points.
  ///   - anchor: Index of the cluster from which merged clusters take their position. If this index lies outside of
  ///     `parts`, it belongs to a cluster that another call merges.
  private func addBalanced(_ parts: ArraySlice<UInt32>, _ starts: [UInt64], _ scale: SeparationCode, anchor: Int)
    -> UInt32
  {
    if parts.count == 1 { return parts[parts.startIndex] }
    let middle = (starts[parts.startIndex] + starts[parts.endIndex]) / 2
    var (low, high) = (parts.startIndex + 1, parts.endIndex - 1)
    // Chooses `low`, the first cluster of the right half. The numbers of points in the two halves must be as equal as
    // possible.
    while low < high {
      let index = (low + high) / 2
      if starts[index] < middle { low = index + 1 } else { high = index }
    }
    if low > parts.startIndex + 1, starts[low] > middle, middle - starts[low - 1] <= starts[low] - middle { low -= 1 }
    let left = addBalanced(parts[..<low], starts, scale, anchor: anchor)
    let right = addBalanced(parts[low...], starts, scale, anchor: anchor)
    let members = (leastMember(of: left), leastMember(of: right))
    let node = UInt32(leafCount) + max(members.0, members.1)
    add(
      node, left, right, leastMember: min(members.0, members.1),
      count: UInt32(starts[parts.endIndex] - starts[parts.startIndex]), scale,
      anchorsRight: low..<parts.endIndex ~= anchor)
    return node
  }
}
