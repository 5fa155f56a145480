import GridBaseline
import Treeline

/// Methods of clustering side by side, in the same views, at the same number of clusters.
///
/// ```swift
/// let report = try ComparisonReport(of: tree, and: Grid(over: tree))
/// print(report.text)
/// ```
///
/// A value: the same data and options give the same report, byte for byte, in each of its forms.
public struct ComparisonReport: Sendable {
  /// How many points there are in all.
  public let pointCount: Int

  /// The methods in the order of their columns; the first is the one that the others are compared with.
  public let methods: [ClusteringMethod]

  /// None where there is nothing to look at: no point, or one position on a plain plane.
  public let views: [ViewComparison]

  let plane: Plane

  /// Compares the breadth-first answers of a tree with a grid.
  ///
  /// - Parameters:
  ///   - tree: The points.
  ///   - grid: The same points with their places in tree order for row numbers; `Grid(over: tree)` makes it.
  /// - Throws: `ComparisonError` or `QueryError` where the options ask for nothing that can be shown, `GridError` where
  ///   the size of cells is none, `IndexError` where the tree comes from a damaged file.
  public init(
    of tree: ClusterTree, and grid: Grid, options: ComparisonOptions = ComparisonOptions()
  ) throws {
    precondition(
      grid.count == tree.pointCount && grid.plane == tree.plane,
      "Expected a grid over the \(tree.pointCount) points of the tree and their plane, found \(grid.count) points"
    )
    try self.init(
      of: [.grid(grid, cellSize: options.cellSize), .breadthFirst(tree)], over: tree,
      in: Self.views(of: tree, grid, options), options: options)
  }

  /// Compares any methods.
  ///
  /// - Parameters:
  ///   - methods: One or more. The first is compared against, and gives the number of clusters where the options do not.
  ///   - tree: The points that all of them cluster; only their positions and places are used.
  ///   - views: Where.
  ///   - options: Of these, `limit` and `dotLimit`.
  public init(
    of methods: [ClusteringMethod], over tree: ClusterTree, in views: [ComparisonView],
    options: ComparisonOptions = ComparisonOptions()
  ) throws {
    precondition(!methods.isEmpty, "Expected one method or more, found none")
    if let limit = options.limit, limit < 1 { throw ComparisonError.limitBelowOne(found: limit) }
    pointCount = tree.pointCount
    plane = tree.plane
    self.methods = methods
    self.views = try views.map { try ViewComparison(of: methods, over: tree, in: $0, options: options) }
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
}
