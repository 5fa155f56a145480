import Treeline

/// Why no tree can be made of some points.
public enum BuildError: Error, Hashable, Sendable {
  /// A point is not on the sphere or on the plane. `row` counts the points from 0.
  case invalidCoordinate(row: Int, found: Coordinate, projection: Plane.Projection)
  case tooManyPoints(found: Int)

  /// Row numbers are 31 bits wide.
  public static let maximumPointCount = 1 << 31

  /// The largest magnitude of an x or y on a plain plane, for which no difference overflows.
  public static let maximumMagnitude = 1e300
}

extension BuildError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .invalidCoordinate(let row, let found, .webMercator):
      "row \(row): expected a longitude from -180 to 180 and a latitude from -90 to 90, "
        + "found longitude \(found.longitude) and latitude \(found.latitude)"
    case .invalidCoordinate(let row, let found, .planar):
      "row \(row): expected finite x and y of at most \(Self.maximumMagnitude), found x \(found.x) and y \(found.y)"
    case .tooManyPoints(let found):
      "expected at most \(Self.maximumPointCount) points, found \(found); build several trees"
    }
  }
}
