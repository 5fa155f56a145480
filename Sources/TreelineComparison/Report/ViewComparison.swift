import GridBaseline
import Treeline

/// What the methods of a comparison show in one view, and how good it is.
public struct ViewComparison: Sendable {
  public let view: ComparisonView

  /// How many points are inside the view.
  public let pointCount: Int

  /// How many clusters each method was allowed; 1 or more.
  public let limit: Int

  /// One for each method, in their order.
  public let results: [MethodResult]

  /// Which methods vie for the best: not what is made for this view alone, which is there as a yardstick.
  let isRanked: [Bool]

  /// The points inside the view, or an even sample of them, for the picture.
  public let dots: PointDots

  /// What one method shows.
  public struct MethodResult: Sendable {
    public let clusters: [ShownCluster]
    public let measures: ClusteringMeasures
  }

  init(
    of methods: [ClusteringMethod], over tree: ClusterTree, and grid: Grid, in view: ComparisonView,
    options: ComparisonOptions
  ) throws {
    let points = ViewPoints(of: tree, in: view)
    let limit = try options.limit ?? max(grid.clusterCount(in: view, cellSize: options.cellSize), 1)
    var yardsticks = Yardsticks(
      grid: GridYardstick(grid: grid, cellSize: options.cellSize), kMeans: options.kMeans, view: view,
      points: points)
    self.view = view
    self.limit = limit
    pointCount = points.count
    isRanked = methods.map(\.isFixed)
    results = try methods.map { method in
      let clusters = try method.answer(view, limit).clusters
      var measures = try ClusteringMeasures(of: clusters, limit: limit, in: view, points: points, tree: tree)
      measures.distortionToGrid = ratio(
        measures.distortion, try yardsticks.distortionOfGrid(clusterCount: clusters.count))
      measures.distortionToKMeans = ratio(
        measures.distortion, try yardsticks.distortionOfKMeans(clusterCount: clusters.count))
      return MethodResult(clusters: clusters, measures: measures)
    }
    dots = PointDots(points, atMost: options.dotLimit)
  }

  /// The values of a measure, method by method.
  func values(of measure: Measure) -> [Double?] {
    results.map { measure.value(in: $0.measures) }
  }
}

extension Grid {
  func clusterCount(in view: ComparisonView, cellSize: CellSize) throws(GridError) -> Int {
    try clusters(in: view.window, cellSize: cellSize, zoom: view.zoom).count
  }
}

/// 1 where both are 0; nil where only the other is.
private func ratio(_ value: Double?, _ other: Double?) -> Double? {
  guard let value, let other else { return nil }
  return other > 0 ? value / other : value == 0 ? 1 : nil
}

/// What others would show in one view with as many clusters; each is asked once for a number of clusters.
private struct Yardsticks {
  let grid: GridYardstick
  let kMeans: KMeans?
  let view: ComparisonView
  let points: ViewPoints
  private var ofGrid: [Int: Double?] = [:]
  private var ofKMeans: [Int: Double?] = [:]

  init(grid: GridYardstick, kMeans: KMeans?, view: ComparisonView, points: ViewPoints) {
    self.grid = grid
    self.kMeans = kMeans
    self.view = view
    self.points = points
  }

  mutating func distortionOfGrid(clusterCount: Int) throws -> Double? {
    guard points.count > 0 else { return nil }
    if let known = ofGrid[clusterCount] { return known }
    let distortion = try grid.distortion(in: view, of: points, atMost: clusterCount)
    ofGrid[clusterCount] = distortion
    return distortion
  }

  mutating func distortionOfKMeans(clusterCount: Int) throws -> Double? {
    guard let kMeans, points.count > 0, clusterCount > 0 else { return nil }
    if let known = ofKMeans[clusterCount] { return known }
    let clusters = try ClusteringMethod.shownClusters(of: points, count: clusterCount, by: kMeans)
    let distortion = ClusteringMeasures.distortion(
      clusters, of: points, in: Membership(of: clusters, total: points.total), turn: view.turn)
    ofKMeans[clusterCount] = distortion
    return distortion
  }
}
