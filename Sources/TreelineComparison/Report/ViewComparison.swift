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

  /// The points inside the view, or an even sample of them, for the picture.
  public let dots: PointDots

  /// What one method shows.
  public struct MethodResult: Sendable {
    public let clusters: [ShownCluster]
    public let measures: ClusteringMeasures
  }

  init(
    of methods: [ClusteringMethod], over tree: ClusterTree, in view: ComparisonView,
    options: ComparisonOptions
  ) throws {
    let points = ViewPoints(of: tree, in: view)
    let first = try methods[0].clusters(view, options.limit ?? .max)
    let limit = options.limit ?? max(first.count, 1)
    let others = try methods.dropFirst().map { try $0.clusters(view, limit) }
    self.view = view
    self.limit = limit
    pointCount = points.count
    results = try ([first] + others).map { clusters in
      MethodResult(
        clusters: clusters,
        measures: try ClusteringMeasures(of: clusters, limit: limit, in: view, points: points, tree: tree))
    }
    dots = PointDots(points, atMost: options.dotLimit)
  }

  /// The values of a measure, method by method.
  func values(of measure: Measure) -> [Double?] {
    results.map { measure.value(in: $0.measures) }
  }
}
