/// What is on screen: a box of places and its size in pixels.
public struct Viewport: Hashable, Sendable {
  public var box: BoundingBox
  /// In pixels.
  public var width: Double
  public var height: Double

  public init(box: BoundingBox, width: Double, height: Double) {
    self.box = box
    self.width = width
    self.height = height
  }

  /// The viewport of a screen centred on a place.
  public init(center: Coordinate, zoom: Double, width: Double, height: Double, on plane: Plane) {
    let units = Plane.unitsPerPixel(zoom: zoom)
    let middle = plane.point(at: center)
    let northWest = plane.coordinate(
      x: Double(middle.x) - width / 2 * units, y: Double(middle.y) - height / 2 * units)
    let southEast = plane.coordinate(
      x: Double(middle.x) + width / 2 * units, y: Double(middle.y) + height / 2 * units)
    // All meridians are on screen even where the last falls short of the first by less than a unit.
    let isWholeTurn = plane.projection == .webMercator && width * units > 0x1p32 - 1
    self.init(
      box: BoundingBox(
        west: isWholeTurn ? -180 : northWest.longitude, south: southEast.latitude,
        east: isWholeTurn ? 180 : southEast.longitude, north: northWest.latitude),
      width: width, height: height)
  }
}
