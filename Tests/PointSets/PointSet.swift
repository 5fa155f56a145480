import Treeline

/// Points that tests and benchmarks share, created the same way every time.
public struct PointSet: Sendable {
  public var name: String
  public var coordinates: [Coordinate]
  public var projection: Plane.Projection

  public init(_ name: String, _ coordinates: [Coordinate], as projection: Plane.Projection = .webMercator) {
    self.name = name
    self.coordinates = coordinates
    self.projection = projection
  }

  /// Creates points from their positions on the Web Mercator plane, to which their coordinates lead back exactly.
  public init(_ name: String, onPlane points: [PlanePoint]) {
    let plane = Plane.webMercator()
    self.init(name, points.map { plane.coordinate(at: $0) })
  }

  /// Returns the points in another order.
  public func shuffled(seed: UInt64) -> PointSet {
    var random = SplitMix64(seed: seed)
    return PointSet("\(name), shuffled by \(seed)", random.shuffled(coordinates), as: projection)
  }
}

extension PointSet: CustomStringConvertible { public var description: String { name } }

extension PointSet {
  /// Every shape of points that is known to have broken a clustering, or might.
  public static let nasty: [PointSet] = [stacks, lines, geometricSpreads, sphere, planar, clouds].flatMap { $0 }
}
