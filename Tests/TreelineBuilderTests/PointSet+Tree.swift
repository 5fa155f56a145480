import PointSets
import Treeline
@testable import TreelineBuilder

extension PointSet {
  /// Builds the tree, and splits only its upper `principalLevels` levels across principal axes.
  func tree(_ rule: SplitRule = .mean, threads: Int = 1, principalLevels: Int) throws -> ClusterTree {
    try TreeBuild(
      coordinates: coordinates, projection: projection, options: BuildOptions(splitRule: rule, threads: threads),
      principalLevels: principalLevels, monitor: BuildMonitor(pointCount: coordinates.count)
    ).run()
  }

  /// Returns `count` of the points, drawn at random.
  func sample(_ count: Int, seed: UInt64) -> PointSet {
    guard coordinates.count > count else { return self }
    return PointSet("\(count) of \(name)", Array(shuffled(seed: seed).coordinates.prefix(count)), as: projection)
  }

  /// Returns points all around the world near the equator.
  static func band(_ count: Int, seed: UInt64) -> PointSet {
    var random = SplitMix64(seed: seed)
    let coordinates = (0..<count).map { _ in
      Coordinate(longitude: random.number(from: -180, to: 180), latitude: random.number(from: -1, to: 1))
    }
    return PointSet("band of \(count), seed \(seed)", coordinates)
  }
}
