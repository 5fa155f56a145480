extension Plane {
  /// The part of the plane that a box shows; nil where the box lies off a plain plane's square.
  ///
  /// Longitudes may be any finite numbers: a box 360 degrees wide or wider shows the whole circle.
  ///
  /// - Throws: `QueryError` where an edge is not finite, south exceeds north, or west exceeds east on a plain plane.
  public func window(showing box: BoundingBox) throws(QueryError) -> PlaneWindow? {
    for (edge, value) in [("west", box.west), ("south", box.south), ("east", box.east), ("north", box.north)]
    where !value.isFinite {
      throw .notFinite(edge: edge, found: value)
    }
    guard box.south <= box.north else { throw .southAboveNorth(south: box.south, north: box.north) }
    return switch projection {
    case .webMercator: mercatorWindow(showing: box)
    case .planar: try planarWindow(showing: box)
    }
  }

  private func mercatorWindow(showing box: BoundingBox) -> PlaneWindow {
    let minY = Self.mercatorY(latitude: box.north)
    let maxY = Self.mercatorY(latitude: box.south)
    let west = Self.mercatorX(longitude: box.west)
    let east = Self.mercatorX(longitude: box.east)
    let degrees = box.east - box.west
    // Edges less than a unit short of a full turn round to the same meridian, as do edges on one meridian. Such are
    // also a west and an east edge just behind it.
    let turn = degrees < 0 ? degrees + 360 : degrees
    let isFullTurn = degrees >= 360 || (turn > 270 && east &- west < 1 << 30)
    return PlaneWindow(
      x: west &- seam, width: isFullTurn ? .max : east &- west, minY: minY, maxY: maxY)
  }

  private func planarWindow(showing box: BoundingBox) throws(QueryError) -> PlaneWindow? {
    guard box.west <= box.east else { throw .westBeyondEast(west: box.west, east: box.east) }
    // Distances from the corner are compared, as the side was measured: rounding must not part it from a point on it.
    guard box.east >= left, box.west - left <= side, top - box.north <= side, box.south <= top else { return nil }
    let northWest = point(at: Coordinate(x: box.west, y: box.north))
    let southEast = point(at: Coordinate(x: box.east, y: box.south))
    return PlaneWindow(
      x: northWest.x, width: southEast.x - northWest.x, minY: northWest.y, maxY: southEast.y)
  }
}
