/// A position: longitude and latitude in degrees. Longitude comes first, as in GeoJSON (RFC 7946, section 3.1.1).
///
/// On a plane without a map projection, `longitude` contains x, and `latitude` contains y. There y grows upwards.
public struct Coordinate: BitwiseCopyable, Hashable, Sendable {
  /// Longitude in degrees, positive to the east.
  public var longitude: Double
  /// Latitude in degrees, positive to the north.
  public var latitude: Double

  /// Creates a position on the Earth.
  public init(longitude: Double, latitude: Double) {
    self.longitude = longitude
    self.latitude = latitude
  }

  /// Creates a position from x and y on a plane without a map projection.
  public init(x: Double, y: Double) { self.init(longitude: x, latitude: y) }

  /// The x of a position on a plane without a map projection.
  public var x: Double { longitude }
  /// The y of a position on a plane without a map projection. It grows upwards.
  public var y: Double { latitude }
}

extension Coordinate: CustomStringConvertible { public var description: String { "(\(longitude), \(latitude))" } }
