extension ClusteringMeasures {
  /// The least distance in pixels between the places where any two clusters are shown, on screen or off; nil where there
  /// are fewer than two.
  static func closestPair(_ clusters: [ShownCluster], _ index: PixelIndex) -> Double? {
    clusters.indices.compactMap { one in
      index.nearest(to: one).map { clusters[one].position.squaredDistance(to: clusters[$0].position) }
    }.min()?.squareRoot()
  }
}
