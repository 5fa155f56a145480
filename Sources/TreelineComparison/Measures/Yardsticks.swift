import GridBaseline
import Treeline

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
