#if canImport(CoreLocation)
  import CoreLocation

  extension Coordinate {
    /// Creates a coordinate from a coordinate of Core Location.
    public init(_ coordinate: CLLocationCoordinate2D) {
      self.init(longitude: coordinate.longitude, latitude: coordinate.latitude)
    }
  }

  extension CLLocationCoordinate2D {
    /// Creates a coordinate for Core Location and MapKit. Do not convert coordinates on a plane without a map
    /// projection, because they are not degrees.
    public init(_ coordinate: Coordinate) {
      self.init(latitude: coordinate.latitude, longitude: coordinate.longitude)
    }
  }
#endif
