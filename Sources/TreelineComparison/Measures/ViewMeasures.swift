import Treeline

/// The clusters of a method in a view. The measures of the view are computed from these clusters.
struct MeasuredView: Sendable {
  let clusters: [ShownCluster]
  let badges: PixelIndex
  let neighbours: NeighbourDistances
  let view: ComparisonView
  let tree: ClusterTree
  /// Maximum number of clusters, at least 1.
  let limit: Int
  /// Root mean square distance from points in the view to their badges. Measured on all of these points or on a sample.
  let distortion: Double?

  let singles: SinglePoints
  let yardsticks: Yardsticks.Distortions

  init(
    _ clusters: [ShownCluster], limit: Int, in view: ComparisonView, of tree: ClusterTree, distortion: Double?,
    singles: SinglePoints = .init(), yardsticks: Yardsticks.Distortions = .init()
  ) {
    badges = PixelIndex(clusters.map(\.position))
    neighbours = NeighbourDistances(clusters, badges)
    (self.clusters, self.limit, self.view, self.tree) = (clusters, limit, view, tree)
    (self.distortion, self.singles, self.yardsticks) = (distortion, singles, yardsticks)
  }
}

typealias ViewMeasure = Measure<MeasuredView>

extension ViewMeasure {
  /// All measures, in the order of the tables in a report.
  static var all: [Self] { arrangement + positions + truth + [fill] }

  /// All measures, in the order of JSON.
  static var inJSON: [Self] { positions + arrangement + truth + [fill] }

  private static var arrangement: [Self] { [axisShare, neighbourSpread, dataDistance] }
  private static var positions: [Self] { [distortion, distortionToGrid, distortionToKMeans, overlap, closestPair] }
  private static var truth: [Self] { [singleShare, lonePointsKept, densityCorrelation] }

  static var fill: Self {
    Self(
      key: "fill", title: "Badges as share of the limit", explanation: "Number of badges as a share of the limit.",
      unit: .share, direction: .nearerToOne
    ) { Double($0.clusters.count) / Double($0.limit) }
  }
}
