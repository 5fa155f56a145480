#if canImport(MapKit)
  import MapKit
  import Treeline

  // MapKit's plane is Treeline's at a sixteenth of its scale, 2^28 map points wide, with the same edges. A rectangle
  // that crosses the antimeridian reaches beyond an edge of the world, to either side.

  extension MKMapRect {
    /// Map points in the width of the world.
    static let worldWidth = 0x1p28

    /// The rectangle of a box of coordinates, to the map point's last bits; latitudes are clipped at
    /// ``Treeline/Plane/maximumLatitude``. A box across the antimeridian reaches beyond the world's eastern edge, as
    /// MapKit's own do.
    ///
    /// ```swift
    /// MKMapRect(BoundingBox(west: 177, south: -20, east: -178, north: -15)).spans180thMeridian    // true
    /// ```
    ///
    /// - Precondition: Its edges are finite.
    public init(_ box: BoundingBox) {
      let degrees = box.east < box.west ? box.east - box.west + 360 : min(box.east - box.west, 360)
      let minY = Mercator.y(latitude: box.north) * Self.pointsPerUnit
      self.init(
        x: degrees == 360 ? 0 : Self.x(longitude: box.west), y: minY, width: degrees / 360 * Self.worldWidth,
        height: Mercator.y(latitude: box.south) * Self.pointsPerUnit - minY)
    }

    /// What a screen shows at a zoom, whose middle a coordinate is. It may reach beyond the edges of the world.
    ///
    /// ```swift
    /// map.setVisibleMapRect(MKMapRect(center: louvre, zoom: 15, width: 390, height: 844), animated: true)
    /// ```
    ///
    /// - Parameters:
    ///   - center: In the middle of the screen.
    ///   - zoom: Of 256 px tiles, as of a ``Treeline/Viewport``.
    ///   - width: The screen's, in points.
    ///   - height: The screen's, in points.
    public init(center: Coordinate, zoom: Double, width: Double, height: Double) {
      let scale = Plane.unitsPerPixel(zoom: zoom) * Self.pointsPerUnit
      let middle = MKMapPoint(center)
      self.init(
        x: middle.x - width / 2 * scale, y: middle.y - height / 2 * scale, width: width * scale, height: height * scale)
    }

    /// At which zoom, of 256 px tiles, a screen shows the rectangle: `MKMapView.visibleMapRect` of a map, whose size is
    /// that of its bounds. It is nil where one of both has no width or is not finite.
    ///
    /// A map that is turned shows less than its rectangle, which is the smallest around what it shows; of one that is
    /// pitched, too, the zoom is that of the rectangle as a whole.
    ///
    /// - Parameters:
    ///   - width: The screen's, in points.
    ///   - height: The screen's, in points.
    ///   - heading: The camera's, in degrees.
    public func zoom(width: Double, height: Double, heading: Double = 0) -> Double? {
      let angle = heading * .pi / 180
      // The smallest rectangle around a screen that is turned, in points of the screen.
      let across = width * abs(cos(angle)) + height * abs(sin(angle))
      guard across > 0, across.isFinite, size.width > 0, size.width.isFinite else { return nil }
      return 20 + log2(across / size.width)
    }

    static let pointsPerUnit = worldWidth / Mercator.worldWidth

    static func x(longitude: Double) -> Double { (longitude + 180) / 360 * worldWidth }
  }

  extension MKMapPoint {
    /// Where a coordinate is, to the map point's last bits; latitudes are clipped at
    /// ``Treeline/Plane/maximumLatitude``.
    public init(_ coordinate: Coordinate) {
      self.init(
        x: MKMapRect.x(longitude: coordinate.longitude),
        y: Mercator.y(latitude: coordinate.latitude) * MKMapRect.pointsPerUnit)
    }
  }

  extension Coordinate {
    /// The coordinate of a map point. One beyond the world's western or eastern edge is where it is after as many turns
    /// as it takes; latitudes beyond the other two are theirs.
    public init(_ point: MKMapPoint) {
      self = Plane.webMercator().coordinate(x: point.x / MKMapRect.pointsPerUnit, y: point.y / MKMapRect.pointsPerUnit)
    }
  }

  extension BoundingBox {
    /// The box of a map rectangle, such as that which a map shows, of whatever turn: `west` is greater than `east`
    /// where it crosses the antimeridian. It is nil of `MKMapRect.null`, and of others that are not finite or less than
    /// none.
    public init?(_ rect: MKMapRect) {
      guard [rect.minX, rect.minY, rect.width, rect.height].allSatisfy(\.isFinite), rect.width >= 0, rect.height >= 0
      else { return nil }
      let northWest = Coordinate(MKMapPoint(x: rect.minX, y: rect.minY))
      let southEast = Coordinate(MKMapPoint(x: rect.maxX, y: rect.maxY))
      let isWholeTurn = rect.width >= MKMapRect.worldWidth
      // The antimeridian itself is 180 for the box that ends there.
      let east = southEast.longitude == -180 && rect.width > 0 ? 180 : southEast.longitude
      self.init(
        west: isWholeTurn ? -180 : northWest.longitude, south: southEast.latitude, east: isWholeTurn ? 180 : east,
        north: northWest.latitude)
    }
  }
#endif
