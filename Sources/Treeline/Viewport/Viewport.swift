/// What is looked at: an area, and the scale at which it is shown.
///
/// Zooms are of 256 px tiles, as in Leaflet, unless told otherwise. MapLibre counts 512 px tiles: its zoom is one less
/// at the same scale, and goes with `tileSize: .pixels512`.
///
/// ```swift
/// Viewport(paris)                                              // a box, without a scale: enough for a limit
/// Viewport(paris, zoom: 11.5)                                  // a box at a zoom
/// Viewport(paris, width: 1024, height: 768)                    // a box on a screen, which gives it a zoom
/// Viewport(center: louvre, zoom: 14, width: 1024, height: 768)
/// Viewport(tile: MapTile(zoom: 4, x: 8, y: 5)!, tileSize: .pixels512)
/// ```
public struct Viewport: Hashable, Sendable {
  /// Which part of the map is looked at.
  public enum Area: Hashable, Sendable {
    /// All there is.
    case everything
    /// A box of coordinates.
    case box(BoundingBox)
    /// As much as the viewport's size shows around a position.
    case center(Coordinate)
    /// The square of a map tile.
    case tile(MapTile)
  }

  /// Width and height of a screen in pixels.
  public struct Size: Hashable, Sendable {
    /// In pixels, above 0.
    public var width: Double
    /// In pixels, above 0.
    public var height: Double

    /// A screen by its sides in pixels.
    public init(width: Double, height: Double) {
      self.width = width
      self.height = height
    }
  }

  /// How wide the world is at zoom 0. Each zoom more doubles it.
  public enum TileSize: Int, Hashable, Sendable, CaseIterable {
    /// As Web Mercator tiles were first cut; Leaflet, OpenLayers and Google Maps count zooms so.
    case pixels256 = 256
    /// As MapLibre and Mapbox count zooms: one less for the same scale.
    case pixels512 = 512

    /// What is added to a zoom of such tiles to make it one of 256 px tiles.
    package var zoomOffset: Double { self == .pixels512 ? 1 : 0 }
  }

  /// Which part of the map.
  public let area: Area

  /// May be fractional; nil where there is none, or where the size of a box gives it.
  public let zoom: Double?

  /// The screen's, where there is one.
  public let size: Size?

  /// Of which tiles `zoom` is.
  public let tileSize: TileSize

  /// How many pixels around the area are looked at, too.
  public let margin: Double

  /// A box, in degrees. `west` greater than `east` crosses the antimeridian.
  ///
  /// - Parameters:
  ///   - box: All four edges inclusive.
  ///   - zoom: nil for no scale, which will do for a limit.
  ///   - tileSize: Of which tiles the zoom is.
  ///   - margin: How many pixels around the box are looked at, too; it needs a zoom.
  public init(_ box: BoundingBox, zoom: Double? = nil, tileSize: TileSize = .pixels256, margin: Double = 0) {
    self.init(.box(box), zoom: zoom, tileSize: tileSize, margin: margin)
  }

  /// A box on a screen. Its zoom is the greatest at which it fits there, up to that of a plane's unit a pixel.
  ///
  /// - Parameters:
  ///   - box: All four edges inclusive.
  ///   - width: The screen's, in pixels, above 0.
  ///   - height: The screen's, in pixels, above 0.
  ///   - margin: How many pixels around the box are looked at, too.
  public init(_ box: BoundingBox, width: Double, height: Double, margin: Double = 0) {
    self.init(.box(box), size: Size(width: width, height: height), margin: margin)
  }

  /// What a screen shows that is centred on a position.
  ///
  /// - Parameters:
  ///   - center: What is in the middle of the screen.
  ///   - zoom: May be fractional.
  ///   - width: The screen's, in pixels, above 0.
  ///   - height: The screen's, in pixels, above 0.
  ///   - tileSize: Of which tiles the zoom is: MapLibre counts 512 px tiles.
  ///   - margin: How many pixels around the screen are looked at, too.
  public init(
    center: Coordinate, zoom: Double, width: Double, height: Double, tileSize: TileSize = .pixels256, margin: Double = 0
  ) {
    self.init(.center(center), zoom: zoom, size: Size(width: width, height: height), tileSize: tileSize, margin: margin)
  }

  /// A map tile at its own zoom.
  ///
  /// - Parameters:
  ///   - tile: Which tile.
  ///   - tileSize: How wide the tile is shown at its own zoom, in pixels.
  ///   - margin: The tile's buffer, in pixels.
  public init(tile: MapTile, tileSize: TileSize = .pixels256, margin: Double = 0) {
    self.init(.tile(tile), zoom: Double(tile.zoom), tileSize: tileSize, margin: margin)
  }

  /// All there is, at a zoom or without.
  public static func everything(zoom: Double? = nil, tileSize: TileSize = .pixels256) -> Viewport {
    Viewport(.everything, zoom: zoom, tileSize: tileSize)
  }

  /// All there is, without a scale.
  public static let everything = Viewport(.everything)

  /// The same, with so many pixels around it looked at, too, in place of its own margin.
  package func expanded(by margin: Double) -> Viewport {
    Viewport(area, zoom: zoom, size: size, tileSize: tileSize, margin: margin)
  }

  init(_ area: Area, zoom: Double? = nil, size: Size? = nil, tileSize: TileSize = .pixels256, margin: Double = 0) {
    (self.area, self.zoom, self.size, self.margin) = (area, zoom, size, margin)
    // Of two viewports that show the same there is one value.
    self.tileSize = zoom == nil ? .pixels256 : tileSize
  }
}

// MARK: - On a plane

/// Where a viewport is on a plane.
public struct PlaneViewport: Hashable, Sendable {
  /// The part of the plane that is looked at.
  public let window: PlaneWindow

  /// Of 256 px tiles; nil where there is none.
  public let zoom: Double?
}

extension Viewport {
  /// Where it is on a plane; nil where it lies off a plain plane's square, and nothing is in view.
  ///
  /// - Throws: `QueryError` where an edge, a zoom or a size is not a number that makes sense.
  public func located(on plane: Plane) throws(QueryError) -> PlaneViewport? {
    guard var window = try window(on: plane) else { return nil }
    let zoom = try zoom(on: plane)
    if margin != 0 {
      guard margin > 0, margin.isFinite else { throw .notALength(name: "margin", found: margin) }
      guard let zoom else { throw .noZoom }
      window = window.expanded(by: margin * Plane.unitsPerPixel(zoom: zoom), on: plane)
    }
    return PlaneViewport(window: window, zoom: zoom)
  }

  /// Without the margin.
  private func window(on plane: Plane) throws(QueryError) -> PlaneWindow? {
    switch area {
    case .everything: .everything
    case .box(let box): try plane.window(showing: box)
    case .center(let center): try plane.window(showing: box(around: center, on: plane))
    case .tile(let tile): try tile.window(on: plane)
    }
  }

  /// Of 256 px tiles.
  private func zoom(on plane: Plane) throws(QueryError) -> Double? {
    if let zoom {
      guard zoom.isFinite else { throw .zoomNotFinite(found: zoom) }
      return zoom + tileSize.zoomOffset
    }
    guard let size, case .box(let box) = area, let window = try plane.window(showing: box) else { return nil }
    try size.check()
    return Plane.zoom(fittingWidth: Double(window.width), height: Double(window.maxY - window.minY), into: size)
  }

  /// Whether it has a zoom, its own or that of its size, so that a detail, a spacing and badges can be asked for.
  public var hasScale: Bool {
    if zoom != nil { return true }
    if case .box = area { return size != nil }
    return false
  }

  /// The box of coordinates that is looked at, without its margin.
  ///
  /// - Throws: As `located(on:)` does.
  public func box(on plane: Plane) throws(QueryError) -> BoundingBox {
    switch area {
    case .everything: plane.bounds
    case .box(let box): box
    case .center(let center): try box(around: center, on: plane)
    case .tile(let tile): try tile.bounds(on: plane)
    }
  }

  private func box(around center: Coordinate, on plane: Plane) throws(QueryError) -> BoundingBox {
    let isOnPlane = plane.projection == .planar || abs(center.latitude) <= 90
    guard center.longitude.isFinite, center.latitude.isFinite, isOnPlane else { throw .notACoordinate(found: center) }
    guard let size, let zoom = try zoom(on: plane) else { throw .zoomNotFinite(found: .nan) }
    try size.check()
    let units = Plane.unitsPerPixel(zoom: zoom)
    let middle = plane.middle(at: center)
    let northWest = plane.coordinate(x: middle.x - size.width / 2 * units, y: middle.y - size.height / 2 * units)
    let southEast = plane.coordinate(x: middle.x + size.width / 2 * units, y: middle.y + size.height / 2 * units)
    // All meridians are on screen even where the last falls short of the first by less than a unit.
    let isWholeTurn = plane.projection == .webMercator && size.width * units > 0x1p32 - 1
    return BoundingBox(
      west: isWholeTurn ? -180 : northWest.longitude, south: southEast.latitude,
      east: isWholeTurn ? 180 : southEast.longitude, north: northWest.latitude)
  }
}

extension Viewport.Size {
  fileprivate func check() throws(QueryError) {
    for (name, side) in [("width", width), ("height", height)] where !(side > 0 && side.isFinite) {
      throw .notALength(name: name, found: side)
    }
  }
}
