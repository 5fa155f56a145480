import GridBaseline
import Treeline

/// The clusters of all compared methods in one view, with their measures.
struct ViewComparison: Sendable {
  let view: ComparisonView
  /// Number of points in the view.
  let pointCount: Int
  /// Maximum number of clusters of each method, at least 1.
  let limit: Int
  /// Results of the methods, in the order of the methods.
  let results: [MethodResult]
  /// For each method, whether it can be called the best. A method that only serves as a yardstick is never called the
  /// best.
  let isRanked: [Bool]
  /// The points in the view, or an even sample of them, for the picture.
  let dots: PointDots

  /// The result of one method.
  struct MethodResult: Sendable {
    let clusters: [ShownCluster]
    let conservation: Conservation
    let measures: MeasureValues<MeasuredView>

    /// Sum of the counts on all badges. The sum includes points outside the view.
    var pointCount: Int { clusters.reduce(0) { $0 + $1.pointCount } }
  }

  /// Maximum number of dots in a picture. A dot takes about 8 bytes.
  private static let dotLimit = 12_000

  init(
    of methods: [ClusteringMethod], over tree: ClusterTree, and grid: Grid, in view: ComparisonView,
    options: ComparisonOptions
  ) throws {
    let points = ViewPoints(of: tree, in: view)
    let limit = try options.limit ?? max(grid.clusterCount(in: view, cellSize: options.cellSize), 1)
    var yardsticks = Yardsticks(
      grid: GridYardstick(grid: grid, cellSize: options.cellSize), kMeans: options.kMeans, view: view, points: points)
    let lonePoints = try tree.lonePoints(in: view)
    self.view = view
    self.limit = limit
    pointCount = points.count
    isRanked = methods.map(\.isFixed)
    results = try methods.map { method in
      let clusters = try method.answer(view, limit, nil).clusters
      let membership = Membership(of: clusters, total: points.total)
      let measured = MeasuredView(
        clusters, limit: limit, in: view, of: tree,
        distortion: points.distortion(of: clusters, in: membership, view: view),
        singles: SinglePoints(
          of: clusters, points, lonePoints: lonePoints, in: membership, of: tree, view: view),
        yardsticks: try yardsticks.distortions(clusterCount: clusters.count))
      return MethodResult(
        clusters: clusters, conservation: Conservation(of: points, in: membership),
        measures: try MeasureValues(ViewMeasure.all, of: measured))
    }
    dots = PointDots(points, atMost: Self.dotLimit)
  }

  /// Returns the value of a measure for each method.
  func values(of measure: ViewMeasure) -> [Double?] { results.map { $0.measures[measure] } }
}
