import Treeline

extension PointSet {
  /// Returns points around the antimeridian and on it. The longitude of points on the antimeridian is -180 or 180.
  public static func antimeridian(_ count: Int, seed: UInt64) -> PointSet {
    var random = SplitMix64(seed: seed)
    var coordinates = [180, -180, 180, -180, 179.9999999, -179.9999999].map { Coordinate(longitude: $0, latitude: -17) }
    for _ in coordinates.count..<count {
      let east = random.number(from: -3, to: 3)
      coordinates.append(
        Coordinate(longitude: east < 0 ? 180 + east : east - 180, latitude: random.number(from: -20, to: -15)))
    }
    return PointSet("\(count) around the antimeridian, seed \(seed)", coordinates)
  }

  /// Points at the poles, points beyond the latitudes of Web Mercator, and points at the limit of these latitudes.
  public static let poles = PointSet(
    "poles",
    [-90, -89.99, -86, -85.0512, -Plane.maximumLatitude, -85.0511, 0, 85.0511, Plane.maximumLatitude, 85.0512, 90]
      .flatMap { latitude in [-180, -90, 0, 0.0000001, 90].map { Coordinate(longitude: $0, latitude: latitude) } })

  /// The corners of the range of valid coordinates, and the middles of its edges.
  public static let extremes = PointSet(
    "extremes of the range",
    [-90, 0, 90].flatMap { latitude in [-180, 0, 180].map { Coordinate(longitude: $0, latitude: latitude) } })

  /// The four corners of the plane and their neighbors.
  public static let corners = PointSet(
    "corners of the plane",
    onPlane: [0, 1, 1 << 31, .max - 1, .max].flatMap { x in
      [0, 1, 1 << 31, .max - 1, .max].map { PlanePoint(x: x, y: $0) }
    })

  /// Points all around the world. Wherever the seam is, where the plane begins, it lies between two of these points.
  public static let everyDegree = PointSet(
    "one point a degree of longitude", (-180..<180).map { Coordinate(longitude: Double($0), latitude: Double($0 % 7)) })

  public static let sphere: [PointSet] = [antimeridian(200, seed: 4), poles, extremes, corners, everyDegree]
}
