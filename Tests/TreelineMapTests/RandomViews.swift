import PointSets
import Treeline

/// Random moves of a map: small pans, small zooms, jumps, and returns to an earlier view.
struct RandomViews {
  private var views: [Viewport] = []
  private let centers: [Coordinate]
  private var center: Coordinate
  private var zoom = 6.0

  init(around centers: [Coordinate]) { (self.centers, center) = (centers, centers[0]) }

  mutating func next(_ random: inout SplitMix64) -> Viewport {
    let degrees = 180 / Plane.unitsPerPixel(zoom: 0) * Plane.unitsPerPixel(zoom: zoom)
    switch random.index(below: 10) {
    case 0: (center, zoom) = (centers[random.index(below: centers.count)], random.number(from: 1, to: 15))
    case 1, 2, 3: zoom = min(max(zoom + random.number(from: -2, to: 2), 1), 16)
    case 4, 5: zoom = min(max(zoom + random.number(from: -0.2, to: 0.2), 1), 16)
    case 6 where !views.isEmpty: return views[random.index(below: views.count)]
    default:
      center.longitude += random.number(from: -1, to: 1) * degrees
      center.latitude = min(max(center.latitude + random.number(from: -1, to: 1) * degrees / 2, -80), 80)
    }
    if abs(center.longitude) > 180 { center.longitude -= center.longitude > 0 ? 360 : -360 }
    views.append(Viewport(center: center, zoom: zoom, width: 390, height: 844))
    if views.count > 8 { views.removeFirst() }
    return views.last!
  }
}
