/// The clusters of an answer, in tree order.
///
/// An answer is a cut through the tree: it holds which nodes these are, in 16 bytes each. What a cluster looks like is
/// read when it is asked for, so whoever wants to know only what has changed pays for no more.
public struct Clusters: RandomAccessCollection, Sendable {
  let tree: ClusterTree
  let nodes: [Node]

  public var startIndex: Int { 0 }
  public var endIndex: Int { nodes.count }

  /// - Complexity: O(1); of up to 16 points the mean and the spread are taken anew.
  public subscript(position: Int) -> Cluster {
    defer { withExtendedLifetime(tree) {} }
    return tree.cluster(of: nodes[position])
  }

  /// The id of the cluster at a position, without reading anything else of it.
  public func id(at position: Int) -> ClusterID { nodes[position].id }
}

extension Clusters: Equatable {
  public static func == (a: Clusters, b: Clusters) -> Bool { a.elementsEqual(b) }
}
