#if canImport(MapKit)
  import MapKit
  import Treeline

  // The planes of MapKit and Treeline have the same edges. MapKit's plane is 2^28 map points wide, and Treeline's plane
  // is 2^32 units wide. A map rectangle that crosses the antimeridian extends beyond the western or eastern edge of the
  // world.

  extension MKMapRect {
    /// Width of the world in map points.
    static let worldWidth = 0x1p28

    /// Creates the rectangle of a box. Rounding affects only the last bits of a map point. Latitudes are limited to
    /// 85.0511287798066 degrees. If the box crosses the antimeridian, the rectangle extends beyond the eastern edge of
    /// the world, like MapKit's own rectangles.
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

    /// Returns the zoom at which a screen shows this rectangle. The zoom is for 256 px tiles. Returns nil if the
    /// screen or the rectangle has no width, or if a width is not finite.
    ///
    /// The map must be neither turned nor tilted, because the `visibleMapRect` of a turned or tilted map is larger
    /// than its visible part. ``Treeline/Viewport/init(_:margin:)`` measures the zoom of turned and tilted maps, too.
    ///
    /// - Parameter width: Width of the screen in points.
    public func zoom(width: Double) -> Double? {
      guard width > 0, width.isFinite, size.width > 0, size.width.isFinite else { return nil }
      return 20 + log2(width / size.width)
    }

    /// Returns the zoom for 256 px tiles at the center of a screen. The zoom is measured between two points of the
    /// screen, one to the left and one to the right of the center. All points of the horizontal line through the
    /// center have the same distance to the camera, so the heading and the pitch of the camera do not matter.
    ///
    /// - Parameters:
    ///   - center: Center of the screen.
    ///   - coordinate: Returns the coordinate at a point of the screen; nil if the map is not drawn there.
    /// - Returns: The zoom; nil if the map is not drawn at one of the two points. The zoom is rounded, because
    ///   otherwise a pan would change its last bits.
    static func zoom(at center: CGPoint, coordinate: (CGPoint) -> CLLocationCoordinate2D?) -> Double? {
      let distance = min(center.x, 32)
      guard distance > 0, let left = coordinate(CGPoint(x: center.x - distance, y: center.y)),
        let right = coordinate(CGPoint(x: center.x + distance, y: center.y)),
        [left, right].allSatisfy({ abs($0.latitude) <= 90 && abs($0.longitude) < 180.0001 })
      else { return nil }
      let (a, b) = (MKMapPoint(Coordinate(left)), MKMapPoint(Coordinate(right)))
      // The distance is measured along the shorter way around the world.
      let across = abs(a.x - b.x)
      let mapPoints = hypot(min(across, worldWidth - across), a.y - b.y)
      guard mapPoints > 0, mapPoints.isFinite else { return nil }
      return (0x1p20 * (20 + log2(2 * distance / mapPoints))).rounded() * 0x1p-20
    }

    static let pointsPerUnit = worldWidth / Mercator.worldWidth

    static func x(longitude: Double) -> Double { (longitude + 180) / 360 * worldWidth }
  }

  extension MKMapPoint {
    /// Creates the map point of a coordinate. Rounding affects only the last bits. Latitudes are limited to
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
    /// Creates the box of a map rectangle, such as the visible rectangle. The rectangle may be shifted east
    /// or west by a multiple of the world's width. `west` is greater than `east` if the box crosses the antimeridian.
    /// Returns nil for `MKMapRect.null`, for a rectangle of negative size, and if a number is not finite.
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
