/// A place in the picture of a view, in pixels from its top left corner: x to the right, y down.
public struct PixelPoint: Hashable, Sendable {
  public var x: Double
  public var y: Double

  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }

  /// In pixels squared.
  func squaredDistance(to other: PixelPoint) -> Double {
    let dx = other.x - x
    let dy = other.y - y
    return dx * dx + dy * dy
  }
}
