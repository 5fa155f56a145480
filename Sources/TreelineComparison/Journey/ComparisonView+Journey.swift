import Treeline

extension ComparisonView {
  /// Where a place in the picture of another view is in this one.
  func pixel(_ place: PixelPoint, of other: ComparisonView) -> PixelPoint {
    pixel(
      x: Double(other.window.x) + place.x * other.unitsPerPixel,
      y: Double(other.window.minY) + place.y * other.unitsPerPixel)
  }

  func shows(_ place: PixelPoint) -> Bool { 0...width ~= place.x && 0...height ~= place.y }

  /// The repetition of a place that is nearest to another, where the world repeats.
  func nearest(_ place: PixelPoint, to other: PixelPoint) -> PixelPoint {
    guard turn.isFinite else { return place }
    return PixelPoint(x: place.x - ((place.x - other.x) / turn).rounded() * turn, y: place.y)
  }

  /// In pixels, the shorter way round the world.
  func distance(from: PixelPoint, to: PixelPoint) -> Double {
    nearest(from, to: to).squaredDistance(to: to).squareRoot()
  }
}
