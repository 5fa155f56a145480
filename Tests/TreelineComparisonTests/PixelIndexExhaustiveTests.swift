import PointSets
import TestSupport
import Testing

@_spi(Server) @testable import TreelineComparison

@Suite struct PixelIndexExhaustiveTests {
  @Test(arguments: Trials.seeds(40, from: 1)) func nearestIsTheNearestOfAll(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let width = [0, 1, 500, 1e5].randomElement(using: &random)!
    let positions = (0..<Int.random(in: 1...200, using: &random)).map { _ in
      // Coordinates are whole numbers, so that many distances are equal. A few positions are far away, so that many
      // bins are empty.
      PixelPoint(
        x: Double.random(in: 0...width, using: &random).rounded()
          * (Int.random(in: 0...20, using: &random) == 0 ? 50 : 1),
        y: Double.random(in: -400...400, using: &random).rounded())
    }
    let index = PixelIndex(positions)
    for one in positions.indices {
      let others = positions.indices.filter { $0 != one }
      let expected = others.min {
        (positions[one].squaredDistance(to: positions[$0]), $0) < (
          positions[one].squaredDistance(to: positions[$1]), $1
        )
      }
      #expect(index.nearest(to: one) == expected, "seed \(seed)")
      let radius = 30.0
      let isNear = { (other: Int) in positions[one].squaredDistance(to: positions[other]) <= radius * radius }
      #expect(
        index.hasNeighbour(of: one, within: radius, where: isNear) == others.contains(where: isNear), "seed \(seed)")
    }
  }
}
