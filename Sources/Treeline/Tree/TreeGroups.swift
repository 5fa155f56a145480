/// The groups of a tree that was built with groups. Points share a cluster only with points of their own group.
///
/// Each group has its own tree, and these trees follow one another in tree order. The points that are never clustered
/// come after the tree of the last group. No answer contains a node above the root of a group, or a node above points
/// that are never clustered.
///
/// A section of kind `groups` begins with the number of groups and the number of points that are never clustered (4
/// bytes each). Then come two numbers for each group: the number of its points, and the number of bytes of its name (4
/// bytes each). The section ends with all names in UTF-8, one after the other.
package struct TreeGroups: Hashable, Sendable {
  /// The names of the groups, in the order of their UTF-8 bytes. Each name occurs once. Points without a group form a
  /// group with an empty name.
  package let names: [String]

  /// The tree index at which each group begins, and the tree index at which the last group ends.
  package let starts: [UInt32]

  /// The number of all points, including the points after the last group, which are never clustered.
  package let pointCount: UInt32

  /// The greatest number of groups. The number is limited, because an answer has at least one cluster for each group in
  /// view, and a query finds the groups one by one.
  package static let maximumCount = 4096

  /// - Parameter pointCounts: The number of points of each group, at least one.
  package init(names: [String], pointCounts: [UInt32], neverClustered: UInt32) {
    self.names = names
    starts = pointCounts.reduce(into: [0]) { $0.append($0.last! + $1) }
    pointCount = starts.last! + neverClustered
  }

  /// The number of points that may be clustered. These points come first in tree order. All later points are never
  /// clustered.
  package var clusteredCount: UInt32 { starts.last! }

  /// The range of each part in tree order: one part for each group, then one part for the points that are never
  /// clustered.
  package var parts: [Range<UInt32>] {
    let groups = zip(starts, starts.dropFirst()).map { $0..<$1 }
    return clusteredCount < pointCount ? groups + [clusteredCount..<pointCount] : groups
  }

  /// Returns the group of a point; nil for a point that is never clustered.
  package func index(ofTreeIndex treeIndex: UInt32) -> Int? {
    treeIndex < clusteredCount ? firstIndex(in: 0..<names.count) { starts[$0 + 1] > treeIndex } : nil
  }
}

// MARK: - In an index

extension TreeGroups {
  init(_ section: NamedBytes, pointCount: Int) throws(IndexError) {
    let bytes = section.bytes
    let count = bytes.count < 8 ? 0 : Int(bytes.read(at: 0) as UInt32)
    try section.require(
      count <= Self.maximumCount, at: 0, "at most \(Self.maximumCount) groups", found: "\(count)")
    var end = 8 + 8 * count
    try section.require(
      bytes.count >= end, at: 0, "at least \(end) bytes for \(count) groups", found: "\(bytes.count)")
    var (names, pointCounts): ([String], [UInt32]) = ([], [])
    let neverClustered: UInt32 = bytes.read(at: 4)
    var total = UInt64(neverClustered)
    for group in 0..<count {
      let (pointCount, length): (UInt32, UInt32) = (bytes.read(at: 8 + 8 * group), bytes.read(at: 12 + 8 * group))
      try section.require(
        pointCount > 0 && Int(length) <= bytes.count - end, at: 8 + 8 * group,
        "a group with 1 point or more, and a name that ends within the section's \(bytes.count) bytes",
        found: "\(pointCount) points, \(length) bytes")
      names.append(String(decoding: bytes[end..<end + Int(length)], as: UTF8.self))
      pointCounts.append(pointCount)
      total += UInt64(pointCount)
      end += Int(length)
    }
    try section.require(
      end == bytes.count && total == UInt64(pointCount), at: 0,
      "groups with \(pointCount) points in total, in a section of \(end) bytes",
      found: "\(total) points in \(bytes.count) bytes")
    self.init(names: names, pointCounts: pointCounts, neverClustered: neverClustered)
  }

  /// The bytes of the section.
  package var bytes: [UInt8] {
    func bytes(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.littleEndian) { Array($0) } }
    let entries = zip(names, zip(starts, starts.dropFirst())).flatMap { name, ends in
      bytes(ends.1 - ends.0) + bytes(UInt32(name.utf8.count))
    }
    return bytes(UInt32(names.count)) + bytes(pointCount - clusteredCount) + entries + names.flatMap { Array($0.utf8) }
  }
}

// MARK: - Nodes

extension TreeStorage {
  /// Returns true if a node must not be shown as one cluster. Such a node contains points of several groups, or
  /// several points that are never clustered.
  @inline(__always) package func isAboveClusters(_ node: Node) -> Bool {
    groups.map { isAboveClusters(node, $0) } ?? false
  }

  @inline(never) private func isAboveClusters(_ node: Node, _ groups: TreeGroups) -> Bool {
    let end = node.first &+ node.count
    guard let group = groups.index(ofTreeIndex: node.first) else {
      // A stack consists of points at one position. A stack has no children, so it is shown as a cluster. In a damaged
      // file, any other node without children is shown as a cluster, too.
      return node.count > 1 && ((try? children(of: node)) ?? nil) != nil
    }
    return end > groups.starts[group + 1] && ((try? children(of: node)) ?? nil) != nil
  }

  /// Returns whether a node consists of points that are never clustered. The node must not span several groups.
  @inline(__always) func isNeverClustered(_ node: Node) -> Bool {
    groups.map { node.first >= $0.clusteredCount } ?? false
  }

  /// Returns the nodes with which a cut begins, in tree order. In a tree with groups, these nodes are the roots of the
  /// groups that have a point in view, and the points in view that are never clustered. In any other tree the only such
  /// node is the root.
  ///
  /// - Complexity: O(k + depth) visited nodes for k results, plus the nodes that lie across the window's corners.
  func cutRoots<Counted>(in view: PointsInView<Counted>) throws(IndexError) -> [Node] {
    var roots: [Node] = []
    // Nodes that must still be visited. These are right siblings along the path to the current node, at most one on
    // each level.
    var waiting = [root].compactMap { $0 }
    while let node = waiting.popLast() {
      if isAboveClusters(node), let (left, right) = try children(of: node) {
        // A bucket is a node with so few points that the nodes below it are not stored. Nodes below a bucket have no
        // stored boxes, so their boxes are not compared with the window.
        guard node.depthInBucket > 0 || view.mayShow(node, nodes[Int(node.record)].box) else { continue }
        waiting += [right, left]
      } else if try hasVisiblePoint(node, in: view) {
        roots.append(node)
      }
    }
    return roots
  }

  /// Returns the least number of counted points in a group. Groups without counted points are ignored.
  func leastGroupCount(_ counted: some CountedPoints) throws(IndexError) -> Int {
    var least = Int.max
    var waiting = [root].compactMap { $0 }
    while let node = waiting.popLast() {
      if isNeverClustered(node) { continue }
      if isAboveClusters(node), let (left, right) = try children(of: node) {
        waiting += [right, left]
      } else if counted.hasAny(of: node) {
        least = min(least, Int(counted.count(of: node)))
      }
    }
    return least
  }
}

// MARK: - Public interface

/// Points that never share a cluster with points of other groups.
public struct ClusterGroup: Sendable {
  /// The name of the group. The name is empty for the group of all points that were given no group.
  public let name: String

  /// The cluster of all points of the group. It contains all clusters of the group. Under a filter this is the lowest
  /// cluster that contains all passing points of the group; nil if no point passes.
  public let cluster: Cluster?
}

extension ClusterTree {
  /// The groups of the tree, sorted by name. No cluster has points of two groups. The array is empty for a tree that
  /// was built without groups.
  ///
  /// Each group has its own hierarchy. So a spacing is kept only between clusters of the same group, and clusters of
  /// different groups may overlap. A limit applies to all groups together.
  ///
  /// - Complexity: O(groups · log groups)
  public var groups: [ClusterGroup] {
    withStorage { storage in
      guard let groups = storage.groups else { return [] }
      return groups.names.indices.map { index in
        let path = (try? path(toTreeIndex: Int(groups.starts[index]))) ?? []
        let cluster = path.first.flatMap { root in
          passingCount(of: root) > 0 ? try? checkedCluster(of: lowestNode(below: root)) : nil
        }
        return ClusterGroup(name: groups.names[index], cluster: cluster)
      }
    }
  }

  /// Whether the tree was built with groups, or with points that are never clustered.
  @_spi(Server) public var isGrouped: Bool { withStorage { $0.groups != nil } }

  /// The number of points that are never clustered, whether or not they pass a filter. These points come last in tree
  /// order. Each of them counts towards a limit, and no spacing is kept between them.
  package var neverClusteredPointCount: Int {
    withStorage { storage in storage.groups.map { Int($0.pointCount - $0.clusteredCount) } ?? 0 }
  }

  /// Returns the name of a cluster's group; nil in a tree without groups, and for a point that is never clustered.
  ///
  /// - Precondition: The cluster is from an answer of this tree.
  /// - Complexity: O(log groups)
  public func group(of cluster: Cluster) -> String? {
    withStorage { storage in
      guard let groups = storage.groups, let index = groups.index(ofTreeIndex: UInt32(cluster.range.lowerBound)) else {
        return nil
      }
      return groups.names[index]
    }
  }
}
