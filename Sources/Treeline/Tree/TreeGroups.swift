/// The groups of a tree whose points never share a cluster unless they are of one group.
///
/// Each group has a tree of its own, and these lie one behind the other in tree order. Above them stand nodes that are
/// in no answer, and below the last of them those points that are never clustered.
///
/// A section of kind `groups` holds the number of groups and that of points that are never clustered (4 bytes each),
/// the number of points of each group and the length of its name in bytes (4 bytes each), and the names in UTF-8, one
/// behind the other.
package struct TreeGroups: Hashable, Sendable {
  /// In the order of their bytes in UTF-8, each once. Points without a group form one without a name.
  package let names: [String]

  /// Where each group begins in tree order, and where the last ends.
  package let starts: [UInt32]

  /// All points, those behind the last group included, which are never clustered.
  package let pointCount: UInt32

  /// Each group in view is a cluster at least, which a query finds one by one.
  package static let maximumCount = 4096

  /// - Parameter pointCounts: Of each group, one at least.
  package init(names: [String], pointCounts: [UInt32], neverClustered: UInt32) {
    self.names = names
    starts = pointCounts.reduce(into: [0]) { $0.append($0.last! + $1) }
    pointCount = starts.last! + neverClustered
  }

  /// How many points may be clustered; those behind them never are.
  package var clusteredCount: UInt32 { starts.last! }

  /// Where each tree lies: those of the groups, and that of the points that are never clustered.
  package var parts: [Range<UInt32>] {
    let groups = zip(starts, starts.dropFirst()).map { $0..<$1 }
    return clusteredCount < pointCount ? groups + [clusteredCount..<pointCount] : groups
  }

  /// The group of a point; nil for one that is never clustered.
  package func index(ofTreeIndex treeIndex: UInt32) -> Int? {
    treeIndex < clusteredCount ? firstIndex(in: 0..<names.count) { starts[$0 + 1] > treeIndex } : nil
  }
}

// MARK: - In an index

extension TreeGroups {
  init(_ section: IndexSection, in file: NamedBytes, pointCount: Int) throws(IndexError) {
    let bytes = UnsafeRawBufferPointer(rebasing: file.bytes[section.range])
    let count = bytes.count < 8 ? 0 : Int(bytes.read(at: 0) as UInt32)
    try file.require(
      count <= Self.maximumCount, at: section.offset, "at most \(Self.maximumCount) groups", found: "\(count)")
    var end = 8 + 8 * count
    try file.require(
      bytes.count >= end, at: section.offset, "\(end) bytes or more of \(count) groups", found: "\(bytes.count)")
    var (names, pointCounts): ([String], [UInt32]) = ([], [])
    let neverClustered: UInt32 = bytes.read(at: 4)
    var total = UInt64(neverClustered)
    for group in 0..<count {
      let (pointCount, length): (UInt32, UInt32) = (bytes.read(at: 8 + 8 * group), bytes.read(at: 12 + 8 * group))
      try file.require(
        pointCount > 0 && Int(length) <= bytes.count - end, at: section.offset + UInt64(8 + 8 * group),
        "a group of points whose name ends within \(bytes.count) bytes", found: "\(pointCount) points, \(length) bytes")
      names.append(String(decoding: bytes[end..<end + Int(length)], as: UTF8.self))
      pointCounts.append(pointCount)
      total += UInt64(pointCount)
      end += Int(length)
    }
    try file.require(
      end == bytes.count && total == UInt64(pointCount), at: section.offset,
      "groups of all \(pointCount) points, in \(end) bytes", found: "\(total) points in \(bytes.count) bytes")
    self.init(names: names, pointCounts: pointCounts, neverClustered: neverClustered)
  }

  /// The bytes of its section.
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
  /// Whether a node is in no answer: it has points of several groups, or several that are never clustered.
  @inline(__always) package func isAboveClusters(_ node: Node) -> Bool {
    groups.map { isAboveClusters(node, $0) } ?? false
  }

  @inline(never) private func isAboveClusters(_ node: Node, _ groups: TreeGroups) -> Bool {
    let end = node.first &+ node.count
    guard let group = groups.index(ofTreeIndex: node.first) else {
      // A stack cannot be told apart. Of a damaged file what has no children is shown as it is.
      return node.count > 1 && ((try? children(of: node)) ?? nil) != nil
    }
    return end > groups.starts[group + 1] && ((try? children(of: node)) ?? nil) != nil
  }

  /// Whether a point of a node, which is no node of several groups, is never clustered.
  @inline(__always) func isNeverClustered(_ node: Node) -> Bool {
    groups.map { node.first >= $0.clusteredCount } ?? false
  }

  /// What a cut of a tree of groups begins with, in tree order: the roots of the groups that have a point in view, and
  /// the points in view that are never clustered. That of another tree begins with its root.
  ///
  /// - Complexity: O(k + depth) nodes looked at for k of them, besides those that lie across the window's corners.
  func cutRoots<Counted>(in view: PointsInView<Counted>) throws(IndexError) -> [Node] {
    var roots: [Node] = []
    // The right parts on the way down to the node that is looked at: one a level.
    var waiting = [root].compactMap { $0 }
    while let node = waiting.popLast() {
      if isAboveClusters(node), let (left, right) = try children(of: node) {
        // The box of a part of a bucket is not stored.
        guard node.depthInBucket > 0 || view.mayShow(node, nodes[Int(node.record)].box) else { continue }
        waiting += [right, left]
      } else if try hasVisiblePoint(node, in: view) {
        roots.append(node)
      }
    }
    return roots
  }

  /// How many points of the least group count, of those of which any does.
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

// MARK: - What a tree tells

/// Points that never share a cluster with those of other groups.
public struct ClusterGroup: Sendable {
  /// What the points have in common; empty for those without a group.
  public let name: String

  /// All of its points: the cluster that all clusters of the group are part of. Under a filter it is the lowest that
  /// has all points that pass; nil where none does.
  public let cluster: Cluster?
}

extension ClusterTree {
  /// The groups that never mix, by name; none of a tree that was built without groups.
  ///
  /// Each has a hierarchy of its own, so distances are kept within a group, and clusters of different groups may
  /// overlap one another. A limit is shared by all of them.
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

  /// Whether it was built with groups, or with points that are never clustered.
  public var isGrouped: Bool { withStorage { $0.groups != nil } }

  /// How many points are never clustered, whether or not they pass a filter. They come last in tree order. Each counts
  /// against a limit, and no spacing holds between them.
  public var neverClusteredPointCount: Int {
    withStorage { storage in storage.groups.map { Int($0.pointCount - $0.clusteredCount) } ?? 0 }
  }

  /// The name of a cluster's group; nil in a tree without groups, and for a point that is never clustered.
  ///
  /// - Precondition: the cluster is one of an answer of this tree.
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
