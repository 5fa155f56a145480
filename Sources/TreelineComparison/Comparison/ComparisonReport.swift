import GridBaseline
import Treeline

/// Methods of clustering side by side, in the same views, at the same number of clusters.
///
/// ```swift
/// let grid = Grid(over: tree)
/// let report = try ComparisonReport(of: [.grid(grid), .breadthFirst(tree)], over: tree, and: grid)
/// print(report.text)
/// ```
///
/// The same data and options give the same report, byte for byte, in each of its forms.
package struct ComparisonReport: Sendable {
  let pointCount: Int
  /// In the order of their columns.
  let methods: [ClusteringMethod]
  /// None where there is nothing to look at: no point, or one position on a plain plane.
  let views: [ViewComparison]
  /// nil where none was asked for, or there is nothing to look at.
  let journey: JourneyComparison?

  let plane: Plane

  /// - Parameters:
  ///   - methods: One or more. Where the first is the grid, words tell of the others against it.
  ///   - tree: The points that all of them cluster.
  ///   - grid: `Grid(over: tree)`. It gives the number of clusters where the options do not, and is what distortions
  ///     are compared with.
  ///   - views: Where; nil is where the options say.
  /// - Throws: `ComparisonError` or `QueryError` where the options ask for nothing that can be shown, `GridError`
  ///   where the size of cells is none, `IndexError` where a tree comes from a damaged file, and what k-means throws.
  package init(
    of methods: [ClusteringMethod], over tree: ClusterTree, and grid: Grid, in views: [ComparisonView]? = nil,
    options: ComparisonOptions = ComparisonOptions()
  ) throws {
    precondition(!methods.isEmpty, "Expected one method or more, found none")
    precondition(
      grid.count == tree.pointCount && grid.plane == tree.plane,
      "Expected a grid over the \(tree.pointCount) points of the tree and their plane, found \(grid.count) points")
    if let limit = options.limit, limit < 1 { throw ComparisonError.limitBelowOne(found: limit) }
    pointCount = tree.pointCount
    plane = tree.plane
    self.methods = methods
    self.views = try (views ?? Self.views(of: tree, grid, options)).map {
      try ViewComparison(of: methods, over: tree, and: grid, in: $0, options: options)
    }
    journey = try JourneyComparison(of: methods, over: tree, and: grid, options: options)
  }

  private static func views(of tree: ClusterTree, _ grid: Grid, _ options: ComparisonOptions) throws -> [ComparisonView]
  {
    if let viewport = options.viewport { return [try ComparisonView(viewport, on: tree.plane)] }
    return try ViewChoice(tree: tree, grid: grid, size: options.size).views()
  }

  /// What all its pictures show.
  package var shownBoxes: [BoundingBox] { (views.map(\.view) + (journey?.views ?? [])).map(\.box) }

  /// Of the measures in some order, those that there are: all but that of k-means where it was no yardstick.
  func measures(_ order: [ViewMeasure] = ViewMeasure.all) -> [ViewMeasure] {
    let hasKMeans = views.contains { $0.values(of: .distortionToKMeans).contains { $0 != nil } }
    return hasKMeans ? order : order.filter { $0 != .distortionToKMeans }
  }
}
