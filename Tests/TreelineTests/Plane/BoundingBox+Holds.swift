import Treeline

extension BoundingBox {
  /// Returns whether a coordinate is inside the box or at most `margin` degrees outside it.
  func holds(_ coordinate: Coordinate, margin: Double) -> Bool {
    let highest = Plane.maximumLatitude
    let latitude = min(max(coordinate.latitude, -highest), highest)
    let (south, north) = (min(max(south, -highest), highest), min(max(north, -highest), highest))
    guard south - margin <= latitude && latitude <= north + margin else { return false }
    let span = east - west
    let end = span < 0 ? east + 360 * (-span / 360).rounded(.up) : east
    return (-6...6).contains { turns in
      let longitude = coordinate.longitude + 360 * Double(turns)
      return west - margin <= longitude && longitude <= end + margin
    }
  }
}
