import Treeline

extension ComparisonView {
  /// Where a place in the picture of another view is in this one.
  func pixel(_ place: PixelPoint, of other: ComparisonView) -> PixelPoint {
    pixel(
      x: Double(other.window.x) + place.x * other.unitsPerPixel,
      y: Double(other.window.minY) + place.y * other.unitsPerPixel)
  }

  func shows(_ place: PixelPoint) -> Bool { 0...width ~= place.x && 0...height ~= place.y }

  /// In pixels, the shorter way round the world.
  func distance(from: PixelPoint, to: PixelPoint) -> Double {
    let dx = abs(from.x - to.x)
    let dy = from.y - to.y
    let shorter = min(dx, abs(turn - dx))
    return (shorter * shorter + dy * dy).squareRoot()
  }
}
