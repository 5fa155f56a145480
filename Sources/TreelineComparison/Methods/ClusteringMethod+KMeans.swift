import Treeline

/// Parts places into a number of clusters by k-means, by whatever program knows how.
///
/// It gives for each place the number of its cluster, from 0 on and below `count`. Some numbers may be left out, as
/// where there are fewer places than clusters.
public typealias KMeans = @Sendable (_ places: [PixelPoint], _ count: Int) throws -> [Int]

extension ClusteringMethod {
  /// The clusters of the points in a view, made for that view alone: a yardstick of what is possible. It knows nothing of
  /// points outside, and its clusters are others after every move.
  public static func kMeans(_ kMeans: @escaping KMeans, of tree: ClusterTree) -> ClusteringMethod {
    ClusteringMethod(
      name: "k-means", title: "k-means",
      summary: "groups made anew for this view alone, as near to their points as a search finds them",
      isFixed: false
    ) { view, limit in
      Answer(try shownClusters(of: ViewPoints(of: tree, in: view), count: limit, by: kMeans))
    }
  }

  static func shownClusters(of points: ViewPoints, count: Int, by kMeans: KMeans) throws -> [ShownCluster] {
    let labels = try kMeans(points.positions, count)
    precondition(
      labels.count == points.count && labels.allSatisfy { 0..<count ~= $0 },
      "Expected \(points.count) numbers below \(count), found \(labels.count) numbers")
    var members = [[Int]](repeating: [], count: count)
    for (index, label) in labels.enumerated() { members[label].append(index) }
    return members.filter { !$0.isEmpty }.map { indices in
      let (x, y) = indices.reduce((0, 0)) { sum, index in
        (sum.0 + points.positions[index].x, sum.1 + points.positions[index].y)
      }
      let size = Double(indices.count)
      return ShownCluster(
        at: PixelPoint(x: x / size, y: y / size), pointCount: indices.count,
        places: { indices.map { points.places[$0] } })
    }
  }
}
