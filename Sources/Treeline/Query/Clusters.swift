/// The clusters of an answer, in tree order.
///
/// An answer is a cut through the tree: it holds which nodes these are, in 16 bytes each. What a cluster looks like is
/// read when it is asked for, so whoever wants to know only what has changed pays for no more.
public struct Clusters: RandomAccessCollection, Sendable {
  let tree: ClusterTree
  var nodes: [Node]

  public var startIndex: Int { 0 }
  public var endIndex: Int { nodes.count }

  /// - Complexity: O(1); of up to 16 points the mean and the spread are taken anew.
  public subscript(position: Int) -> Cluster {
    defer { withExtendedLifetime(tree) {} }
    return tree.cluster(of: nodes[position])
  }

  /// Where in the answer the cluster stands that holds a point, given by its place in tree order; nil if none does. So
  /// what is selected stays selected, whatever cluster it is part of.
  ///
  /// - Complexity: O(log k)
  public func firstIndex(holdingPlace place: Int) -> Int? {
    let index = Treeline.firstIndex(in: nodes.indices) { nodes[$0].range.upperBound > place }
    return index < nodes.count && nodes[index].range.contains(place) ? index : nil
  }

  /// The id of the cluster at a position, without reading anything else of it.
  public func id(at position: Int) -> ClusterID { nodes[position].id }
}

extension Clusters: Equatable {
  public static func == (a: Clusters, b: Clusters) -> Bool { a.elementsEqual(b) }
}

extension ClusterTree {
  /// The answer that shows nothing.
  public var noClusters: Clusters { Clusters(tree: self, nodes: []) }

  /// The answer of some clusters, by their ids in any order: what a client shows that sends them back.
  ///
  /// - Throws: `QueryError.unknownCluster` where the tree has no such cluster, `QueryError.overlappingClusters` where one
  ///   lies within another or comes twice; `IndexError` where a file is damaged.
  /// - Complexity: O(k log k + k · level)
  public func clusters(withIDs ids: some Sequence<ClusterID>) throws -> Clusters {
    defer { withExtendedLifetime(storage) {} }
    let nodes = try ids.sorted().map { try node($0) }
    for (node, next) in zip(nodes, nodes.dropFirst()) where node.range.contains(next.range.lowerBound) {
      throw QueryError.overlappingClusters(node.id, next.id)
    }
    for node in nodes { try storage.checkSummary(of: node) }
    return Clusters(tree: self, nodes: nodes)
  }
}
