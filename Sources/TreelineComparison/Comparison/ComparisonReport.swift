import Foundation
import GridBaseline
@_spi(Server) import Treeline

/// A comparison of clustering methods in the same views, at the same number of clusters.
///
/// ```swift
/// let grid = Grid(over: tree)
/// let report = try ComparisonReport(of: [.grid(grid), .breadthFirst(tree)], over: tree, and: grid)
/// print(report.text)
/// ```
///
/// If the data and the options are equal, two reports in the same format have equal bytes.
package struct ComparisonReport: Sendable {
  let pointCount: Int
  /// Methods, in the order of the report's columns.
  let methods: [ClusteringMethod]
  /// Compared views; empty if there are no points, or if all points share one position on a plane without a projection.
  let views: [ViewComparison]
  /// The compared journey; nil if no journey was requested, or if there are no views.
  let journey: JourneyComparison?
  package var hasJourney: Bool { journey != nil }

  let plane: Plane

  /// - Parameters:
  ///   - methods: One or more methods. The summary compares each method with the first method, such as the grid.
  ///   - tree: The tree. Each method divides the points of this tree into clusters.
  ///   - grid: `Grid(over: tree)`. If the options have no limit, the limit in a view is the number of clusters of this
  ///     grid in the view. The grid is also a yardstick: the report divides the distortions of the methods by the
  ///     distortions of the grid.
  ///   - views: The views; nil to choose views by the options.
  /// - Throws: `ComparisonError` or `QueryError` if the options request something that cannot be shown. `GridError` if
  ///   the size of cells is invalid. `IndexError` if the index of a tree is damaged. Errors of k-means are passed on.
  package init(
    of methods: [ClusteringMethod], over tree: ClusterTree, and grid: Grid, in views: [ComparisonView]? = nil,
    options: ComparisonOptions = ComparisonOptions()
  ) throws {
    precondition(!methods.isEmpty, "Expected one method or more, found none")
    precondition(
      grid.count == tree.pointCount && grid.plane == tree.plane,
      "Expected the grid and the tree to have the same plane and the same number of points, "
        + "found \(grid.count) points in the grid and \(tree.pointCount) in the tree")
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

  /// Boxes of all views that the report shows as pictures.
  package var shownBoxes: [BoundingBox] { (views.map(\.view) + (journey?.views ?? [])).map(\.box) }

  /// Returns the measures in `order`. Leaves out the distortion relative to k-means if this measure has no values. It
  /// has values only if k-means takes part.
  func measures(_ order: [ViewMeasure] = ViewMeasure.all) -> [ViewMeasure] {
    let hasKMeans = views.contains { $0.values(of: .distortionToKMeans).contains { $0 != nil } }
    return hasKMeans ? order : order.filter { $0 != .distortionToKMeans }
  }
}

/// Options of a comparison.
package struct ComparisonOptions: Sendable {
  /// The view to compare; nil to choose several views.
  var viewport: Viewport?

  /// Size of the screen for views that are chosen from the data.
  var size: Viewport.Size

  package var cellSize: CellSize

  /// Maximum number of clusters in a view; nil to use the number of clusters that the grid shows in the view.
  var limit: Int?

  /// The k-means function, which finds clusters that are almost the best possible; nil to leave k-means out of the
  /// comparison. In each view, the function may be called several times, with different numbers of clusters.
  package var kMeans: KMeans?

  /// A journey to compare in addition to the views; nil to compare only the views.
  package var journey: Journey?

  package enum Journey: Sendable {
    /// A flight chosen from the data. See `Flight`.
    case flight

    /// Views in the order in which they are shown.
    case views([Viewport])
  }

  package init(
    viewport: Viewport? = nil, size: Viewport.Size = .standard, cellSize: CellSize = .pixels(64), limit: Int? = nil
  ) {
    (self.viewport, self.size, self.cellSize, self.limit) = (viewport, size, cellSize, limit)
  }
}

extension Viewport.Size {
  package static let standard = Viewport.Size(width: 1024, height: 768)
}

/// The reason why a requested comparison cannot be carried out.
package enum ComparisonError: Error, Hashable, Sendable {
  case notAPicture(found: Viewport)
  case boxOffPlane(found: BoundingBox)
  case boxWithoutArea(found: BoundingBox)
  case limitBelowOne(found: Int)
  case pictureTooLarge(width: Double, height: Double)
}

extension ComparisonError: LocalizedError {
  package var errorDescription: String? { description }
}

extension ComparisonError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notAPicture(let found): "expected a viewport with a zoom or a size, found \(found)"
    case .boxOffPlane(let found): "expected a box that overlaps the square around the data, found \(found)"
    case .boxWithoutArea(let found): "expected a box with a width and a height above 0, found \(found)"
    case .pictureTooLarge(let width, let height):
      "expected a box of at most \(fixed(ComparisonView.maximumSide, 0)) pixels per side at its zoom, "
        + "found \(fixed(width, 0)) x \(fixed(height, 0)); lower the zoom or shrink the box"
    case .limitBelowOne(let found): "expected a limit of 1 or more clusters, found \(found)"
    }
  }
}
