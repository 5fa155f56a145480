import Treeline

/// How good a clustering of one view is, in numbers. Pixels are those of the view.
public struct ClusteringMeasures: Hashable, Sendable {
  /// How many clusters are shown.
  public let clusterCount: Int

  /// How many points they say they stand for, in the view and beyond.
  public let pointCount: Int

  /// How far points lie from where their cluster is shown: root mean square in pixels, 0 or more, over the points in
  /// the view. Less is better.
  public let distortion: Double?

  /// The distortion over that of a grid that shows no more clusters: see `GridYardstick`. Less is better.
  public internal(set) var distortionToGrid: Double?

  /// The distortion over that of k-means at the same number of clusters. Less is better; 1 is about as good as can be.
  public internal(set) var distortionToKMeans: Double?

  /// The share of clusters whose badge touches another, from 0 to 1. Less is better.
  public let overlap: Double

  /// The least distance in pixels between the places where two clusters are shown. More is better.
  public let closestPair: Double?

  /// The share of clusters whose nearest neighbour lies within 5 degrees of straight left, right, up or down, from 0
  /// to 1; 0.11 by chance. Less is better.
  public let gridLook: Double?

  /// The spread of the distances to the nearest neighbour: standard deviation over mean, 0 or more; 0 for a lattice.
  /// More looks less like one.
  public let neighbourSpread: Double?

  /// The mean distance in pixels from where a cluster is shown to the nearest point. Less is better.
  public let dataDistance: Double?

  /// The number of clusters over the number allowed, 0 or more. 1 is best.
  public let fill: Double

  /// Whether points and counts add up.
  public let conservation: Conservation

  init(
    of clusters: [ShownCluster], limit: Int, in view: ComparisonView, points: ViewPoints, tree: ClusterTree
  ) throws {
    let membership = Membership(of: clusters, total: points.total)
    let index = PixelIndex(clusters.map(\.position))
    let look = GridLook(clusters, index)
    clusterCount = clusters.count
    pointCount = clusters.reduce(0) { $0 + $1.pointCount }
    distortion = Self.distortion(clusters, of: points, in: membership, turn: view.turn)
    overlap = Self.overlap(clusters, index)
    closestPair = Self.closestPair(clusters, index)
    gridLook = look.axisShare
    neighbourSpread = look.neighbourSpread
    dataDistance = try Self.dataDistance(clusters, in: view, of: tree)
    fill = Double(clusters.count) / Double(limit)
    conservation = Conservation(of: points, in: membership)
  }
}
