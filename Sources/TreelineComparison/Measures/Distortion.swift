import GridBaseline
import Treeline

extension ViewMeasure {
  /// Root mean square distance of points to their badge. Only points in view are used, even if clusters have points out
  /// of view, so that all methods are judged by the same points.
  static var distortion: Self {
    Self(
      key: "distortion_px", title: "Point to its badge",
      explanation: "How well badges show where the points are: root mean square distance.", unit: .pixels,
      direction: .less
    ) { $0.distortion }
  }

  /// The distortion divided by the distortion of a grid that shows no more clusters: see `GridYardstick`.
  static var distortionToGrid: Self {
    Self(
      key: "distortion_to_grid", title: "  against as large a grid",
      explanation: "The distance above divided by the distance for a grid, whose cells are widened until it has no "
        + "more badges than the method.",
      unit: .ratio, direction: .less,
      praise: Praise(
        title: "Point to its badge, against a grid",
        clause: .gain(of: "points", nearerTo: "their badge", ending: " at the same number of badges"))
    ) { ratio($0.distortion, $0.yardsticks.grid) }
  }

  /// The distortion divided by the distortion of k-means at the same number of clusters. A value of 1 is about the best
  /// that is possible.
  static var distortionToKMeans: Self {
    Self(
      key: "distortion_to_kmeans", title: "  against k-means",
      explanation: "The distance above divided by the distance for k-means with the same number of badges.",
      unit: .ratio, direction: .less
    ) { ratio($0.distortion, $0.yardsticks.kMeans) }
  }
}

/// Returns the ratio of two values; 1 if both are 0, nil if only the second value is 0.
private func ratio(_ value: Double?, _ other: Double?) -> Double? {
  guard let value, let other else { return nil }
  return other > 0 ? value / other : value == 0 ? 1 : nil
}

/// Sum of the squared distances from points to the positions at which their clusters are shown.
struct Distortion {
  private let turn: Double
  private var sum = 0.0
  private(set) var pointCount = 0

  init(in view: ComparisonView) { turn = view.turn }

  /// Adds a point. In a picture of the whole world, its cluster may be shown on the opposite side of the picture.
  mutating func add(_ point: PixelPoint, shownAt badge: PixelPoint) {
    sum += point.squaredDistance(to: badge, turn: turn)
    pointCount += 1
  }

  /// The distortion in pixels; nil if there are no points.
  var rootMeanSquare: Double? { pointCount > 0 ? (sum / Double(pointCount)).squareRoot() : nil }
}

extension ViewPoints {
  /// Returns the root mean square distance of points to the positions at which their clusters are shown; nil if no
  /// point is in a cluster.
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

/// The distortions of a grid and of k-means in one view, at the number of clusters that a method shows.
struct Yardsticks {
  let grid: GridYardstick
  let kMeans: KMeans?
  let view: ComparisonView
  let points: ViewPoints
  /// Distortions that are known already, by the number of clusters.
  var known: [Int: Distortions] = [:]

  /// Distortions in pixels; nil for a missing distortion.
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

/// The grid that methods are compared with. Its cells are widened until it shows no more clusters than the compared
/// method. The reason is that with any method, points are closer to their badges if there are more badges.
struct GridYardstick {
  let grid: Grid
  /// Size of the narrowest cells.
  let cellSize: CellSize

  /// Returns the width of cells in pixels, and the clusters of these cells. The cells are the narrowest cells that are
  /// at least as wide as `cellSize` and show at most `count` clusters. `count` is 1 or more, and the width grows by
  /// steps of 2 %.
  ///
  /// - Complexity: O(log(width of the plane / width of a cell)) answers of the grid
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
