/// The clusters of an answer, in tree order.
///
/// An answer is a cut through the tree: it holds which nodes these are, in 16 bytes each. What a cluster looks like is
/// read when it is asked for, so a client that only wants to know what has changed pays for nothing else.
public struct Clusters: RandomAccessCollection, Sendable {
  let tree: ClusterTree
  var nodes: [Node]

  public var startIndex: Int { 0 }
  public var endIndex: Int { nodes.count }

  /// - Complexity: O(1); of up to 16 points the mean and the spread are taken anew.
  public subscript(position: Int) -> Cluster { tree.withStorage { _ in tree.cluster(of: nodes[position]) } }

  /// The index in the answer of the cluster that holds a point, given by its index in tree order; nil if none does. So
  /// what is selected stays selected, whatever cluster it is part of.
  ///
  /// - Complexity: O(log k)
  public func firstIndex(containingTreeIndex treeIndex: Int) -> Int? {
    let index = Treeline.firstIndex(in: 0..<nodes.count) { nodes[$0].range.upperBound > treeIndex }
    return index < nodes.count && nodes[index].range.contains(treeIndex) ? index : nil
  }

  /// The id of the cluster at a position, without reading anything else of it.
  public func id(at position: Int) -> ClusterID { nodes[position].id }

  func isOf(_ storage: TreeStorage) -> Bool { tree.withStorage { $0 === storage } }
}

extension Clusters: Equatable { public static func == (a: Clusters, b: Clusters) -> Bool { a.elementsEqual(b) } }
