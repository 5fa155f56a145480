import GridBaseline
import Treeline

/// The grid that methods are measured against: as fine as is allowed, or widened until it shows no more clusters than
/// they do, for more badges lie nearer to their points whatever the method.
struct GridYardstick {
  let grid: Grid

  /// The narrowest cells.
  let cellSize: CellSize

  /// How much wider cells get from one try to the next.
  private static let step = 1.02

  /// The cells in pixels, and their clusters: the narrowest that are at least as wide as `cellSize` and show at most
  /// `count` clusters, 1 or more, where width grows by steps of 2 %.
  ///
  /// - Complexity: O(log(width of the plane / width of a cell)) answers of the grid
  func clusters(in view: ComparisonView, atMost count: Int) throws -> (cell: Double, clusters: [ShownCluster])
  {
    var cell =
      switch cellSize {
      case .pixels(let pixels): pixels
      case .published: Double(try cellSize.units(zoom: view.zoom)) / view.unitsPerPixel
      }
    while try grid.clusters(in: view.window, cellSize: .pixels(cell), zoom: view.zoom).count > max(count, 1) {
      cell *= Self.step
    }
    return (cell, try grid.shownClusters(in: view, cellSize: .pixels(cell)))
  }

  /// The root mean square distance of the points in a view to the clusters of such a grid, in pixels.
  func distortion(in view: ComparisonView, of points: ViewPoints, atMost count: Int) throws -> Double? {
    let clusters = try clusters(in: view, atMost: count).clusters
    return ClusteringMeasures.distortion(
      clusters, of: points, in: Membership(of: clusters, total: points.total), turn: view.turn)
  }
}
