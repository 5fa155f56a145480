@_exported import CoreLocation

#if canImport(Glibc)
  import Glibc
#endif

/// https://developer.apple.com/documentation/mapkit/mkmappoint
public struct MKMapPoint: Sendable {
  public var x, y: Double
  public init() { (x, y) = (0, 0) }
  public init(x: Double, y: Double) { (self.x, self.y) = (x, y) }

  /// https://developer.apple.com/documentation/mapkit/mkmappoint/coordinate
  public var coordinate: CLLocationCoordinate2D {
    let turns = x / 0x1p28
    return CLLocationCoordinate2D(
      latitude: atan(sinh(.pi * (1 - y / 0x1p27))) * 180 / .pi, longitude: (turns - turns.rounded(.down)) * 360 - 180)
  }
}

/// https://developer.apple.com/documentation/mapkit/mkmapsize
public struct MKMapSize: Sendable {
  public var width, height: Double
  public init() { (width, height) = (0, 0) }
  public init(width: Double, height: Double) { (self.width, self.height) = (width, height) }

  /// https://developer.apple.com/documentation/mapkit/mkmapsize/world
  public static let world = MKMapSize(width: 0x1p28, height: 0x1p28)
}

/// https://developer.apple.com/documentation/mapkit/mkmaprect
public struct MKMapRect: Sendable {
  public var origin: MKMapPoint
  public var size: MKMapSize

  public init() { (origin, size) = (MKMapPoint(), MKMapSize()) }
  public init(origin: MKMapPoint, size: MKMapSize) { (self.origin, self.size) = (origin, size) }
  public init(x: Double, y: Double, width: Double, height: Double) {
    self.init(origin: MKMapPoint(x: x, y: y), size: MKMapSize(width: width, height: height))
  }

  public var minX: Double { origin.x }
  public var minY: Double { origin.y }
  public var midX: Double { origin.x + size.width / 2 }
  public var midY: Double { origin.y + size.height / 2 }
  public var maxX: Double { origin.x + size.width }
  public var maxY: Double { origin.y + size.height }
  public var width: Double { size.width }
  public var height: Double { size.height }

  /// https://developer.apple.com/documentation/mapkit/mkmaprect/world
  public static let world = MKMapRect(origin: MKMapPoint(), size: .world)
  /// https://developer.apple.com/documentation/mapkit/mkmaprect/null
  public static let null = MKMapRect(x: .infinity, y: .infinity, width: 0, height: 0)

  /// https://developer.apple.com/documentation/mapkit/mkmaprect/isnull
  public var isNull: Bool { origin.x.isInfinite || origin.y.isInfinite }
  /// https://developer.apple.com/documentation/mapkit/mkmaprect/isempty
  public var isEmpty: Bool { isNull || size.width == 0 && size.height == 0 }
}

/// https://developer.apple.com/documentation/mapkit/mkcoordinatespan
public struct MKCoordinateSpan: Sendable {
  public var latitudeDelta, longitudeDelta: CLLocationDegrees
  public init() { (latitudeDelta, longitudeDelta) = (0, 0) }
  public init(latitudeDelta: CLLocationDegrees, longitudeDelta: CLLocationDegrees) {
    (self.latitudeDelta, self.longitudeDelta) = (latitudeDelta, longitudeDelta)
  }
}

/// https://developer.apple.com/documentation/mapkit/mkcoordinateregion
public struct MKCoordinateRegion: Sendable {
  public var center: CLLocationCoordinate2D
  public var span: MKCoordinateSpan
  public init() { (center, span) = (CLLocationCoordinate2D(), MKCoordinateSpan()) }
  public init(center: CLLocationCoordinate2D, span: MKCoordinateSpan) { (self.center, self.span) = (center, span) }
}

/// https://developer.apple.com/documentation/mapkit/mkmapcamera
@MainActor public final class MKMapCamera: NSObject {
  public var heading: CLLocationDirection = 0
  public var pitch: CGFloat = 0
}
