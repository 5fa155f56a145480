import Treeline

/// Clustering by the cells of a grid: the method of thoughtbot's TBQuadTree and Raizlabs' BentoMap, kept so that the
/// principal-axis tree can be compared with what maps commonly do.
///
/// A lattice of square cells is laid over the plane, anchored at longitude -180 and the plane's top edge, so that it
/// stands still under a pan and does not depend on the plane's seam. Each cell that has a point is one cluster.
///
///     let clusters = try grid.clusters(in: window, cellSize: .published, zoom: 11)
///
/// Defects of the published systems that are absent here:
/// - Closed cells, which count a point on an edge in two cells, on a corner in four.
/// - A root around the expected data, so that points outside it are lost.
/// - Coincident points in a chain of n/4 nodes (TBQuadTree), or dropped beyond 55 times the bucket capacity
///   (BentoMap).
/// - Wrong bounds where coordinates are negative (BentoMap).
/// - A search of the tree for each cell, in O(cells x nodes + points in view). Here one walk adds up whole nodes.
/// - The antimeridian as an edge of windows, and cells that jitter between zooms (see `CellSize.published`).
///
/// What the method itself lacks stays: zooming in can merge two points that a coarser lattice kept apart, neighbours
/// are parted by a cell's edge, and nothing bounds the number of clusters but the number of cells.
public struct Grid: Sendable {
  package let plane: Plane

  /// The smallest box around all points; nil where there are none.
  package let bounds: PlaneRect?

  /// Over positions counted from longitude -180: no cell wraps there, and cells of 2^n units are whole nodes.
  let tree: QuadTree

  /// Builds the quadtree over points of a plane; row numbers are indices of this array.
  ///
  /// Complexity: O(n).
  ///
  /// - Precondition: at most 2^31 points; a capacity of 1 or more.
  package init(_ points: [PlanePoint], on plane: Plane, bucketCapacity: Int = 8) {
    self.plane = plane
    bounds = points.first.map { first in points.reduce(into: PlaneRect(first)) { $0.formUnion($1) } }
    let unrotated = plane.seam == 0 ? points : points.map { PlanePoint(x: $0.x &+ plane.seam, y: $0.y) }
    tree = QuadTree(unrotated, bucketCapacity: bucketCapacity)
  }

  package var count: Int { tree.count }
}

// MARK: - Clusters

extension Grid {
  /// The clusters of a window at a zoom, by row, then column of their cells.
  ///
  /// A cell belongs to the answer once one of its points is inside the window, and its cluster stands for all points
  /// of the cell, so that a cluster does not change while it moves over the edge of the screen.
  ///
  /// Complexity: O(k log k) for k clusters, and the nodes and buckets along the edges of their cells.
  public func clusters(in window: PlaneWindow, cellSize: CellSize, zoom: Double) throws(GridError) -> [GridCluster] {
    clusters(in: window, cellSide: try cellSize.units(zoom: zoom))
  }

  /// The clusters of a window for cells of a whole number of plane units.
  ///
  /// - Precondition: a side of 1 to 2^32 units.
  package func clusters(in window: PlaneWindow, cellSide: UInt64) -> [GridCluster] {
    let lattice = GridLattice(side: cellSide)
    var table = CellTable()
    gather(into: &table, by: lattice, in: unrotated(window))
    var visible = table.cells.filter(\.isVisible)
    visible.sort { $0.key < $1.key }
    return visible.map { GridCluster($0.totals, in: lattice.cell($0.key), seam: plane.seam) }
  }

  /// Sums up all cells that a window touches, node by node where a node lies in one cell, and marks those visible that
  /// have a point in the window.
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
  /// The row numbers of a cluster's points, ascending, one page of them.
  ///
  /// Complexity: O(m log m) for the m points of the cluster, whatever the page.
  ///
  /// - Parameter offset: how many members to skip; past the last one the page is empty.
  /// - Precondition: offset and limit are not negative.
  package func members(of cluster: GridCluster, offset: Int = 0, limit: Int = .max) -> [Int] {
    precondition(offset >= 0 && limit >= 0, "Expected 0 or more, found offset \(offset), limit \(limit)")
    return Array(rows(in: cluster.bounds).dropFirst(offset).prefix(limit))
  }

  /// The row numbers of all points in a window, ascending; see `QuadTree.rows(in:)`.
  package func rows(in window: PlaneWindow) -> [Int] { tree.rows(in: unrotated(window)) }

  /// How many points a window holds; see `QuadTree.pointCount(in:)`.
  package func pointCount(in window: PlaneWindow) -> Int { tree.pointCount(in: unrotated(window)) }
}

// MARK: - Positions

extension Grid {
  /// The mean position of a cluster.
  public func coordinate(of cluster: GridCluster) -> Coordinate { plane.coordinate(x: cluster.meanX, y: cluster.meanY) }

  /// The box of a cluster's points. It never crosses the antimeridian, since no cell does.
  public func boundingBox(of cluster: GridCluster) -> BoundingBox {
    let bounds = unrotated(cluster.bounds)
    let rect = PlaneRect(minX: bounds.x, minY: bounds.minY, maxX: bounds.x &+ bounds.width, maxY: bounds.maxY)
    return (plane.projection == .planar ? plane : .webMercator()).boundingBox(of: rect)
  }

  /// The part of the plane that a cell covers.
  package func window(of cell: GridCell) -> PlaneWindow {
    let lattice = GridLattice(side: cell.side)
    let x = UInt32(UInt64(cell.column) * cell.side)
    let y = UInt32(UInt64(cell.row) * cell.side)
    return PlaneWindow(x: x &- plane.seam, width: lattice.upperEdge(x) - x, minY: y, maxY: lattice.upperEdge(y))
  }

  /// A window of the plane, over positions counted from longitude -180.
  private func unrotated(_ window: PlaneWindow) -> PlaneWindow {
    PlaneWindow(x: window.x &+ plane.seam, width: window.width, minY: window.minY, maxY: window.maxY)
  }
}
