/// The row numbers of a cluster's points, in tree order: neighbours in the list are neighbours on the map, and points of
/// one position come in the order of their rows.
///
/// A slice is a page: `rows.dropFirst(200).prefix(100)` costs O(1) and copies nothing.
public struct RowNumbers: RandomAccessCollection, Sendable {
  let storage: TreeStorage
  let range: Range<Int>

  public var startIndex: Int { 0 }
  public var endIndex: Int { range.count }

  public subscript(position: Int) -> Int {
    precondition(
      position >= 0 && position < range.count, "Expected a position below \(range.count), found \(position)")
    defer { withExtendedLifetime(storage) {} }
    return Int(storage.rows[range.lowerBound + position])
  }
}

extension ClusterTree {
  /// The row numbers of a cluster's points: where they stood in the input, from 0.
  ///
  /// - Precondition: the cluster is one of this tree.
  /// - Complexity: O(1)
  public func members(of cluster: Cluster) -> RowNumbers {
    precondition(
      cluster.range.upperBound <= pointCount,
      "Expected a cluster of this tree, found the range \(cluster.range)")
    return RowNumbers(storage: storage, range: cluster.range)
  }
}
