#if canImport(MapKit)
  import MapKit
  import Treeline

  // The planes of MapKit and Treeline have the same edges. MapKit's plane is 2^28 map points wide, and Treeline's plane
  // is 2^32 units wide. A map rectangle that crosses the antimeridian extends beyond the western or eastern edge of the
  // world.

  extension MKMapRect {
    /// Width of the world in map points.
    static let worldWidth = 0x1p28

    /// Creates the rectangle of a box. It is exact except for the last bits of a map point. Latitudes are limited to
    /// 85.0511287798066 degrees. If the box crosses the antimeridian, the rectangle extends beyond the
    /// eastern edge of the world, like MapKit's own rectangles.
    ///
    /// ```swift
    /// MKMapRect(BoundingBox(west: 177, south: -20, east: -178, north: -15)).spans180thMeridian    // true
    /// ```
    ///
    /// - Precondition: The edges of the box are finite.
    public init(_ box: BoundingBox) {
      let degrees = box.east < box.west ? box.east - box.west + 360 : min(box.east - box.west, 360)
      let minY = Mercator.y(latitude: box.north) * Self.pointsPerUnit
      self.init(
        x: degrees == 360 ? 0 : Self.x(longitude: box.west), y: minY, width: degrees / 360 * Self.worldWidth,
        height: Mercator.y(latitude: box.south) * Self.pointsPerUnit - minY)
    }

    /// Creates the rectangle that a screen shows at a zoom. The rectangle may extend beyond the edges of the world.
    ///
    /// ```swift
    /// map.setVisibleMapRect(MKMapRect(center: louvre, zoom: 15, width: 390, height: 844), animated: true)
    /// ```
    ///
    /// - Parameters:
    ///   - center: Coordinate at the center of the screen.
    ///   - zoom: Zoom for 256 px tiles, as in a ``Treeline/Viewport``.
    ///   - width: Width of the screen in points.
    ///   - height: Height of the screen in points.
    public init(center: Coordinate, zoom: Double, width: Double, height: Double) {
      let scale = Plane.unitsPerPixel(zoom: zoom) * Self.pointsPerUnit
      let middle = MKMapPoint(center)
      self.init(
        x: middle.x - width / 2 * scale, y: middle.y - height / 2 * scale, width: width * scale, height: height * scale)
    }

    /// Returns the zoom for 256 px tiles at which a screen shows this rectangle. For the `visibleMapRect` of an
    /// `MKMapView`, pass the size of the map's bounds. Returns nil if the screen or the rectangle has no width, or if a
    /// size is not finite.
    ///
    /// If a map is rotated, its rectangle is the smallest upright rectangle that contains the visible part. If a map is
    /// pitched, the zoom is an average over the rectangle.
    ///
    /// - Parameters:
    ///   - width: Width of the screen in points.
    ///   - height: Height of the screen in points.
    ///   - heading: Heading of the camera in degrees.
    public func zoom(width: Double, height: Double, heading: Double = 0) -> Double? {
      let angle = heading * .pi / 180
      // Width of the smallest rectangle around the rotated screen, in points of the screen.
      let across = width * abs(cos(angle)) + height * abs(sin(angle))
      guard across > 0, across.isFinite, size.width > 0, size.width.isFinite else { return nil }
      return 20 + log2(across / size.width)
    }

    static let pointsPerUnit = worldWidth / Mercator.worldWidth

    static func x(longitude: Double) -> Double { (longitude + 180) / 360 * worldWidth }
  }

  extension MKMapPoint {
    /// Creates the map point of a coordinate. It is exact except for its last bits. Latitudes are limited to
    /// 85.0511287798066 degrees.
    public init(_ coordinate: Coordinate) {
      self.init(
        x: MKMapRect.x(longitude: coordinate.longitude),
        y: Mercator.y(latitude: coordinate.latitude) * MKMapRect.pointsPerUnit)
    }
  }

  extension Coordinate {
    /// Creates the coordinate of a map point. If the point lies beyond the western or eastern edge of the world, its
    /// longitude wraps around. A point beyond the northern or southern edge gets the latitude of the edge.
    public init(_ point: MKMapPoint) {
      self = Plane.webMercator().coordinate(x: point.x / MKMapRect.pointsPerUnit, y: point.y / MKMapRect.pointsPerUnit)
    }
  }

  extension BoundingBox {
    /// Creates the box of a map rectangle, such as the visible rectangle. The rectangle may lie several turns around
    /// the world. `west` is greater than `east` if the box crosses the antimeridian. Returns nil for `MKMapRect.null`,
    /// and if a number is not finite or a size is negative.
    public init?(_ rect: MKMapRect) {
      guard [rect.minX, rect.minY, rect.width, rect.height].allSatisfy(\.isFinite), rect.width >= 0, rect.height >= 0
      else { return nil }
      let northWest = Coordinate(MKMapPoint(x: rect.minX, y: rect.minY))
      let southEast = Coordinate(MKMapPoint(x: rect.maxX, y: rect.maxY))
      let isWholeTurn = rect.width >= MKMapRect.worldWidth
      // If the box ends at the antimeridian, the longitude of its eastern edge is 180, not -180.
      let east = southEast.longitude == -180 && rect.width > 0 ? 180 : southEast.longitude
      self.init(
        west: isWholeTurn ? -180 : northWest.longitude, south: southEast.latitude, east: isWholeTurn ? 180 : east,
        north: northWest.latitude)
    }
  }
#endif
