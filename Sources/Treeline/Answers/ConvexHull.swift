extension ClusterTree {
  /// Returns the corners of the convex hull of a cluster's points on the plane. The corners start at the westernmost
  /// corner and run counterclockwise on the map, like the ring of a polygon. Unlike in a GeoJSON ring, the first corner
  /// is not repeated at the end. The result has one corner if all points have the same position, and two corners if the
  /// points lie on a line.
  ///
  /// - Precondition: The cluster is from an answer of this tree.
  /// - Complexity: O(n log n) for n points of the cluster, and memory for a copy of these points.
  public func convexHull(of cluster: Cluster) -> [Coordinate] {
    precondition(
      cluster.range.upperBound <= pointCount,
      "Expected a cluster of this tree, which has \(pointCount) points, found a cluster of the points \(cluster.range)")
    // The plane begins and ends at the seam. To keep a cluster that crosses the seam in one piece, x is measured from
    // the western edge of the cluster.
    let west = cluster.rect.minX
    var points = withStorage { storage in
      cluster.range.filter(passes).map {
        PlanePoint(x: storage.points[$0].x &- west, y: storage.points[$0].y)
      }
    }
    points.sort { ($0.x, $0.y) < ($1.x, $1.y) }
    // The chain from west to east turns only left on the map, so it is the southern half of the hull.
    let south = Self.chain(of: points), north = Self.chain(of: points.reversed())
    let corners = points.first == points.last ? points.prefix(1) : south.dropLast() + north.dropLast()
    return corners.map { plane.coordinate(at: PlanePoint(x: $0.x &+ west, y: $0.y)) }
  }

  /// Returns a path from the first to the last of the sorted points. The path turns only left on the map. A point is
  /// skipped if the path would turn right or go straight on at this point (A. M. Andrew, 1979,
  /// doi:10.1016/0020-0190(79)90072-3).
  private static func chain(of points: some Sequence<PlanePoint>) -> ArraySlice<PlanePoint> {
    var chain: ArraySlice<PlanePoint> = []
    for point in points {
      while chain.count >= 2, !turnsLeft(chain[chain.endIndex - 2], chain[chain.endIndex - 1], point) {
        chain.removeLast()
      }
      chain.append(point)
    }
    return chain
  }

  /// Returns whether the path from `a` through `b` to `c` turns left on the map. The result is exact.
  private static func turnsLeft(_ a: PlanePoint, _ b: PlanePoint, _ c: PlanePoint) -> Bool {
    let (ux, uy) = (Int64(b.x) - Int64(a.x), Int64(b.y) - Int64(a.y))
    let (vx, vy) = (Int64(c.x) - Int64(a.x), Int64(c.y) - Int64(a.y))
    return Int128(ux) * Int128(vy) < Int128(uy) * Int128(vx)
  }
}
