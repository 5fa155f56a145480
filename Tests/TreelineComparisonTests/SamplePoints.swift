import PointSets
import Treeline

/// Point sets for the tests of this module.
enum SamplePoints {
  /// Returns points in towns around random centers. The towns of every other seed lie around the antimeridian.
  static func towns(seed: UInt64, count: Int = 3_000) -> [Coordinate] {
    var random = SplitMix64(seed: seed)
    let start = seed.isMultiple(of: 2) ? 170.0 : -20.0
    var points: [Coordinate] = []
    while points.count < count {
      let middle = (
        Double.random(in: start...(start + 25), using: &random), Double.random(in: -60...60, using: &random)
      )
      let width = Double.random(in: 0.01...4, using: &random)
      for _ in 0..<Int.random(in: 1...300, using: &random) {
        let x =
          middle.0 + (Double.random(in: -1...1, using: &random) + Double.random(in: -1...1, using: &random)) * width
        let y = middle.1 + Double.random(in: -0.5...0.5, using: &random) * width
        points.append(Coordinate(longitude: x > 180 ? x - 360 : x, latitude: y))
      }
    }
    return Array(points.prefix(count))
  }

  static let nasty: [(name: String, points: [Coordinate])] = [
    ("none", []), ("one", [Coordinate(longitude: 179.9, latitude: 3)]),
    ("all coincident", Array(repeating: Coordinate(longitude: 13.4, latitude: 52.5), count: 500)),
    ("two stacks", (0..<600).map { Coordinate(longitude: $0 % 2 == 0 ? 10 : 10.001, latitude: 45) }),
    ("meridian", (0..<400).map { Coordinate(longitude: 20, latitude: -80 + Double($0) * 0.4) }),
    ("parallel", (0..<400).map { Coordinate(longitude: -180 + Double($0) * 0.9, latitude: 0) }),
    ("poles", (0..<300).map { Coordinate(longitude: Double($0) - 150, latitude: $0 % 2 == 0 ? 90 : -90) }),
    ("lattice", (0..<900).map { Coordinate(longitude: Double($0 % 30), latitude: Double($0 / 30)) }),
    ("spread", (0..<40).map { Coordinate(longitude: 1 / Double(1 << $0), latitude: 0) }),
  ]
}
