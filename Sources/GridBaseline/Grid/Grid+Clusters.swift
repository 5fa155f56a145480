import Treeline

extension Grid {
  /// The clusters of a window at a zoom, by row, then column of their cells.
  ///
  /// A cell belongs to the answer once one of its points is inside the window, and its cluster stands for all points
  /// of the cell, so that a cluster does not change while it moves over the edge of the screen.
  ///
  /// Complexity: O(k log k) for k clusters, and the nodes and buckets along the edges of their cells.
  public func clusters(
    in window: PlaneWindow, cellSize: CellSize, zoom: Double
  ) throws(GridError) -> [GridCluster] {
    clusters(in: window, cellSide: try cellSize.units(zoom: zoom))
  }

  /// The clusters of a window for cells of a whole number of plane units.
  ///
  /// - Precondition: a side of 1 to 2^32 units.
  public func clusters(in window: PlaneWindow, cellSide: UInt64) -> [GridCluster] {
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
        for position in node.range where touched.contains(tree.points[position]) {
          let point = tree.points[position]
          let cell = table.add(PointTotals(point, row: tree.rows[position]), to: lattice.key(of: point))
          if window.contains(point) { table.markVisible(cell) }
        }
      } else {
        stack += tree.children(of: node)
      }
    }
  }
}
