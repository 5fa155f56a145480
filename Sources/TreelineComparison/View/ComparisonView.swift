import Treeline

/// A viewport with a scale in pixels, which all methods of a comparison show.
///
/// The box is used exactly as given, so the picture has its aspect ratio on the plane.
@_spi(Server) public struct ComparisonView: Hashable, Sendable {
  let box: BoundingBox

  /// Zoom for tiles of 256 px; it may be fractional.
  let zoom: Double

  let plane: Plane

  /// The part of the plane that the box covers.
  let window: PlaneWindow

  /// - Parameter viewport: A viewport with a zoom or a size. Its margin is not shown.
  /// - Throws: `QueryError` for an invalid viewport; `ComparisonError` if it lacks a zoom, is empty or is too large.
  public init(_ viewport: Viewport, on plane: Plane) throws {
    let box = try viewport.box(on: plane)
    guard let window = try plane.window(showing: box) else { throw ComparisonError.boxOffPlane(found: box) }
    guard window.width > 0, window.maxY > window.minY else { throw ComparisonError.boxWithoutArea(found: box) }
    guard let zoom = try viewport.located(on: plane)?.zoom else { throw ComparisonError.notAPicture(found: viewport) }
    (self.box, self.zoom, self.plane, self.window) = (box, zoom, plane, window)
    guard max(width, height) <= Self.maximumSide else {
      throw ComparisonError.pictureTooLarge(width: width, height: height)
    }
  }
}

// MARK: - Pixels

/// A position in the picture of a view, in pixels from its top left corner: x to the right, y down.
package typealias PixelPoint = SIMD2<Double>

extension PixelPoint {
  /// Returns the squared distance in square pixels.
  ///
  /// - Parameter turn: Width of the world in pixels. The distance is measured the shorter way around the world.
  func squaredDistance(to other: PixelPoint, turn: Double = .infinity) -> Double {
    let (direct, dy) = (abs(other.x - x), other.y - y)
    return squaredLength(Swift.min(direct, abs(turn - direct)), dy)
  }
}

extension ComparisonView {
  /// The longest side of a picture, in pixels.
  static let maximumSide = 16_384.0

  /// The width of a pixel in units of the plane.
  var unitsPerPixel: Double { Plane.unitsPerPixel(zoom: zoom) }

  /// Width of the picture in pixels; then its height.
  var width: Double { Double(window.width) / unitsPerPixel }
  var height: Double { Double(window.maxY - window.minY) / unitsPerPixel }

  var middle: PixelPoint { PixelPoint(x: width / 2, y: height / 2) }

  /// Converts a position on the plane to a position in the picture. A position outside the window may be on any side of
  /// the picture. On the sphere the nearest repetition is used, so that clusters on the edge stay next to their points.
  func pixel(x: Double, y: Double) -> PixelPoint {
    let middle = Double(window.width) / 2
    var fromMiddle = x - Double(window.x) - middle
    if plane.projection == .webMercator {
      fromMiddle -= (fromMiddle / Plane.turnWidth).rounded() * Plane.turnWidth
    }
    return PixelPoint(x: (middle + fromMiddle) / unitsPerPixel, y: (y - Double(window.minY)) / unitsPerPixel)
  }

  /// Returns the position in the picture of a point inside the window.
  func pixel(of point: PlanePoint) -> PixelPoint {
    PixelPoint(
      x: Double(point.x &- window.x) / unitsPerPixel, y: (Double(point.y) - Double(window.minY)) / unitsPerPixel)
  }

  /// Converts a position in the picture of another view to a position in this picture.
  func pixel(_ position: PixelPoint, of other: ComparisonView) -> PixelPoint {
    let (x, y) = other.planePosition(of: position)
    return pixel(x: x, y: y)
  }

  /// Returns a position in units of the plane, beyond its edges if the window crosses the seam.
  func planePosition(of pixel: PixelPoint) -> (x: Double, y: Double) {
    (Double(window.x) + pixel.x * unitsPerPixel, Double(window.minY) + pixel.y * unitsPerPixel)
  }

  /// Returns a position in units of the plane, within its edges if the world repeats.
  func wrappedPlanePosition(of pixel: PixelPoint) -> (x: Double, y: Double) {
    let (x, y) = planePosition(of: pixel)
    return (plane.projection.isCyclic ? x - (x / Plane.turnWidth).rounded(.down) * Plane.turnWidth : x, y)
  }

  func shows(_ position: PixelPoint) -> Bool { 0...width ~= position.x && 0...height ~= position.y }

  /// Width of the world in pixels, after which the picture repeats; infinite on a plain plane.
  var turn: Double { plane.projection == .webMercator ? Plane.turnWidth / unitsPerPixel : .infinity }

  /// Returns the repetition of a position that is nearest to another position, if the world repeats.
  func nearest(_ position: PixelPoint, to other: PixelPoint) -> PixelPoint {
    guard turn.isFinite else { return position }
    return PixelPoint(x: position.x - ((position.x - other.x) / turn).rounded() * turn, y: position.y)
  }
}

extension Plane {
  /// Width of the plane in its units, after which the world repeats on the sphere.
  static var turnWidth: Double { 0x1p32 }
}

/// The points inside a view, in tree order: neighbors in the list are neighbors on the map.
struct ViewPoints: Sendable {
  /// Positions in pixels of the view.
  private(set) var positions: [PixelPoint] = []
  /// Index of each point in tree order.
  private(set) var treeIndices: [Int] = []
  /// Number of all points, inside the view and outside.
  let total: Int

  /// - Complexity: O(points of the tree)
  init(of tree: ClusterTree, in view: ComparisonView) {
    total = tree.pointCount
    for index in 0..<tree.pointCount {
      let point = tree.position(atTreeIndex: index)
      guard view.window.contains(point) else { continue }
      positions.append(view.pixel(of: point))
      treeIndices.append(index)
    }
  }

  var count: Int { positions.count }
}

/// The points of a view as dots of its picture.
struct PointDots: Sendable {
  /// Positions in pixels of the view; no two are in one square of half a pixel.
  let positions: [PixelPoint]
  /// 1 if every point is under a dot; otherwise one in `step` dots is drawn.
  let step: Int

  /// Draws no dot for a point under an earlier dot. Keeps every n-th of the other dots in tree order, which thins all
  /// parts of the picture alike.
  ///
  /// - Complexity: O(points in view)
  init(_ points: ViewPoints, atMost limit: Int) {
    var seen: Set<PixelPoint> = []
    let dots = points.positions.filter { seen.insert(($0 * 2).rounded(.down)).inserted }
    let step = max((dots.count + limit - 1) / limit, 1)
    self.step = step
    positions = stride(from: 0, to: dots.count, by: step).map { dots[$0] }
  }
}
