import GridBaseline
import Treeline

extension ClusteringMethod {
  /// One cluster for each occupied cell of a grid, shown at the mean of its points. It knows no limit.
  package static func grid(_ grid: Grid, cellSize: CellSize = .pixels(64)) -> ClusteringMethod {
    let width =
      switch cellSize {
      case .pixels(let pixels): "\(shortest(pixels)) px wide"
      case .published: "as wide as published for each zoom"
      }
    return ClusteringMethod(
      name: "grid", title: "Grid", summary: "one badge per occupied square of a fixed grid, \(width)",
      extentMeaning: "squares show the cells"
    ) { view, _, _ in Answer(clusters: try grid.shownClusters(in: view, cellSize: cellSize)) }
  }
}

extension Grid {
  /// The grid over the points of a tree; its row numbers are indices in tree order.
  ///
  /// - Complexity: O(points)
  @_spi(Server) public init(over tree: ClusterTree) { self.init(tree.positions, on: tree.plane) }

  func clusterCount(in view: ComparisonView, cellSize: CellSize) throws(GridError) -> Int {
    try clusters(in: view.window, cellSize: cellSize, zoom: view.zoom).count
  }

  func shownClusters(in view: ComparisonView, cellSize: CellSize) throws -> [ShownCluster] {
    try clusters(in: view.window, cellSize: cellSize, zoom: view.zoom).map { cluster in
      ShownCluster(
        position: view.pixel(x: cluster.meanX, y: cluster.meanY), pointCount: cluster.pointCount,
        extent: .cell(window(of: cluster.cell), in: view), treeIndices: { members(of: cluster) })
    }
  }
}

extension ShownCluster.Extent {
  fileprivate static func cell(_ cell: PlaneWindow, in view: ComparisonView) -> Self {
    let (width, height) = (Double(cell.width) + 1, Double(cell.maxY - cell.minY) + 1)
    let units = view.unitsPerPixel
    // By its middle, so that a cell on the edge comes out on the same side as its badge.
    let middle = view.pixel(x: Double(cell.x) + width / 2, y: Double(cell.minY) + height / 2)
    return .box(
      x: middle.x - width / 2 / units, y: middle.y - height / 2 / units, width: width / units, height: height / units)
  }
}
