import Treeline

extension ViewMeasure {
  /// From 0 to 1; nil where no two clusters stand apart.
  static var axisShare: Self {
    Self(
      key: "grid_look", title: "Badges in rows and columns",
      explanation:
        "Share of badges whose nearest neighbour stands straight beside, above or below, within 5°. Chance alone gives 11 %.",
      unit: .share, direction: .less, praise: Praise(clause: .value(of: "of its badges in line with their neighbour"))
    ) { $0.neighbours.axisShare }
  }

  /// 0 or more; nil where no two clusters stand apart.
  static var neighbourSpread: Self {
    Self(
      key: "neighbour_spread", title: "Unevenness of gaps",
      explanation:
        "Do badges crowd where data is dense? Standard deviation over mean of the distances between neighbours: "
        + "0 is a lattice, 0.52 is chance.", unit: .ratio, direction: .more
    ) { $0.neighbours.spread }
  }

  /// From 0 to 1; 0 where there are no clusters.
  static var overlap: Self {
    Self(
      key: "overlap", title: "Badges that touch another",
      explanation: "How often badges get in each other's way. They are 25 to 44 px wide, by their count.", unit: .share,
      direction: .less, praise: Praise(clause: .value(of: "of its badges touching another"))
    ) { $0.badges.overlap(of: $0.clusters) }
  }

  /// On screen or off; nil below two clusters.
  static var closestPair: Self {
    Self(
      key: "closest_pair_px", title: "Nearest two badges",
      explanation: "The least distance between the middles of two badges.", unit: .pixels, direction: .more
    ) { $0.neighbours.least }
  }
}

/// How the nearest neighbours of badges lie to them.
struct NeighbourDistances: Sendable {
  /// See `ViewMeasure.axisShare`, `neighbourSpread` and `closestPair`.
  let axisShare: Double?
  let spread: Double?
  let least: Double?

  init(_ clusters: [ShownCluster], _ badges: PixelIndex) {
    var distances: [Double] = []
    var onAxis = 0
    for (index, cluster) in clusters.enumerated() {
      guard let nearest = badges.nearest(to: index).map({ clusters[$0].position }) else { continue }
      let (dx, dy) = (abs(nearest.x - cluster.position.x), abs(nearest.y - cluster.position.y))
      // Two clusters at one position have a distance but no direction.
      distances.append(squaredLength(dx, dy).squareRoot())
      if max(dx, dy) > 0, min(dx, dy) <= Self.tangentOf5Degrees * max(dx, dy) { onAxis += 1 }
    }
    least = distances.min()
    let apart = distances.count { $0 > 0 }
    axisShare = apart > 0 ? Double(onAxis) / Double(apart) : nil
    let average = mean(distances) ?? 0
    let variance = mean(distances.map { ($0 - average) * ($0 - average) }) ?? 0
    spread = average > 0 ? variance.squareRoot() / average : nil
  }

  private static let tangentOf5Degrees = 0.08748866352592401
}

extension PixelIndex {
  /// The share of clusters, from 0 to 1, whose badge touches another. The index is that of their positions.
  func overlap(of clusters: [ShownCluster]) -> Double {
    let radii = clusters.map { BadgeSize.diameter(pointCount: $0.pointCount) / 2 }
    let largest = radii.max() ?? 0
    let touching = clusters.indices.count { one in
      hasNeighbour(of: one, within: radii[one] + largest) { other in
        let reach = radii[one] + radii[other]
        return clusters[one].position.squaredDistance(to: clusters[other].position) <= reach * reach
      }
    }
    return clusters.isEmpty ? 0 : Double(touching) / Double(clusters.count)
  }
}
