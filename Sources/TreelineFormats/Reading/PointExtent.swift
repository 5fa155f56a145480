import Treeline

/// The number and the extent of an input's points.
package struct PointExtent: Sendable {
  package private(set) var pointCount = 0
  package private(set) var least = Coordinate(longitude: .infinity, latitude: .infinity)
  package private(set) var greatest = Coordinate(longitude: -.infinity, latitude: -.infinity)
  /// Number of points at 0, 0, which some data uses for missing positions.
  package private(set) var zeroCount = 0

  mutating func add(_ coordinates: [Coordinate]) {
    pointCount += coordinates.count
    for coordinate in coordinates {
      least.longitude = min(least.longitude, coordinate.longitude)
      least.latitude = min(least.latitude, coordinate.latitude)
      greatest.longitude = max(greatest.longitude, coordinate.longitude)
      greatest.latitude = max(greatest.latitude, coordinate.latitude)
      if coordinate.longitude == 0 && coordinate.latitude == 0 { zeroCount += 1 }
    }
  }
}

/// The CSV columns of the coordinates.
package struct PositionColumns: Sendable {
  /// Name of the first column. If one column has both coordinates, `second` has the same name.
  package let first: String
  package let second: String
  /// Whether the columns were detected, not chosen by the user.
  package let areFound: Bool
}
