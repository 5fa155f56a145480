import GridBaseline
import Treeline

extension ViewMeasure {
  /// Root mean square distance of points to their badge. Clusters may also have points outside the view. Only points in
  /// the view are measured, so that all methods are judged by the same points.
  static var distortion: Self {
    Self(
      key: "distortion_px", title: "Point to its badge",
      explanation: "How well badges show where the points are: root mean square distance from points to their badges.",
      unit: .pixels, direction: .less
    ) { $0.distortion }
  }

  /// The distortion of a method, divided by the distortion of a grid that has no more clusters than the method. See
  /// `GridYardstick`.
  static var distortionToGrid: Self {
    Self(
      key: "distortion_to_grid", title: "  compared with a grid",
      explanation:
        "Root mean square distance from points to their badges, "
        + "divided by the distance from points to the badges of a grid. "
        + "The cells of the grid are widened until the grid has at most as many badges as the method.",
      unit: .ratio, direction: .less,
      praise: Praise(
        title: "Distance from points to badges, compared with a grid",
        clause: .gain(of: "points", nearerTo: "their badge", ending: " at the same number of badges"))
    ) { ratio($0.distortion, $0.yardsticks.grid) }
  }

  /// The distortion of a method, divided by the distortion of k-means with an equal number of clusters. 1 is about the
  /// best possible value.
  static var distortionToKMeans: Self {
    Self(
      key: "distortion_to_kmeans", title: "  against k-means",
      explanation:
        "Root mean square distance from points to their badges, "
        + "divided by the distance from points to the badges of k-means. "
        + "Both methods have the same number of badges.",
      unit: .ratio, direction: .less
    ) { ratio($0.distortion, $0.yardsticks.kMeans) }
  }
}

/// Returns the ratio of two values: 1 if both values are 0, nil if only the second value is 0.
private func ratio(_ value: Double?, _ other: Double?) -> Double? {
  guard let value, let other else { return nil }
  return other > 0 ? value / other : value == 0 ? 1 : nil
}

/// Sum of the squared distances between points and the positions of their clusters.
struct Distortion {
  private let turn: Double
  private var sum = 0.0
  private(set) var pointCount = 0

  init(in view: ComparisonView) { turn = view.turn }

  /// Adds a point. In a picture of the whole world, the badge of a point may be drawn at the opposite edge. So the
  /// distance is measured the shorter way around the world.
  mutating func add(_ point: PixelPoint, shownAt badge: PixelPoint) {
    sum += point.squaredDistance(to: badge, turn: turn)
    pointCount += 1
  }

  /// The root mean square of the distances in pixels; nil if there are no points.
  var rootMeanSquare: Double? { pointCount > 0 ? (sum / Double(pointCount)).squareRoot() : nil }
}

extension ViewPoints {
  /// Returns the root mean square distance between points and the positions of their clusters; nil if no point is in a
  /// cluster.
  func distortion(of clusters: [ShownCluster], in membership: Membership, view: ComparisonView) -> Double? {
    var distortion = Distortion(in: view)
    for (position, index) in zip(positions, treeIndices) where membership.owners[index] >= 0 {
      distortion.add(position, shownAt: clusters[Int(membership.owners[index])].position)
    }
    return distortion.rootMeanSquare
  }

  func distortion(of clusters: [ShownCluster], in view: ComparisonView) -> Double? {
    distortion(of: clusters, in: Membership(of: clusters, total: total), view: view)
  }
}

/// The distortions of a grid and of k-means in a view, for comparison with a method. The grid has no more clusters
/// than the method. K-means has the same number of clusters as the method.
struct Yardsticks {
  let grid: GridYardstick
  let kMeans: KMeans?
  let view: ComparisonView
  let points: ViewPoints
  /// The distortions that were already computed. The key is the number of clusters.
  var known: [Int: Distortions] = [:]

  /// Distortions in pixels; nil for a distortion that was not computed.
  struct Distortions: Sendable {
    var grid: Double?
    var kMeans: Double?
  }

  mutating func distortions(clusterCount: Int) throws -> Distortions {
    guard points.count > 0 else { return Distortions() }
    if let known = known[clusterCount] { return known }
    let cells = try grid.clusters(in: view, atMost: clusterCount).clusters
    var distortions = Distortions(grid: points.distortion(of: cells, in: view))
    if let kMeans, clusterCount > 0 {
      let clusters = try points.clusters(count: clusterCount, by: kMeans)
      distortions.kMeans = points.distortion(of: clusters, in: view)
    }
    known[clusterCount] = distortions
    return distortions
  }
}

/// The grid with which methods are compared. For any method, more badges bring points closer to their badges. So the
/// grid must not have more badges than the compared method. The cells are widened until the grid meets this condition.
struct GridYardstick {
  let grid: Grid
  /// Size of the cells before they are widened.
  let cellSize: CellSize

  /// Returns the clusters of a grid with at most `count` clusters, and the width of the grid's cells in pixels. The
  /// width grows from `cellSize` in steps of 2 %, until there are at most `count` clusters. `count` must be at least 1.
  ///
  /// - Complexity: The grid computes its clusters O(log(width of the plane / width of a cell)) times.
  func clusters(in view: ComparisonView, atMost count: Int) throws -> (cell: Double, clusters: [ShownCluster]) {
    var cell =
      switch cellSize {
      case .pixels(let pixels): pixels
      case .published: Double(try cellSize.units(zoom: view.zoom)) / view.unitsPerPixel
      }
    while try grid.clusterCount(in: view, cellSize: .pixels(cell)) > max(count, 1) { cell *= 1.02 }
    return (cell, try grid.shownClusters(in: view, cellSize: .pixels(cell)))
  }
}
