import PointSets
import Treeline

/// A set of points that breaks careless quadtrees and grids.
struct NastyPoints: CustomStringConvertible, Sendable {
  let description: String
  let points: [PlanePoint]

  static let coincidentCount = 3000

  static let all: [NastyPoints] = [
    NastyPoints(description: "none", points: []), NastyPoints(description: "one", points: [PlanePoint(x: 7, y: .max)]),
    NastyPoints(
      description: "all coincident",
      points: Array(repeating: PlanePoint(x: 1 << 31, y: 1 << 30), count: coincidentCount)),
    NastyPoints(
      description: "two stacks",
      points: (0..<2000).map { $0 % 2 == 0 ? PlanePoint(x: 0, y: 0) : PlanePoint(x: 1, y: 0) }),
    NastyPoints(
      description: "corners",
      points: [0, 1, .max - 1, .max].flatMap { x in [0, 1, .max - 1, .max].map { PlanePoint(x: x, y: $0) } }),
    NastyPoints(description: "geometric spread", points: (0..<32).map { PlanePoint(x: 1 << $0, y: UInt32.max >> $0) }),
    NastyPoints(
      description: "collinear at 0 degrees", points: (0..<500).map { PlanePoint(x: $0 &* 8_589_934, y: 12345) }),
    NastyPoints(
      description: "collinear at 45 degrees",
      points: (0..<500).map { PlanePoint(x: $0 &* 8_589_934, y: $0 &* 8_589_934) }),
    NastyPoints(
      description: "collinear at 90 degrees", points: (0..<500).map { PlanePoint(x: .max, y: $0 &* 8_589_934) }),
    NastyPoints(
      description: "lattice on powers of two",
      points: (0..<1024).map { PlanePoint(x: ($0 & 31) << 27, y: ($0 >> 5) << 27) }), random(seed: 1, count: 2000),
    clumps(seed: 2, count: 2000),
  ]

  static func random(seed: UInt64, count: Int) -> NastyPoints {
    var numbers = SplitMix64(seed: seed)
    return NastyPoints(
      description: "random, seed \(seed)",
      points: (0..<count).map { _ in
        PlanePoint(x: .random(in: 0 ... .max, using: &numbers), y: .random(in: 0 ... .max, using: &numbers))
      })
  }

  /// Returns points that are dense around a few places. Some points coincide. So one tree has buckets of every size.
  static func clumps(seed: UInt64, count: Int) -> NastyPoints {
    var numbers = SplitMix64(seed: seed)
    let points = (0..<count).map { _ in
      let clump = UInt64.random(in: 0..<7, using: &numbers)
      let reach = UInt32(1) << UInt32(clump * 4)
      return PlanePoint(
        x: UInt32(clump) &* 0x2A3B_4C5D &+ .random(in: 0..<reach, using: &numbers),
        y: UInt32(clump) &* 0x1357_9BDF &+ .random(in: 0..<reach, using: &numbers))
    }
    return NastyPoints(description: "clumps, seed \(seed)", points: points)
  }

  /// Returns points on each of some lattice lines, just before it and just after it, so that there are points at every
  /// kind of edge and corner.
  static func around(side: UInt64, lines: [UInt64], seam: UInt32) -> NastyPoints {
    let ends: [UInt32] = [0, 1, .max]
    let positions =
      ends
      + lines.filter { $0 > 0 && $0 * side < 1 << 32 }.flatMap { line in
        [-1, 0, 1].map { UInt32(truncatingIfNeeded: Int64(line * side) + $0) }
      }
    return NastyPoints(
      description: "around lines of \(side) units",
      points: positions.flatMap { x in positions.map { PlanePoint(x: x &- seam, y: $0) } })
  }
}
