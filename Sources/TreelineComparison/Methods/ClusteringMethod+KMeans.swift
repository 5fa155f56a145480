import Treeline

/// Parts positions into clusters by k-means: for each position the number of its cluster, from 0 on and below `count`.
/// Some numbers may be left out, as where there are fewer positions than clusters.
package typealias KMeans = @Sendable (_ positions: [PixelPoint], _ count: Int) throws -> [Int]

extension ClusteringMethod {
  /// The clusters of the points in a view, made for that view alone: a yardstick of what is possible.
  package static func kMeans(_ kMeans: @escaping KMeans, of tree: ClusterTree) -> ClusteringMethod {
    ClusteringMethod(
      name: "k-means", title: "k-means",
      summary: "groups made anew for this view alone, as near to their points as a search finds them", isFixed: false
    ) { view, limit, _ in Answer(clusters: try ViewPoints(of: tree, in: view).clusters(count: limit, by: kMeans)) }
  }
}

extension ViewPoints {
  /// At most so many clusters, each shown at its mean.
  func clusters(count: Int, by kMeans: KMeans) throws -> [ShownCluster] {
    let labels = try kMeans(positions, count)
    precondition(
      labels.count == self.count && labels.allSatisfy { 0..<count ~= $0 },
      "Expected \(self.count) numbers below \(count), found \(labels.count) numbers")
    var members = [[Int]](repeating: [], count: count)
    for (index, label) in labels.enumerated() { members[label].append(index) }
    return members.filter { !$0.isEmpty }.map { members in
      let sum = members.reduce(PixelPoint.zero) { $0 + positions[$1] }
      return ShownCluster(
        position: sum / Double(members.count), pointCount: members.count,
        treeIndices: { members.map { treeIndices[$0] } })
    }
  }
}
