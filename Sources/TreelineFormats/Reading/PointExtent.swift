import Treeline

/// The number of points in an input, and the extent of these points.
package struct PointExtent: Sendable {
  package private(set) var pointCount = 0
  package private(set) var least = Coordinate(longitude: .infinity, latitude: .infinity)
  package private(set) var greatest = Coordinate(longitude: -.infinity, latitude: -.infinity)
  /// Number of points at 0, 0. Some data sets use this position for points whose real position is unknown.
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

/// The CSV columns that contain the coordinates.
package struct PositionColumns: Sendable {
  /// Name of the first column. If one column contains both coordinates, `second` is the same name.
  package let first: String
  package let second: String
  /// Whether the reader found the columns itself. If false, the user chose the columns.
  package let areFound: Bool
}
