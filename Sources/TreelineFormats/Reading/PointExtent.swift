import Treeline

/// The extent of the points of an input.
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
  /// The first column's name, equal to `second` if one column has both coordinates.
  package let first: String
  package let second: String
  /// Whether the columns were detected, not chosen by the user.
  package let areFound: Bool
}
