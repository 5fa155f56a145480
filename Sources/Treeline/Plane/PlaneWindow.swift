/// The part of the plane that a viewport shows, all four edges inclusive.
///
/// Longitude is a circle, so a window starts at `x` and reaches `width` units east, past the seam where need be:
/// differences modulo 2^32 make the seam invisible here and everywhere else.
public struct PlaneWindow: Hashable, Sendable {
  public let x: UInt32
  public let width: UInt32
  public let minY: UInt32
  public let maxY: UInt32

  /// A window all the way round starts at 0, wherever it was said to start: it is cut nowhere.
  public init(x: UInt32, width: UInt32, minY: UInt32, maxY: UInt32) {
    self.x = width == .max ? 0 : x
    self.width = width
    self.minY = minY
    self.maxY = maxY
  }

  /// The whole plane.
  public static let everything = PlaneWindow(x: 0, width: .max, minY: 0, maxY: .max)

  /// The window with so many units more to all sides, as far as the plane reaches.
  func expanded(by units: Double, on plane: Plane) -> PlaneWindow {
    let margin = UInt64(min(units, 0x1p33))
    let (minY, maxY) = (UInt64(minY), min(UInt64(maxY) + margin, UInt64(UInt32.max)))
    var (west, width) = (x &- UInt32(truncatingIfNeeded: margin), UInt64(width) + 2 * margin)
    if plane.projection == .planar {
      west = UInt32(UInt64(x) - min(UInt64(x), margin))
      width = min(UInt64(x) + UInt64(self.width) + margin, UInt64(UInt32.max)) - UInt64(west)
    }
    return PlaneWindow(
      x: west, width: UInt32(min(width, UInt64(UInt32.max))), minY: UInt32(minY - min(minY, margin)),
      maxY: UInt32(maxY))
  }

  @inlinable
  public func contains(_ point: PlanePoint) -> Bool {
    point.x &- x <= width && minY <= point.y && point.y <= maxY
  }

  /// The same for what need not be a whole number of units, such as a mean.
  public func contains(x: Double, y: Double) -> Bool {
    let (east, crossesSeam) = self.x.addingReportingOverflow(width)
    let (startsBefore, endsBehind) = (Double(self.x) <= x, x <= Double(east))
    return (crossesSeam ? startsBefore || endsBehind : startsBefore && endsBehind)
      && Double(minY) <= y && y <= Double(maxY)
  }

  @inlinable
  public func contains(_ rect: PlaneRect) -> Bool {
    let start = rect.minX &- x
    return start <= width && rect.width <= width - start && minY <= rect.minY && rect.maxY <= maxY
  }

  @inlinable
  public func intersects(_ rect: PlaneRect) -> Bool {
    (rect.minX &- x <= width || x &- rect.minX <= rect.width) && minY <= rect.maxY && rect.minY <= maxY
  }

  /// Whether one whole side of a box lies inside. Each side of a tight box has a point on it.
  func containsSide(of rect: PlaneRect) -> Bool {
    let start = rect.minX &- x
    let end = rect.maxX &- x
    if minY <= rect.minY && rect.maxY <= maxY { return start <= width || end <= width }
    guard start <= width && rect.width <= width - start else { return false }
    return (minY <= rect.minY && rect.minY <= maxY) || (minY <= rect.maxY && rect.maxY <= maxY)
  }
}
