@_spi(Server) import Treeline

/// Clustering by the cells of a grid, the method of thoughtbot's TBQuadTree and Raizlabs' BentoMap. Treeline's tree of
/// principal axes is compared with this method, because many maps use it.
///
/// A lattice of square cells covers the plane. The lattice is anchored at longitude -180 and the plane's top edge. So
/// it does not move when the map is panned, and does not depend on the plane's seam (the meridian at which the plane
/// begins). Each cell that contains a point is one cluster.
///
///     let grid = Grid(over: tree)
///     let clusters = try grid.clusters(in: view, cellSize: .published)
///
/// Defects of the published systems, which this grid avoids:
/// - Closed cells, which count a point on an edge in two cells, and a point on a corner in four cells.
/// - A root that covers only the expected data, so that points outside the root are lost.
/// - Wrong treatment of many coincident points. TBQuadTree makes a chain of n/4 nodes. BentoMap drops points if their
///   number is more than 55 times the bucket capacity.
/// - Wrong bounds for negative coordinates (BentoMap).
/// - A search of the tree for each cell, in O(cells x nodes + points in view). This grid adds up whole nodes in one
///   walk.
/// - Windows that end at the antimeridian, and cells that jitter between zooms (see `CellSize.published`).
///
/// The weaknesses of the method itself remain. Zooming in can put two points into one cell although a coarser lattice
/// kept them apart. The edge of a cell separates neighbors. The number of clusters is bounded only by the number of
/// cells.
public struct Grid: Sendable {
  package let plane: Plane

  /// The smallest box around all points; nil if there are no points.
  let bounds: PlaneRect?

  /// The quadtree. The x of its positions is counted from longitude -180, where the lattice of cells also begins. So
  /// no cell wraps around the world, and a cell with a side of 2^n units has exactly the points of one node.
  let tree: QuadTree

  /// Builds the quadtree over points of a plane.
  ///
  /// Complexity: O(n).
  ///
  /// - Parameter rows: The row number of each point, in ascending order; nil if row numbers are the indices of the
  ///   points.
  /// - Precondition: There are at most 2^31 points, and the capacity is at least 1.
  init(_ points: [PlanePoint], rows: [UInt32]? = nil, on plane: Plane, bucketCapacity: Int = 8) {
    self.plane = plane
    bounds = points.first.map { first in points.reduce(into: PlaneRect(first)) { $0.formUnion($1) } }
    let unrotated = plane.seam == 0 ? points : points.map { PlanePoint(x: $0.x &+ plane.seam, y: $0.y) }
    tree = QuadTree(unrotated, rows: rows, bucketCapacity: bucketCapacity)
  }

  /// Creates the grid over the points of a tree. The grid's row numbers are the tree indices of the points. If the
  /// tree has a filter, the grid contains only the points that pass the filter.
  ///
  /// - Complexity: O(points)
  public init(over tree: ClusterTree) {
    let positions = tree.positions
    guard tree.filteredPointCount < positions.count else {
      self.init(positions, on: tree.plane)
      return
    }
    let passing = positions.indices.filter(tree.passes)
    self.init(passing.map { positions[$0] }, rows: passing.map(UInt32.init), on: tree.plane)
  }

  package var count: Int { tree.count }
}

// MARK: - Clusters

extension Grid {
  /// Returns the clusters in view, sorted by the row and then the column of their cells.
  ///
  /// A cell belongs to the answer if at least one of its points is in view. Its cluster represents all points of the
  /// cell, so the cluster does not change while it moves over the edge of the screen.
  ///
  /// Complexity: O(k log k) for k clusters, plus the nodes and buckets along the edges of their cells.
  ///
  /// - Throws: `GridError` if the size of a cell is not above 0; `QueryError` if the viewport is not valid or has no
  ///   zoom.
  public func clusters(in viewport: Viewport, cellSize: CellSize) throws -> [GridCluster] {
    guard let view = try viewport.located(on: plane) else { return [] }
    guard let zoom = view.zoom else { throw QueryError.noZoom }
    return try clusters(in: view.window, cellSize: cellSize, zoom: zoom)
  }

  /// Returns the clusters of a window at a zoom.
  package func clusters(in window: PlaneWindow, cellSize: CellSize, zoom: Double) throws -> [GridCluster] {
    clusters(in: window, cellSide: try cellSize.units(zoom: zoom))
  }

  /// Returns the clusters of a window. The side of the cells is a whole number of plane units.
  ///
  /// - Precondition: The side is from 1 to 2^32 units.
  func clusters(in window: PlaneWindow, cellSide: UInt64) -> [GridCluster] {
    let lattice = GridLattice(side: cellSide)
    var table = CellTable()
    gather(into: &table, by: lattice, in: unrotated(window))
    var visible = table.cells.filter(\.isVisible)
    visible.sort { $0.key < $1.key }
    return visible.map { GridCluster($0.totals, in: lattice.cell($0.key), seam: plane.seam) }
  }

  /// Sums up the points of each cell that a window touches. Marks a cell as visible if one of its points is in the
  /// window. If all points of a node lie in one cell, these points are added in one step.
  private func gather(into table: inout CellTable, by lattice: GridLattice, in window: PlaneWindow) {
    guard !tree.nodes.isEmpty else { return }
    let touched = lattice.cells(touching: window)
    var stack = [0]
    while let index = stack.popLast() {
      let node = tree.nodes[index]
      let bounds = node.totals.bounds
      guard touched.intersects(bounds) else { continue }
      if let key = lattice.key(of: bounds) {
        let cell = table.add(node.totals, to: key)
        if !table.cells[cell].isVisible, tree.hasPoint(in: window, below: index) { table.markVisible(cell) }
      } else if node.isLeaf {
        for index in node.range where touched.contains(tree.points[index]) {
          let point = tree.points[index]
          let cell = table.add(PointTotals(point, row: tree.rows[index]), to: lattice.key(of: point))
          if window.contains(point) { table.markVisible(cell) }
        }
      } else {
        stack += tree.children(of: node)
      }
    }
  }
}

// MARK: - Points

extension Grid {
  /// Returns one page of the row numbers of a cluster's points, in ascending order.
  ///
  /// Complexity: O(m log m) for the m points of the cluster. The offset and the limit do not matter.
  ///
  /// - Parameter offset: The number of members to skip. If no member is left, the page is empty.
  /// - Precondition: `offset` and `limit` are not negative.
  package func members(of cluster: GridCluster, offset: Int = 0, limit: Int = .max) -> [Int] {
    precondition(
      offset >= 0 && limit >= 0,
      "Expected an offset and a limit of 0 or more, found the offset \(offset) and the limit \(limit)")
    return Array(rows(in: cluster.bounds).dropFirst(offset).prefix(limit))
  }

  /// Returns the row numbers of all points in a window, in ascending order; see `QuadTree.rows(in:)`.
  func rows(in window: PlaneWindow) -> [Int] { tree.rows(in: unrotated(window)) }

  /// Returns the number of points in a window; see `QuadTree.pointCount(in:)`.
  package func pointCount(in window: PlaneWindow) -> Int { tree.pointCount(in: unrotated(window)) }
}

// MARK: - Positions

extension Grid {
  /// Returns the mean position of a cluster.
  public func coordinate(of cluster: GridCluster) -> Coordinate { plane.coordinate(x: cluster.meanX, y: cluster.meanY) }

  /// Returns the box of a cluster's points. The box never crosses the antimeridian, because no cell crosses it.
  public func boundingBox(of cluster: GridCluster) -> BoundingBox {
    let bounds = unrotated(cluster.bounds)
    let rect = PlaneRect(minX: bounds.x, minY: bounds.minY, maxX: bounds.x &+ bounds.width, maxY: bounds.maxY)
    return (plane.projection == .planar ? plane : .webMercator()).boundingBox(of: rect)
  }

  /// Returns the part of the plane that a cell covers.
  package func window(of cell: GridCell) -> PlaneWindow {
    let lattice = GridLattice(side: cell.side)
    let x = UInt32(UInt64(cell.column) * cell.side)
    let y = UInt32(UInt64(cell.row) * cell.side)
    return PlaneWindow(x: x &- plane.seam, width: lattice.upperEdge(x) - x, minY: y, maxY: lattice.upperEdge(y))
  }

  /// Returns the same window, but with x counted from longitude -180. In the given window, x is counted from the seam,
  /// the meridian at which the plane begins.
  private func unrotated(_ window: PlaneWindow) -> PlaneWindow {
    PlaneWindow(x: window.x &+ plane.seam, width: window.width, minY: window.minY, maxY: window.maxY)
  }
}
