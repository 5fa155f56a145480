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
/// A value: the same data and options give the same report, byte for byte, in each of its forms.
public struct ComparisonReport: Sendable {
  /// How many points there are in all.
  public let pointCount: Int

  /// The methods in the order of their columns.
  public let methods: [ClusteringMethod]

  /// None where there is nothing to look at: no point, or one position on a plain plane.
  public let views: [ViewComparison]

  /// A journey through the data, if one was asked for and there is something to look at.
  public let journey: JourneyComparison?

  let plane: Plane

  /// Compares methods of clustering.
  ///
  /// - Parameters:
  ///   - methods: One or more. Where the first is the grid, words tell of the others against it.
  ///   - tree: The points that all of them cluster; of it only their positions and places are used, and the choice of
  ///     views.
  ///   - grid: The same points with their places in tree order for row numbers; `Grid(over: tree)` makes it. It gives
  ///     the number of clusters where the options do not, and is what distortions are compared with.
  ///   - views: Where; nil is where the options say.
  /// - Throws: `ComparisonError` or `QueryError` where the options ask for nothing that can be shown, `GridError` where
  ///   the size of cells is none, `IndexError` where a tree comes from a damaged file, and what k-means throws.
  public init(
    of methods: [ClusteringMethod], over tree: ClusterTree, and grid: Grid, in views: [ComparisonView]? = nil,
    options: ComparisonOptions = ComparisonOptions()
  ) throws {
    precondition(!methods.isEmpty, "Expected one method or more, found none")
    precondition(
      grid.count == tree.pointCount && grid.plane == tree.plane,
      "Expected a grid over the \(tree.pointCount) points of the tree and their plane, found \(grid.count) points"
    )
    if let limit = options.limit, limit < 1 { throw ComparisonError.limitBelowOne(found: limit) }
    pointCount = tree.pointCount
    plane = tree.plane
    self.methods = methods
    self.views = try (views ?? Self.views(of: tree, grid, options)).map {
      try ViewComparison(of: methods, over: tree, and: grid, in: $0, options: options)
    }
    journey = try JourneyComparison(of: methods, over: tree, and: grid, options: options)
  }

  private static func views(
    of tree: ClusterTree, _ grid: Grid, _ options: ComparisonOptions
  ) throws -> [ComparisonView] {
    guard let box = options.box else {
      if let zoom = options.zoom { throw ComparisonError.zoomWithoutBox(found: zoom) }
      return try ViewChoice(tree: tree, grid: grid, size: options.size).views()
    }
    guard let zoom = options.zoom else {
      return [try ComparisonView(box, fitting: options.size, on: tree.plane)]
    }
    return [try ComparisonView(box, zoom: zoom, on: tree.plane)]
  }

  /// What all its pictures show.
  public var shownBoxes: [BoundingBox] { (views.map(\.view) + (journey?.views ?? [])).map(\.box) }

  /// The measures that any method has a value of in any view, and all those that need no yardstick.
  var measures: [Measure] {
    Measure.allCases.filter { measure in
      measure != .distortionToKMeans || views.contains { !$0.values(of: measure).allSatisfy { $0 == nil } }
    }
  }
}
