import Treeline

/// Where the points of an input lie.
package struct PointExtent: Sendable {
  package private(set) var pointCount = 0
  package private(set) var least = Coordinate(longitude: .infinity, latitude: .infinity)
  package private(set) var greatest = Coordinate(longitude: -.infinity, latitude: -.infinity)
  /// How many points lie at 0, 0, as those without a position do in some data.
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

/// The columns of CSV that hold the coordinates.
package struct PositionColumns: Sendable {
  /// The same name twice where one column has both.
  package let first: String
  package let second: String
  /// Whether they were found, not chosen.
  package let areFound: Bool
}
