import Treeline

/// Makes boxes of every kind for the points of a set: boxes around points, boxes that touch points, boxes across
/// seams, boxes that are too wide, and empty boxes.
public struct BoxMaker {
  private let coordinates: [Coordinate]
  private let projection: Plane.Projection
  private let extent: Double
  private var random: SplitMix64

  public init(for set: PointSet, seed: UInt64) {
    coordinates = set.coordinates.isEmpty ? [Coordinate(longitude: 0, latitude: 0)] : set.coordinates
    projection = set.projection
    random = SplitMix64(seed: seed)
    let (xs, ys) = (coordinates.map(\.x), coordinates.map(\.y))
    extent = projection == .webMercator ? 180 : max(xs.max()! - xs.min()!, ys.max()! - ys.min()!)
  }

  private mutating func coordinate() -> Coordinate { coordinates[random.index(below: coordinates.count)] }

  public mutating func next() -> BoundingBox {
    switch random.index(below: projection == .webMercator ? 11 : 6) {
    case 0: return around(coordinate())
    case 1: return touching(coordinate(), coordinate())
    case 2:
      let corner = coordinate()
      return touching(corner, corner)
    case 3:
      let corner = coordinate()
      return BoundingBox(west: corner.x, south: lowest, east: corner.x, north: highest)
    case 4:
      let (a, b) = (coordinate(), coordinate())
      return BoundingBox(west: least, south: min(a.y, b.y), east: most, north: max(a.y, b.y))
    case 5: return BoundingBox(west: least, south: lowest, east: most, north: highest)
    case 6: return .world
    case 7:
      // This box always lies across the antimeridian. If there are few points, the box often lies across the seam of
      // the plane, too.
      return BoundingBox(
        west: random.number(from: 0, to: 180), south: -90, east: random.number(from: -180, to: 0), north: 90)
    case 8:
      let west = random.number(from: -720, to: 720)
      return BoundingBox(west: west, south: -60, east: west + random.number(from: 0, to: 800), north: 70)
    case 9:
      // The box contains everything except a sliver next to a point.
      let west = coordinate().x
      return BoundingBox(west: west, south: -90, east: west + 360 - 1e-6, north: 90)
    default:
      let (a, b) = (coordinate(), coordinate())
      return BoundingBox(west: a.x, south: min(a.y, b.y), east: b.x, north: max(a.y, b.y))
    }
  }

  private var least: Double { projection == .webMercator ? -180 : coordinates.map(\.x).min()! }
  private var most: Double { projection == .webMercator ? 180 : coordinates.map(\.x).max()! }
  private var lowest: Double { projection == .webMercator ? -90 : coordinates.map(\.y).min()! }
  private var highest: Double { projection == .webMercator ? 90 : coordinates.map(\.y).max()! }

  private func touching(_ a: Coordinate, _ b: Coordinate) -> BoundingBox {
    BoundingBox(west: min(a.x, b.x), south: min(a.y, b.y), east: max(a.x, b.x), north: max(a.y, b.y))
  }

  /// Returns a box near a point. The size of the box is between the whole extent of the points and a billionth of this
  /// extent. The point may lie just outside the box.
  private mutating func around(_ center: Coordinate) -> BoundingBox {
    var size = extent
    for _ in 0..<random.index(below: 30) { size /= 2 }
    let (width, height) = (size * random.fraction(), size * random.fraction())
    let (east, north) = (width * random.number(from: -0.5, to: 1.5), height * random.number(from: -0.5, to: 1.5))
    return BoundingBox(
      west: center.x + east - width, south: center.y + north - height, east: center.x + east, north: center.y + north)
  }
}
