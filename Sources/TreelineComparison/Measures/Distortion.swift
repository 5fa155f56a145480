extension ClusteringMeasures {
  /// The root of the mean squared distance, in pixels, of the points in a view to where their cluster is shown.
  ///
  /// Only points in the view count, though clusters may stand for more; hence all methods are judged by the same
  /// points. Nil where no point of the view is in a cluster.
  static func distortion(
    _ clusters: [ShownCluster], of points: ViewPoints, in membership: Membership, turn: Double
  ) -> Double? {
    var sum = 0.0
    var count = 0
    for (position, place) in zip(points.positions, points.places) {
      let owner = Int(membership.owners[place])
      guard owner >= 0 else { continue }
      let shown = clusters[owner].position
      var dx = abs(position.x - shown.x)
      // In a picture of the whole world a cluster may stand on the other side of it from some of its points.
      dx = min(dx, abs(turn - dx))
      let dy = position.y - shown.y
      sum += dx * dx + dy * dy
      count += 1
    }
    return count > 0 ? (sum / Double(count)).squareRoot() : nil
  }
}
