/// How much a set of badges looks like a lattice, by where the nearest neighbour of each of them stands.
struct GridLook {
  /// The share of clusters, from 0 to 1, whose nearest neighbour lies within 5 degrees of straight left, right, up or
  /// down. By chance it is 4 x 10 / 360 = 0.111. Nil with fewer than two positions.
  let axisShare: Double?

  /// The standard deviation of the distances to the nearest neighbour over their mean, 0 or more: 0 for a lattice, 0.52
  /// for points strewn at random, more where density varies. Nil with fewer than two positions.
  let neighbourSpread: Double?

  init(_ clusters: [ShownCluster], _ index: PixelIndex) {
    var distances: [Double] = []
    var onAxis = 0
    for (one, cluster) in clusters.enumerated() {
      guard let nearest = index.nearest(to: one).map({ clusters[$0].position }) else { continue }
      let (dx, dy) = (abs(nearest.x - cluster.position.x), abs(nearest.y - cluster.position.y))
      // Two clusters at one place have a distance but no direction.
      distances.append((dx * dx + dy * dy).squareRoot())
      if max(dx, dy) > 0, min(dx, dy) <= Self.tangentOf5Degrees * max(dx, dy) { onAxis += 1 }
    }
    let mean = distances.reduce(0, +) / Double(max(distances.count, 1))
    let apart = distances.count { $0 > 0 }
    axisShare = apart > 0 ? Double(onAxis) / Double(apart) : nil
    let variance = distances.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(max(distances.count, 1))
    neighbourSpread = mean > 0 ? variance.squareRoot() / mean : nil
  }

  private static let tangentOf5Degrees = 0.08748866352592401
}
