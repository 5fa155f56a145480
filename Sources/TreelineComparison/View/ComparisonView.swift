import Treeline

/// What all methods of a comparison are asked to show: a box of places at a zoom, and hence a picture in pixels.
///
/// The box is asked for exactly as it is, so the picture has its aspect ratio on the plane.
@_spi(Server) public struct ComparisonView: Hashable, Sendable {
  public let box: BoundingBox

  /// At zoom 0 the plane is 256 px wide; may be fractional.
  public let zoom: Double

  public let plane: Plane

  /// The part of the plane that the box covers.
  public let window: PlaneWindow

  /// - Throws: `QueryError` where the box is not one, `ComparisonError` where it shows nothing or the zoom is not
  ///   finite.
  public init(_ box: BoundingBox, zoom: Double, on plane: Plane) throws {
    guard zoom.isFinite else { throw ComparisonError.zoomNotFinite(found: zoom) }
    self.init(box, zoom: zoom, window: try Self.window(showing: box, on: plane), plane: plane)
    guard max(width, height) <= Self.maximumSide else {
      throw ComparisonError.pictureTooLarge(width: width, height: height)
    }
  }

  /// The view of a box at the largest zoom at which it fits into a size in pixels.
  public init(_ box: BoundingBox, fitting size: PictureSize, on plane: Plane) throws {
    let window = try Self.window(showing: box, on: plane)
    let zoom = size.zoom(fittingWidth: Double(window.width), height: Double(window.maxY - window.minY))
    self.init(box, zoom: zoom, window: window, plane: plane)
  }

  private init(_ box: BoundingBox, zoom: Double, window: PlaneWindow, plane: Plane) {
    self.box = box
    self.zoom = zoom
    self.window = window
    self.plane = plane
  }

  private static func window(showing box: BoundingBox, on plane: Plane) throws -> PlaneWindow {
    guard let window = try plane.window(showing: box) else { throw ComparisonError.boxOffPlane(found: box) }
    guard window.width > 0, window.maxY > window.minY else { throw ComparisonError.boxWithoutArea(found: box) }
    return window
  }
}

// MARK: - Pixels

extension ComparisonView {
  /// The longest side of a picture, in pixels.
  public static let maximumSide = 16_384.0

  /// The width of a pixel in units of the plane.
  public var unitsPerPixel: Double { Plane.unitsPerPixel(zoom: zoom) }

  /// In pixels, as is `height`.
  public var width: Double { Double(window.width) / unitsPerPixel }
  public var height: Double { Double(window.maxY - window.minY) / unitsPerPixel }

  /// Where a position on the plane is in the picture. Off the window it may be any side of it, but on the sphere the
  /// nearest of its repetitions: clusters on the edge stay next to their points, whatever meridian lies between.
  func pixel(x: Double, y: Double) -> PixelPoint {
    let middle = Double(window.width) / 2
    let fromMiddle = shortest(x - Double(window.x) - middle)
    return PixelPoint(x: (middle + fromMiddle) / unitsPerPixel, y: (y - Double(window.minY)) / unitsPerPixel)
  }

  /// Where a point inside the window is.
  func pixel(of point: PlanePoint) -> PixelPoint {
    PixelPoint(
      x: Double(point.x &- window.x) / unitsPerPixel, y: (Double(point.y) - Double(window.minY)) / unitsPerPixel)
  }

  /// The world's width in pixels, after which the picture repeats; infinite on a plain plane.
  var turn: Double { plane.projection == .webMercator ? Self.worldWidth / unitsPerPixel : .infinity }

  private func shortest(_ units: Double) -> Double {
    guard plane.projection == .webMercator else { return units }
    return units - (units / Self.worldWidth).rounded() * Self.worldWidth
  }

  private static let worldWidth = 0x1p32
}
