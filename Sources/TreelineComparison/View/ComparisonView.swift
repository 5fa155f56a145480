@_spi(Server) import Treeline

/// A viewport with a scale in pixels. All compared methods are shown in this viewport.
///
/// The view shows exactly the box `box`. So the picture has the aspect ratio that this box has on the plane.
@_spi(Server) public struct ComparisonView: Hashable, Sendable {
  let box: BoundingBox

  /// Zoom for tiles of 256 px. The zoom may be a fraction.
  let zoom: Double

  let plane: Plane

  /// The part of the plane that the box covers.
  let window: PlaneWindow

  /// - Parameter viewport: A viewport with a zoom or a size. Its margin is not shown.
  /// - Throws: `QueryError` if the viewport is invalid. `ComparisonError` if the viewport has no zoom, is empty or is
  ///   too large.
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

/// A position in the picture of a view, in pixels from the top left corner: x to the right, y downwards.
package typealias PixelPoint = SIMD2<Double>

extension PixelPoint {
  /// Returns the squared distance to another position, in square pixels.
  ///
  /// - Parameter turn: Width of the world in pixels. The distance is measured the shorter way around the world.
  func squaredDistance(to other: PixelPoint, turn: Double = .infinity) -> Double {
    let (direct, dy) = (abs(other.x - x), other.y - y)
    return squaredLength(Swift.min(direct, abs(turn - direct)), dy)
  }
}

extension ComparisonView {
  /// Maximum length of a side of a picture, in pixels.
  static let maximumSide = 16_384.0

  /// The width of a pixel in units of the plane.
  var unitsPerPixel: Double { Plane.unitsPerPixel(zoom: zoom) }

  /// Width and height of the picture, in pixels.
  var width: Double { Double(window.width) / unitsPerPixel }
  var height: Double { Double(window.maxY - window.minY) / unitsPerPixel }

  var middle: PixelPoint { PixelPoint(x: width / 2, y: height / 2) }

  /// Converts a position on the plane to a position in the picture. If the position lies outside the window, the
  /// result is outside the picture. The world repeats, so the copy of the position that is nearest to the middle of
  /// the window is used. Clusters at the edge then stay next to their points.
  func pixel(x: Double, y: Double) -> PixelPoint {
    let middle = Double(window.width) / 2
    var fromMiddle = x - Double(window.x) - middle
    if plane.projection == .webMercator {
      fromMiddle -= (fromMiddle / Plane.turnWidth).rounded() * Plane.turnWidth
    }
    return PixelPoint(x: (middle + fromMiddle) / unitsPerPixel, y: (y - Double(window.minY)) / unitsPerPixel)
  }

  /// Returns the position of a point in the picture. The point must lie inside the window.
  func pixel(of point: PlanePoint) -> PixelPoint {
    PixelPoint(
      x: Double(point.x &- window.x) / unitsPerPixel, y: (Double(point.y) - Double(window.minY)) / unitsPerPixel)
  }

  /// Converts a position in the picture of another view to a position in this picture.
  func pixel(_ position: PixelPoint, of other: ComparisonView) -> PixelPoint {
    let (x, y) = other.planePosition(of: position)
    return pixel(x: x, y: y)
  }

  /// Converts a position in the picture to units of the plane. If the window crosses an edge of the plane, the result
  /// may lie beyond this edge.
  func planePosition(of pixel: PixelPoint) -> (x: Double, y: Double) {
    (Double(window.x) + pixel.x * unitsPerPixel, Double(window.minY) + pixel.y * unitsPerPixel)
  }

  /// Converts a position in the picture to units of the plane. If the world repeats, the result lies within the edges
  /// of the plane.
  func wrappedPlanePosition(of pixel: PixelPoint) -> (x: Double, y: Double) {
    let (x, y) = planePosition(of: pixel)
    return (plane.projection.isCyclic ? x - (x / Plane.turnWidth).rounded(.down) * Plane.turnWidth : x, y)
  }

  func shows(_ position: PixelPoint) -> Bool { 0...width ~= position.x && 0...height ~= position.y }

  /// Width of the world in pixels; infinite on a plane without a projection. The picture repeats at this interval.
  var turn: Double { plane.projection == .webMercator ? Plane.turnWidth / unitsPerPixel : .infinity }

  /// In a picture of a repeating world, a place is shown at several positions, which differ by the width of the world.
  /// Given one of these positions, returns the one that is nearest to `other`. If the world does not repeat, returns
  /// the given position.
  func nearest(_ position: PixelPoint, to other: PixelPoint) -> PixelPoint {
    guard turn.isFinite else { return position }
    return PixelPoint(x: position.x - ((position.x - other.x) / turn).rounded() * turn, y: position.y)
  }
}

extension Plane {
  /// Width of the whole world on the Web Mercator plane, in units. Positions that differ by this width in x are the
  /// same place on the sphere.
  static var turnWidth: Double { 0x1p32 }
}

/// The points inside a view, in tree order. Points that follow each other in this list are usually close to each other
/// on the map.
struct ViewPoints: Sendable {
  /// Position of each point in the picture of the view, in pixels.
  private(set) var positions: [PixelPoint] = []
  /// Tree index of each point.
  private(set) var treeIndices: [Int] = []
  /// Number of points in the tree, including points outside the view.
  let total: Int

  /// - Complexity: O(points of the tree).
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

/// The dots that show the points of a view in its picture.
struct PointDots: Sendable {
  /// Positions of the dots in the picture, in pixels. The picture is divided into squares with sides of half a pixel,
  /// and no square contains two positions.
  let positions: [PixelPoint]
  /// Interval of the drawn dots: only every `step`-th dot is drawn. 1 if no dot is left out.
  let step: Int

  /// Skips points that earlier dots hide. If too many dots remain, keeps only every `step`-th dot in tree order, so
  /// that all parts of the picture are thinned out evenly.
  ///
  /// - Complexity: O(points in view).
  init(_ points: ViewPoints, atMost limit: Int) {
    var seen: Set<PixelPoint> = []
    let dots = points.positions.filter { seen.insert(($0 * 2).rounded(.down)).inserted }
    let step = max((dots.count + limit - 1) / limit, 1)
    self.step = step
    positions = stride(from: 0, to: dots.count, by: step).map { dots[$0] }
  }
}
