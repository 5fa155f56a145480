import Treeline

/// A set of points for tests and benchmarks. Every run creates equal points.
public struct PointSet: Sendable {
  public var name: String
  public var coordinates: [Coordinate]
  public var projection: Plane.Projection

  public init(_ name: String, _ coordinates: [Coordinate], as projection: Plane.Projection = .webMercator) {
    self.name = name
    self.coordinates = coordinates
    self.projection = projection
  }

  /// Creates points from their positions on the Web Mercator plane. The projection of their coordinates gives exactly
  /// these positions.
  public init(_ name: String, onPlane points: [PlanePoint]) {
    let plane = Plane.webMercator()
    self.init(name, points.map { plane.coordinate(at: $0) })
  }

  /// Returns the points of this set in a random order.
  public func shuffled(seed: UInt64) -> PointSet {
    var random = SplitMix64(seed: seed)
    return PointSet("\(name), shuffled by \(seed)", random.shuffled(coordinates), as: projection)
  }
}

extension PointSet: CustomStringConvertible { public var description: String { name } }

extension PointSet {
  /// Points in every shape that has broken a clustering before, or might break one.
  public static let nasty: [PointSet] = [stacks, lines, geometricSpreads, sphere, planar, clouds].flatMap { $0 }
}
