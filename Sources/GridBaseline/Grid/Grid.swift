import Treeline

/// Clustering by the cells of a grid: the method of thoughtbot's TBQuadTree and Raizlabs' BentoMap, kept so that the
/// principal-axis tree can be compared with what maps commonly do.
///
/// A lattice of square cells is laid over the plane, anchored at longitude -180 and the plane's top edge, so that it
/// stands still under a pan and does not depend on the plane's seam. Each cell that has a point is one cluster.
///
///     let grid = Grid(points, on: plane)
///     let clusters = try grid.clusters(in: window, cellSize: .published, zoom: 11)
///
/// Defects of the published systems that are absent here:
/// - Cells are half-open. Theirs are closed, and count a point on an edge in two cells, on a corner in four.
/// - The quadtree's root is the whole plane. Theirs is a box around the expected data, and points outside it are lost.
/// - Coincident points share one bucket of any size. TBQuadTree makes a chain of n/4 nodes of them, and recurses down
///   it; BentoMap keeps 55 times the bucket capacity and drops the rest.
/// - Bounds are a minimum and a maximum over unsigned integers. BentoMap's are wrong where coordinates are negative.
/// - One walk down the tree answers all cells, adding up totals of whole nodes. Theirs searches the tree anew for each
///   cell and visits each point of it: O(cells x nodes) and O(points in view).
/// - On the sphere the antimeridian is no edge to a window, and `CellSize.published` does not jitter between zooms.
///
/// What the method itself lacks stays: zooming in can merge two points that a coarser lattice kept apart, neighbours
/// are parted by a cell's edge, and nothing bounds the number of clusters but the number of cells.
public struct Grid: Sendable {
  public let plane: Plane

  /// The smallest box around all points; nil where there are none.
  public let bounds: PlaneRect?

  /// Over positions counted from longitude -180: no cell wraps there, and cells of 2^n units are whole nodes.
  let tree: QuadTree

  /// Builds the quadtree over points of a plane; row numbers are places in this array.
  ///
  /// Complexity: O(n).
  ///
  /// - Precondition: at most 2^31 points; a capacity of 1 or more.
  public init(_ points: [PlanePoint], on plane: Plane, bucketCapacity: Int = 8) {
    self.plane = plane
    bounds = points.first.map { first in
      points.reduce(into: PlaneRect(first)) { $0.formUnion($1) }
    }
    let seam = plane.seam
    tree = QuadTree(
      seam == 0 ? points : points.map { PlanePoint(x: $0.x &+ seam, y: $0.y) },
      bucketCapacity: bucketCapacity)
  }

  public var count: Int { tree.count }

  /// A window of the plane, over positions counted from longitude -180.
  func unrotated(_ window: PlaneWindow) -> PlaneWindow {
    PlaneWindow(x: window.x &+ plane.seam, width: window.width, minY: window.minY, maxY: window.maxY)
  }
}
