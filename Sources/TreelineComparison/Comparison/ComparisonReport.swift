import Foundation
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

/// What to compare, and how.
package struct ComparisonOptions: Sendable {
  /// What to look at; nil chooses several views.
  package var viewport: Viewport?

  /// The size of the screen where views are chosen.
  package var size: Viewport.Size

  package var cellSize: CellSize

  /// How many clusters a view may have; nil is as many as the grid happens to have there.
  package var limit: Int?

  /// What clusters by k-means, as a yardstick; it is asked for several numbers of clusters in each view.
  package var kMeans: KMeans?

  /// What to fly through besides; nil is no journey.
  package var journey: Journey?

  package enum Journey: Sendable {
    /// A flight chosen by the data: see `Flight`.
    case flight

    /// Views one after the other.
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

/// A comparison that cannot be made.
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
    case .boxOffPlane(let found): "expected a box that touches the square around the data, found \(found)"
    case .boxWithoutArea(let found): "expected a box wider and higher than 0, found \(found)"
    case .pictureTooLarge(let width, let height):
      "expected a box of at most \(fixed(ComparisonView.maximumSide, 0)) pixels a side at its zoom, "
        + "found \(fixed(width, 0)) x \(fixed(height, 0)); lower the zoom or shrink the box"
    case .limitBelowOne(let found): "expected a limit of 1 or more clusters, found \(found)"
    }
  }
}
