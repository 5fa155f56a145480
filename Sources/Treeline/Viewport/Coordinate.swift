/// Where something is: longitude and latitude in degrees, longitude first as in GeoJSON (RFC 7946, section 3.1.1).
///
/// On a plain plane, where there are no degrees, longitude is x and latitude is y, growing upwards.
public struct Coordinate: Hashable, Sendable {
  public var longitude: Double
  public var latitude: Double

  public init(longitude: Double, latitude: Double) {
    self.longitude = longitude
    self.latitude = latitude
  }

  /// x and y on a plain plane.
  public init(x: Double, y: Double) { self.init(longitude: x, latitude: y) }

  public var x: Double { longitude }
  public var y: Double { latitude }
}

extension Coordinate: CustomStringConvertible { public var description: String { "(\(longitude), \(latitude))" } }
