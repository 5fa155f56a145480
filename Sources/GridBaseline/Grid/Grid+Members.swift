import Treeline

extension Grid {
  /// The row numbers of a cluster's points, ascending, one page of them.
  ///
  /// Complexity: O(m log m) for the m points of the cluster, whatever the page.
  ///
  /// - Parameter offset: how many members to skip; past the last one the page is empty.
  /// - Precondition: offset and limit are not negative.
  public func members(of cluster: GridCluster, offset: Int = 0, limit: Int = .max) -> [Int] {
    precondition(offset >= 0 && limit >= 0, "Expected 0 or more, found offset \(offset), limit \(limit)")
    return Array(rows(in: cluster.bounds).dropFirst(offset).prefix(limit))
  }

  /// The row numbers of all points in a window, ascending.
  ///
  /// Complexity: O(h log h) for h points found, and the nodes along the window's edges.
  public func rows(in window: PlaneWindow) -> [Int] {
    tree.rows(in: unrotated(window))
  }

  /// How many points a window holds.
  ///
  /// Complexity: the nodes along the window's edges; those inside are counted whole.
  public func pointCount(in window: PlaneWindow) -> Int {
    tree.pointCount(in: unrotated(window))
  }
}

// MARK: - From cells to places

extension Grid {
  /// The mean position of a cluster.
  public func coordinate(of cluster: GridCluster) -> Coordinate {
    plane.coordinate(x: cluster.meanX, y: cluster.meanY)
  }

  /// The box of a cluster's points. It never crosses the antimeridian, since no cell does.
  public func boundingBox(of cluster: GridCluster) -> BoundingBox {
    let bounds = unrotated(cluster.bounds)
    let rect = PlaneRect(
      minX: bounds.x, minY: bounds.minY, maxX: bounds.x &+ bounds.width, maxY: bounds.maxY)
    return switch plane.projection {
    case .webMercator: Plane.webMercator().boundingBox(of: rect)
    case .planar: plane.boundingBox(of: rect)
    }
  }

  /// The part of the plane that a cell covers.
  public func window(of cell: GridCell) -> PlaneWindow {
    let lattice = GridLattice(side: cell.side)
    let x = UInt32(UInt64(cell.column) * cell.side)
    let y = UInt32(UInt64(cell.row) * cell.side)
    return PlaneWindow(
      x: x &- plane.seam, width: lattice.upperEdge(x) - x, minY: y, maxY: lattice.upperEdge(y))
  }
}
