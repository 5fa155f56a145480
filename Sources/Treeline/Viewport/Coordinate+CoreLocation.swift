#if canImport(CoreLocation)
  import CoreLocation

  extension Coordinate {
    /// Core Location's coordinate.
    public init(_ coordinate: CLLocationCoordinate2D) {
      self.init(longitude: coordinate.longitude, latitude: coordinate.latitude)
    }
  }

  extension CLLocationCoordinate2D {
    /// The same coordinate for Core Location and MapKit. Not of a plain plane, which has no degrees.
    public init(_ coordinate: Coordinate) {
      self.init(latitude: coordinate.latitude, longitude: coordinate.longitude)
    }
  }
#endif
