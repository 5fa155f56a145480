import GridBaseline
import Treeline

extension ViewMeasure {
  /// Over the points in the view, though clusters may stand for more: all methods are judged by the same points.
  static var distortion: Self {
    Self(
      key: "distortion_px", title: "Point to its badge",
      explanation: "How well badges tell where the points are: root mean square distance.", unit: .pixels,
      direction: .less
    ) { $0.distortion }
  }

  /// The distortion over that of a grid that shows no more clusters: see `GridYardstick`.
  static var distortionToGrid: Self {
    Self(
      key: "distortion_to_grid", title: "  against as large a grid",
      explanation: "The same, over that of a grid with no more badges: its cells are widened until it has as few.",
      unit: .ratio, direction: .less,
      praise: Praise(
        title: "Point to its badge, against a grid",
        clause: .gain(of: "points", nearerTo: "their badge", ending: " in as many badges"))
    ) { ratio($0.distortion, $0.yardsticks.grid) }
  }

  /// The distortion over that of k-means at the same number of clusters; 1 is about as good as can be.
  static var distortionToKMeans: Self {
    Self(
      key: "distortion_to_kmeans", title: "  against k-means",
      explanation: "The same, over that of k-means with as many badges.", unit: .ratio, direction: .less
    ) { ratio($0.distortion, $0.yardsticks.kMeans) }
  }
}

/// 1 where both are 0; nil where only the other is.
private func ratio(_ value: Double?, _ other: Double?) -> Double? {
  guard let value, let other else { return nil }
  return other > 0 ? value / other : value == 0 ? 1 : nil
}

/// Sums up how far points lie from where their clusters are shown.
struct Distortion {
  private let turn: Double
  private var sum = 0.0
  private(set) var pointCount = 0

  init(in view: ComparisonView) { turn = view.turn }

  /// In a picture of the whole world a cluster may stand on the other side of it from some of its points.
  mutating func add(_ point: PixelPoint, shownAt badge: PixelPoint) {
    sum += point.squaredDistance(to: badge, turn: turn)
    pointCount += 1
  }

  /// In pixels; nil where there are no points.
  var rootMeanSquare: Double? { pointCount > 0 ? (sum / Double(pointCount)).squareRoot() : nil }
}

extension ViewPoints {
  /// The root mean square distance of points to where their clusters are shown; nil where none is in a cluster.
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

/// What others would show in one view with as many clusters as a method.
struct Yardsticks {
  let grid: GridYardstick
  let kMeans: KMeans?
  let view: ComparisonView
  let points: ViewPoints
  /// By the number of clusters.
  var known: [Int: Distortions] = [:]

  /// In pixels; nil where there is none.
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

/// The grid that methods are measured against: widened until it shows no more clusters than they do, as more badges
/// lie nearer to their points whatever the method.
struct GridYardstick {
  let grid: Grid
  /// The narrowest cells.
  let cellSize: CellSize

  /// The cells in pixels, and their clusters: the narrowest that are at least as wide as `cellSize` and show at most
  /// `count` clusters, 1 or more, where width grows by steps of 2 %.
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
