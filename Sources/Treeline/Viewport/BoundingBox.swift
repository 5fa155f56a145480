/// A box of longitudes and latitudes in degrees. All four edges belong to the box.
///
/// If `west` is greater than `east`, the box crosses the antimeridian (RFC 7946, section 5.2).
/// On a plane without a map projection, the edges are x and y instead of degrees, and `west` must not exceed `east`.
public struct BoundingBox: Hashable, Sendable {
  /// The least longitude, or the longitude at which a box across the antimeridian begins.
  public var west: Double
  /// The least latitude.
  public var south: Double
  /// The greatest longitude, or the longitude at which a box across the antimeridian ends.
  public var east: Double
  /// The greatest latitude.
  public var north: Double

  /// Creates a box from its edges, in the order of GeoJSON.
  public init(west: Double, south: Double, east: Double, north: Double) {
    self.west = west
    self.south = south
    self.east = east
    self.north = north
  }

  /// The whole sphere, including the latitudes that Web Mercator does not show.
  public static let world = BoundingBox(west: -180, south: -90, east: 180, north: 90)
}

extension BoundingBox: CustomStringConvertible {
  public var description: String { ParameterValue.numbers([west, south, east, north]).description }
}
