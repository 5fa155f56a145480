import Treeline

extension PointSet {
  /// Returns random points that are spread evenly over a rectangle of a plane without a map projection.
  public static func planar(_ count: Int, x: ClosedRange<Double>, y: ClosedRange<Double>, seed: UInt64) -> PointSet {
    var random = SplitMix64(seed: seed)
    let coordinates = (0..<count).map { _ in
      Coordinate(
        x: random.number(from: x.lowerBound, to: x.upperBound), y: random.number(from: y.lowerBound, to: y.upperBound))
    }
    return PointSet("\(count) on a plane, x \(x), y \(y), seed \(seed)", coordinates, as: .planar)
  }

  /// Points with zeros of both signs. These zeros are equal, but their bits differ.
  public static let signedZeros = PointSet(
    "zeros of both signs", [(0.0, 0.0), (-0.0, -0.0), (1, -1), (0.0, -0.0)].map { Coordinate(x: $0.0, y: $0.1) },
    as: .planar)

  /// Points at multiples of a tenth. Binary numbers cannot represent tenths, so the differences of edges are rounded.
  public static let tenths = PointSet(
    "tenths", (1...10).flatMap { x in (1...10).map { y in Coordinate(x: Double(x) / 10, y: Double(y) / 10) } },
    as: .planar)

  public static let planar: [PointSet] = [
    PointSet("none on a plane", [], as: .planar), PointSet("one on a plane", [Coordinate(x: -7, y: 1e12)], as: .planar),
    PointSet("stack on a plane", Array(repeating: Coordinate(x: 3, y: 4), count: 40), as: .planar),
    planar(300, x: 0...1, y: 0...1, seed: 5), planar(300, x: -1e300...1e300, y: -1e300...1e300, seed: 6),
    planar(300, x: 0...1e-300, y: 0...1e-300, seed: 7), planar(300, x: 0...1e300, y: 0...1e-300, seed: 8),
    planar(300, x: 5e8...5e8, y: -1...1, seed: 9), planar(300, x: -1...1, y: -3 ... -3, seed: 10),
    planar(300, x: 1e9...1e9 + 0.001, y: 1e9...1e9 + 0.001, seed: 11),
    PointSet(
      "steps of the least number above zero",
      (0..<50).map { Coordinate(x: Double($0) * .leastNonzeroMagnitude, y: Double($0 % 3) * .leastNonzeroMagnitude) },
      as: .planar), signedZeros, tenths,
  ]
}
