/// The mapping between coordinates and positions on the fixed-point plane.
///
/// All arithmetic on the plane uses integers. The conversion gives the same bits on every platform.
/// `unitsPerPixel(zoom:)` relates distances on the plane to the screen.
public struct Plane: Hashable, Sendable {
  /// The kind of coordinates.
  public enum Projection: UInt32, Hashable, Sendable {
    /// Spherical Web Mercator (EPSG:3857), the world as one square.
    case webMercator = 1
    /// A plain plane: x and y without a map projection. The plane is the bounding square of the data.
    case planar = 2
  }

  /// The kind of coordinates.
  public let projection: Projection

  /// The distance in units from longitude -180 eastwards to the seam. The seam is the meridian at which x is 0. On a
  /// plane without a map projection, the distance is always 0.
  package let seam: UInt32

  /// The x of the left edge of the plane's square, in the units of the data. On Web Mercator, `left`, `top` and `side`
  /// are 0.
  package let left: Double
  /// The y of the top edge of the plane's square, in the units of the data; 0 on Web Mercator.
  package let top: Double
  /// The side of the plane's square, in the units of the data; 0 on Web Mercator.
  package let side: Double

  /// Returns the Web Mercator plane, cut open along the meridian that `seam` gives.
  package static func webMercator(seam: UInt32 = 0) -> Plane {
    Plane(projection: .webMercator, seam: seam, left: 0, top: 0, side: 0)
  }

  /// Returns a plane without a map projection. The top left corner of its square is at `left`, `top`. If the side is
  /// 0, the plane has only one position.
  package static func planar(left: Double, top: Double, side: Double) -> Plane {
    precondition(left.isFinite && top.isFinite && side.isFinite && side >= 0, "Expected a finite square, side >= 0")
    return Plane(projection: .planar, seam: 0, left: left, top: top, side: side)
  }

  /// The greatest latitude that Web Mercator shows, in degrees. Points beyond this latitude are moved to this latitude.
  package static let maximumLatitude = 85.0511287798066
}

// MARK: - From coordinates to the plane

extension Plane {
  /// Returns the position of a coordinate, clipped to `maximumLatitude` or to a plain plane's square.
  ///
  /// - Precondition: Both numbers of the coordinate are finite.
  public func point(at coordinate: Coordinate) -> PlanePoint {
    switch projection {
    case .webMercator:
      PlanePoint(
        x: Self.mercatorX(longitude: coordinate.longitude) &- seam, y: Self.mercatorY(latitude: coordinate.latitude))
    case .planar: PlanePoint(x: units(coordinate.x - left), y: units(top - coordinate.y))
    }
  }

  /// Returns the position of a screen's center on the plane, in whole units. On a plane without a map projection,
  /// points outside the plane's square are moved into the square, but the center of a screen is not. So a screen that
  /// was panned away from all points shows no points.
  func middle(at center: Coordinate) -> (x: Double, y: Double) {
    if projection == .planar && side > 0 { return (wholeUnits(center.x - left), wholeUnits(top - center.y)) }
    let point = point(at: center)
    return (Double(point.x), Double(point.y))
  }

  /// Returns the distance eastwards from longitude -180, rounded to the nearest unit, modulo the world's width.
  @inline(__always) static func mercatorX(longitude: Double) -> UInt32 {
    // Longitudes of a viewport may be many turns away from -180 ..< 180, and too large for an integer.
    let inOneTurn = abs(longitude) <= 360 ? longitude : longitude.truncatingRemainder(dividingBy: 360)
    return UInt32(truncatingIfNeeded: Int64(nearest: (inOneTurn + 180) * (worldWidth / 360)))
  }

  @inline(__always) static func mercatorY(latitude: Double) -> UInt32 {
    UInt32(clamping: Int64(nearest: Mercator.y(latitude: latitude)))
  }

  private func units(_ distance: Double) -> UInt32 {
    side > 0 ? UInt32(min(max(wholeUnits(distance), 0), Self.squareWidth)) : 0
  }

  /// Converts a distance in the units of the data to whole units of the plane. The result is limited to -2^900 ...
  /// 2^900, so it stays finite when other distances are added to it. If all points have one position, the plane has no
  /// scale, and only the sign of the result has a meaning.
  func wholeUnits(_ distance: Double) -> Double {
    min(max((distance / (side > 0 ? side : 1) * Self.squareWidth).rounded(), -0x1p900), 0x1p900)
  }

  private static let worldWidth = Mercator.worldWidth

  /// The greatest x and the greatest y on a plane without a map projection. Points on the right edge of the square
  /// have this x, and points on the bottom edge have this y. On Web Mercator, the right edge is the seam, where x is 0
  /// again.
  private static let squareWidth = 0x1p32 - 1
}

// MARK: - From the plane to coordinates

extension Plane {
  /// Returns the coordinate at a position. The position may be fractional and may lie outside the plane's square. The
  /// longitude is in -180 ..< 180. A latitude beyond an edge of the plane is moved to the edge.
  package func coordinate(x: Double, y: Double) -> Coordinate {
    switch projection {
    case .webMercator: Coordinate(longitude: longitude(x: x), latitude: Mercator.latitude(y: y))
    case .planar: Coordinate(x: left + x / Self.squareWidth * side, y: top - y / Self.squareWidth * side)
    }
  }

  /// Converts several positions on the plane's square to coordinates in place. The results are the same as with
  /// `coordinate(x:y:)`. This loop is faster because it makes no calls: on some processors `coordinate(x:y:)` calls a
  /// function to round down.
  ///
  /// - Parameter stride: The number of array elements from one x to the next x, and from one y to the next y.
  @inline(__always) func makeCoordinates(
    ofX xs: UnsafeMutablePointer<Double>, y ys: UnsafeMutablePointer<Double>, stride: Int = 1, count: Int
  ) {
    switch projection {
    case .webMercator:
      for number in 0..<count {
        let turns = turns(x: xs[stride &* number])
        xs[stride &* number] = (turns - (turns < 1 ? 0 : 1)) * 360 - 180
        ys[stride &* number] = Mercator.latitude(y: ys[stride &* number])
      }
    case .planar:
      for number in 0..<count {
        let coordinate = coordinate(x: xs[stride &* number], y: ys[stride &* number])
        (xs[stride &* number], ys[stride &* number]) = (coordinate.x, coordinate.y)
      }
    }
  }

  /// Returns the coordinate at a position.
  package func coordinate(at point: PlanePoint) -> Coordinate { coordinate(x: Double(point.x), y: Double(point.y)) }

  /// Converts a box of the plane to a box of coordinates. If the box lies across the antimeridian, `west` is greater
  /// than `east`.
  package func boundingBox(of rect: PlaneRect) -> BoundingBox {
    let northWest = coordinate(at: PlanePoint(x: rect.minX, y: rect.minY))
    let southEast = coordinate(at: PlanePoint(x: rect.maxX, y: rect.maxY))
    // If a box ends at the antimeridian, its eastern edge is 180, not -180.
    let endsAtAntimeridian = southEast.longitude == -180 && rect.width > 0 && projection == .webMercator
    return BoundingBox(
      west: northWest.longitude, south: southEast.latitude, east: endsAtAntimeridian ? 180 : southEast.longitude,
      north: northWest.latitude)
  }

  /// The box of all coordinates on the plane.
  var bounds: BoundingBox {
    projection == .webMercator
      ? .world : BoundingBox(west: left, south: top - side, east: left + side, north: top)
  }

  @inline(__always) private func longitude(x: Double) -> Double {
    let turns = turns(x: x)
    // For a position on the plane, `turns` is not negative, so conversion to an integer rounds down.
    // `rounded(.down)` would be slower, because on some processors it calls a function (see `Int64(nearest:)`).
    let wholeTurns = turns >= 0 && turns < 0x1p31 ? Double(Int64(turns)) : turns.rounded(.down)
    return (turns - wholeTurns) * 360 - 180
  }

  /// Returns the distance from longitude -180 eastwards to `x`, in widths of the world. For positions on the plane's
  /// square, the distance is at least 0 and below 2.
  @inline(__always) private func turns(x: Double) -> Double { (x + Double(seam)) / Self.worldWidth }
}

// MARK: - Zoom

extension Plane {
  /// Returns the width of a screen pixel in plane units. At zoom 0, the plane is 256 px wide. The zoom may be
  /// fractional.
  package static func unitsPerPixel(zoom: Double) -> Double { Binary.power(24 - zoom) }

  /// Returns the greatest zoom at which a rectangle on the plane fits on a screen, but at most 24. At zoom 24, a pixel
  /// is one unit wide.
  package static func zoom(fittingWidth width: Double, height: Double, into size: Viewport.Size) -> Double {
    24 - Binary.logarithm(max(width / size.width, height / size.height, 1))
  }
}
