import Foundation
import PointSets
import Treeline
import TreelineFormats

/// Points for benchmarks: pairs of little-endian doubles, longitude first (`.f64`), or anything that Treeline reads.
enum PointFile {
  static func read(_ path: String) throws -> [Coordinate] {
    guard path.hasSuffix(".f64") else { return try PointReader.read(path: path).coordinates }
    let data = try Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
    return data.withUnsafeBytes { Array($0.bindMemory(to: Coordinate.self)) }
  }

  static func write(_ places: [Coordinate], to path: String) throws {
    try places.withUnsafeBytes { try Data($0).write(to: URL(fileURLWithPath: path)) }
  }
}

/// The kinds of generated points, all seeded.
enum GeneratedSet: String, CaseIterable {
  /// Evenly over the plane between the latitudes of Web Mercator.
  case uniform
  /// A Zipf mixture: few large and many small towns, and a tenth of the points in between.
  case clustered
  case sorted
  case coincident
  case line
  case geometric

  func places(_ count: Int) -> [Coordinate] {
    switch self {
    case .uniform: PointSet.uniformWorld(count, seed: 1).places
    case .clustered: PointSet.cities(count, clusters: 2000, seed: 2).places
    case .sorted:
      PointSet.uniformWorld(count, seed: 1).places.sorted {
        ($0.longitude, $0.latitude) < ($1.longitude, $1.latitude)
      }
    case .coincident: [Coordinate](repeating: Coordinate(longitude: 2.35, latitude: 48.86), count: count)
    case .line: PointSet.straight(count, alongMeridian: true, seed: 3).places
    case .geometric: Self.geometricSpread(count)
    }
  }

  /// At distances 2^-k from one place, for k up to 27, in a random direction each.
  private static func geometricSpread(_ count: Int) -> [Coordinate] {
    var random = SplitMix64(seed: 4)
    return (0..<count).map { _ in
      let distance = 100 * pow(2, -Double(random.index(below: 28))) * (1 + random.fraction())
      let angle = random.number(from: 0, to: 2 * .pi)
      return Coordinate(
        longitude: (distance * cos(angle)).clamped(180), latitude: (distance * sin(angle)).clamped(85))
    }
  }
}

extension Double {
  fileprivate func clamped(_ bound: Double) -> Double { Swift.min(Swift.max(self, -bound), bound) }
}
