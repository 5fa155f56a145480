/// The part of a map in view, and the scale at which it is shown.
///
/// By default, zooms are for tiles of 256 px, as in Leaflet. MapLibre has tiles of 512 px, so its zooms are lower by 1
/// at the same scale. Pass such a zoom with `tileSize: .pixels512`.
///
/// ```swift
/// Viewport(paris)                                              // a box without a scale, for a cut with only a limit
/// Viewport(paris, zoom: 11.5)                                  // a box at a zoom
/// Viewport(paris, width: 1024, height: 768)                    // a box on a screen; the zoom is computed
/// Viewport(center: louvre, zoom: 14, width: 1024, height: 768)
/// Viewport(tile: MapTile(zoom: 4, x: 8, y: 5)!, tileSize: .pixels512)
/// ```
public struct Viewport: Hashable, Sendable {
  /// The part of the map in view.
  package enum Area: Hashable, Sendable {
    /// The whole map.
    case everything
    /// A box of coordinates.
    case box(BoundingBox)
    /// The area that a screen of the viewport's size shows around a position.
    case center(Coordinate)
    /// The square of a map tile.
    case tile(MapTile)
  }

  /// Width and height of a screen in pixels.
  package struct Size: Hashable, Sendable {
    /// Width in pixels, above 0.
    package var width: Double
    /// Height in pixels, above 0.
    package var height: Double

    /// Creates the size of a screen in pixels.
    package init(width: Double, height: Double) {
      self.width = width
      self.height = height
    }
  }

  /// Width of the world at zoom 0, in pixels. Each further zoom doubles this width.
  public enum TileSize: Int, Hashable, Sendable, CaseIterable {
    /// 256 px, the original size of Web Mercator tiles. Leaflet, OpenLayers and Google Maps count zooms in this way.
    case pixels256 = 256
    /// 512 px. MapLibre and Mapbox count zooms in this way. At the same scale, a zoom for tiles of 512 px is lower by
    /// 1 than a zoom for tiles of 256 px.
    case pixels512 = 512

    /// Number to add to a zoom for tiles of this size, to get the zoom for tiles of 256 px.
    package var zoomOffset: Double { self == .pixels512 ? 1 : 0 }
  }

  /// The part of the map in view.
  package let area: Area

  /// The zoom as it was given, which may be fractional; nil if no zoom was given. The zoom is for tiles of the size
  /// with which the viewport was made: `Viewport(paris, zoom: 11, tileSize: .pixels512).zoom` is 11. For a box on a
  /// screen this property is nil, too: that zoom depends on the plane and is computed later.
  public let zoom: Double?

  /// Size of the screen; nil if the viewport has no screen.
  package let size: Size?

  /// Size of the tiles to which `zoom` refers. Without a zoom, the size is always 256 px.
  package let tileSize: TileSize

  /// Width of a margin around the area, in pixels. The margin is in view, too.
  package let margin: Double

  /// Creates a viewport of a box in degrees. If `west` is greater than `east`, the box crosses the antimeridian.
  ///
  /// - Parameters:
  ///   - box: The box, with all four edges inclusive.
  ///   - zoom: The zoom; nil for a viewport without a scale. A cut with only a limit needs no scale.
  ///   - tileSize: Size of the tiles to which the zoom refers.
  ///   - margin: Width of a margin around the box, in pixels. The margin is in view, too. A margin needs a zoom.
  public init(_ box: BoundingBox, zoom: Double? = nil, tileSize: TileSize = .pixels256, margin: Double = 0) {
    self.init(.box(box), zoom: zoom, tileSize: tileSize, margin: margin)
  }

  /// Creates a viewport of a box on a screen. The zoom of the viewport is the greatest zoom at which the box fits the
  /// screen. The zoom is limited so that a pixel is at least one unit of the plane.
  ///
  /// - Parameters:
  ///   - box: The box, with all four edges inclusive.
  ///   - width: Width of the screen in pixels, above 0.
  ///   - height: Height of the screen in pixels, above 0.
  ///   - margin: Width of a margin around the box, in pixels. The margin is in view, too.
  public init(_ box: BoundingBox, width: Double, height: Double, margin: Double = 0) {
    self.init(.box(box), size: Size(width: width, height: height), margin: margin)
  }

  /// Creates a viewport of a screen that is centered on a position.
  ///
  /// - Parameters:
  ///   - center: Position of the middle of the screen.
  ///   - zoom: The zoom, which may be fractional.
  ///   - width: Width of the screen in pixels, above 0.
  ///   - height: Height of the screen in pixels, above 0.
  ///   - tileSize: Size of the tiles to which the zoom refers. MapLibre has tiles of 512 px.
  ///   - margin: Width of a margin around the screen, in pixels. The margin is in view, too.
  public init(
    center: Coordinate, zoom: Double, width: Double, height: Double, tileSize: TileSize = .pixels256, margin: Double = 0
  ) {
    self.init(.center(center), zoom: zoom, size: Size(width: width, height: height), tileSize: tileSize, margin: margin)
  }

  /// Creates a viewport of a map tile at its own zoom.
  ///
  /// - Parameters:
  ///   - tile: The tile.
  ///   - tileSize: Width of the tile on the screen at the tile's own zoom, in pixels.
  ///   - margin: Width of a margin around the tile, in pixels. The margin is in view, too. For tiles, it is often
  ///     called a buffer.
  public init(tile: MapTile, tileSize: TileSize = .pixels256, margin: Double = 0) {
    self.init(.tile(tile), zoom: Double(tile.zoom), tileSize: tileSize, margin: margin)
  }

  /// Returns a viewport of the whole map, with or without a zoom.
  public static func everything(zoom: Double? = nil, tileSize: TileSize = .pixels256) -> Viewport {
    Viewport(.everything, zoom: zoom, tileSize: tileSize)
  }

  /// The whole map, without a scale.
  public static let everything = Viewport(.everything)

  /// Returns this viewport with a different margin, in pixels.
  package func expanded(by margin: Double) -> Viewport {
    Viewport(area, zoom: zoom, size: size, tileSize: tileSize, margin: margin)
  }

  init(_ area: Area, zoom: Double? = nil, size: Size? = nil, tileSize: TileSize = .pixels256, margin: Double = 0) {
    (self.area, self.zoom, self.size, self.margin) = (area, zoom, size, margin)
    // Without a zoom, the tile size has no meaning. It is then always 256 px, so that equal viewports compare as
    // equal.
    self.tileSize = zoom == nil ? .pixels256 : tileSize
  }
}

// MARK: - On a plane

/// A viewport on a plane.
@_spi(Server) public struct PlaneViewport: Hashable, Sendable {
  /// The part of the plane in view.
  package let window: PlaneWindow

  /// Zoom for tiles of 256 px; nil if the viewport has no zoom.
  public let zoom: Double?

  package init(window: PlaneWindow, zoom: Double?) { (self.window, self.zoom) = (window, zoom) }

  /// Width of the part in view, in units of the plane.
  public var width: Double { Double(window.width) }

  /// Height of the part in view, in units of the plane.
  public var height: Double { Double(window.maxY - window.minY) }

  /// Returns an upper bound for the number of grid squares that the viewport touches; infinity if the viewport has no
  /// zoom. The sides of the squares are `pixels` pixels long.
  public func area(inSquaresOf pixels: Double) -> Double {
    guard let zoom else { return .infinity }
    let side = pixels * Plane.unitsPerPixel(zoom: zoom)
    return ((width / side).rounded(.up) + 1) * ((height / side).rounded(.up) + 1)
  }
}

extension Viewport {
  /// Returns the viewport on a plane. Returns nil if nothing is in view. This happens only on a plane without a map
  /// projection, if the viewport lies outside the square of the plane.
  ///
  /// - Throws: `QueryError` if an edge, a zoom or a size is not a valid number.
  @_spi(Server) public func located(on plane: Plane) throws(QueryError) -> PlaneViewport? {
    guard var window = try window(on: plane) else { return nil }
    let zoom = try zoom(on: plane)
    if margin != 0 {
      guard margin > 0, margin.isFinite else { throw .notALength(name: "margin", found: margin) }
      guard let zoom else { throw .noZoom }
      window = window.expanded(by: margin * Plane.unitsPerPixel(zoom: zoom), on: plane)
    }
    return PlaneViewport(window: window, zoom: zoom)
  }

  /// Returns the part of the plane in view, without the margin.
  private func window(on plane: Plane) throws(QueryError) -> PlaneWindow? {
    switch area {
    case .everything: .everything
    case .box(let box): try plane.window(showing: box)
    case .center(let center): try plane.window(showing: box(around: center, on: plane))
    case .tile(let tile): try tile.window(on: plane)
    }
  }

  /// Returns the zoom for tiles of 256 px; nil if the viewport has no zoom.
  private func zoom(on plane: Plane) throws(QueryError) -> Double? {
    if let zoom {
      guard zoom.isFinite else { throw .zoomNotFinite(found: zoom) }
      return zoom + tileSize.zoomOffset
    }
    guard let size, case .box(let box) = area, let window = try plane.window(showing: box) else { return nil }
    try size.check()
    return Plane.zoom(fittingWidth: Double(window.width), height: Double(window.maxY - window.minY), into: size)
  }

  /// Whether the viewport has a zoom: a given zoom, or a zoom that is computed from a box and the size of its screen.
  /// A cut with a detail, a spacing or badges needs a zoom.
  @_spi(Server) public var hasScale: Bool {
    if zoom != nil { return true }
    if case .box = area { return size != nil }
    return false
  }

  /// Returns the box of coordinates in view, without the margin.
  ///
  /// - Throws: `QueryError` if an edge, a zoom or a size is not a valid number.
  package func box(on plane: Plane) throws(QueryError) -> BoundingBox {
    switch area {
    case .everything: plane.bounds
    case .box(let box): box
    case .center(let center): try box(around: center, on: plane)
    case .tile(let tile): try tile.bounds(on: plane)
    }
  }

  private func box(around center: Coordinate, on plane: Plane) throws(QueryError) -> BoundingBox {
    let isOnPlane = plane.projection == .planar || abs(center.latitude) <= 90
    guard center.longitude.isFinite, center.latitude.isFinite, isOnPlane else {
      throw .notACoordinate(found: center, projection: plane.projection)
    }
    guard let size, let zoom = try zoom(on: plane) else { throw .zoomNotFinite(found: .nan) }
    try size.check()
    let units = Plane.unitsPerPixel(zoom: zoom)
    let middle = plane.middle(at: center)
    let northWest = plane.coordinate(x: middle.x - size.width / 2 * units, y: middle.y - size.height / 2 * units)
    let southEast = plane.coordinate(x: middle.x + size.width / 2 * units, y: middle.y + size.height / 2 * units)
    // A screen as wide as the world or wider shows all meridians. A screen that is less than one unit narrower than
    // the world is treated in the same way.
    let isWholeTurn = plane.projection == .webMercator && size.width * units > 0x1p32 - 1
    let box = BoundingBox(
      west: isWholeTurn ? -180 : northWest.longitude, south: southEast.latitude,
      east: isWholeTurn ? 180 : southEast.longitude, north: northWest.latitude)
    guard [box.west, box.south, box.east, box.north].allSatisfy(\.isFinite) else {
      throw .viewportTooLarge(zoom: self.zoom ?? zoom)
    }
    return box
  }
}

extension Viewport.Size {
  fileprivate func check() throws(QueryError) {
    for (name, side) in [("width", width), ("height", height)] where !(side > 0 && side.isFinite) {
      throw .notALength(name: name, found: side)
    }
  }
}
