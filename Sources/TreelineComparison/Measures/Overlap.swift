import Treeline

extension ClusteringMeasures {
  /// The share of clusters, from 0 to 1, whose badge touches that of another: whose centres are no further apart than
  /// their two radii, as `BadgeSize` has them, together. 0 where there are no clusters.
  static func overlap(_ clusters: [ShownCluster], _ index: PixelIndex) -> Double {
    let radii = clusters.map { BadgeSize.diameter(pointCount: $0.pointCount) / 2 }
    let largest = radii.max() ?? 0
    let touching = clusters.indices.count { one in
      index.hasNeighbour(of: one, within: radii[one] + largest) { other in
        let reach = radii[one] + radii[other]
        return clusters[one].position.squaredDistance(to: clusters[other].position) <= reach * reach
      }
    }
    return clusters.isEmpty ? 0 : Double(touching) / Double(clusters.count)
  }
}
