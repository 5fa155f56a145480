import PointSets
import TestSupport
import Testing

@testable import TreelineBuilder

/// Compares the seam with the widest gap between the sorted longitudes.
@Suite struct LongitudeGapsTests {
  /// Width of a bin. A gap that is narrower than a bin may be hidden inside it.
  static let binWidth: UInt32 = 1 << 16

  @Test func noPointsHaveTheirSeamAtZero() { #expect(LongitudeGaps().seam == 0) }

  @Test(arguments: [0, 1, 65_535, 65_536, 1 << 31, .max - 1, .max] as [UInt32]) func oneMeridianIsItsOwnSeam(
    _ x: UInt32
  ) {
    #expect(seam(of: [x]) == x)
    #expect(seam(of: [x, x, x]) == x)
  }

  @Test(arguments: Trials.seeds(200)) func seamLiesBehindTheWidestGap(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let spread = UInt64(1) << UInt64(1 + random.index(below: 32))
    let start = UInt32(truncatingIfNeeded: random.next())
    let xs = (0..<1 + random.index(below: 300)).map { _ in start &+ UInt32(truncatingIfNeeded: random.next() % spread) }
    let (widest, expected) = widestGap(of: xs)
    if xs.count > 1, Set(xs).count > 1, widest < Self.binWidth { return }
    #expect(seam(of: xs) == expected, "seed \(seed)")
  }

  @Test func theFirstOfEquallyWideGapsCounts() {
    #expect(seam(of: [0, 1 << 30, 2 << 30, 3 << 30]) == 0)
    #expect(seam(of: [5, 5 + 1 << 30, 5 + 2 << 30, 5 + 3 << 30].reversed()) == 5)
    #expect(seam(of: [0, 1 << 31]) == 0)
    #expect(seam(of: [1 << 30, 3 << 30]) == 1 << 30)
  }

  @Test(arguments: Trials.seeds(20)) func partsMergeToTheWhole(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let xs = (0..<200).map { _ in UInt32(truncatingIfNeeded: random.next()) }
    let cut = random.index(below: 201)
    let merged = gaps(of: Array(xs[cut...])).merged(with: gaps(of: Array(xs[..<cut])))
    #expect(merged.seam == seam(of: xs))
    #expect(gaps(of: xs).merged(with: LongitudeGaps()).seam == seam(of: xs))
  }

  private func gaps(of xs: [UInt32]) -> LongitudeGaps {
    var gaps = LongitudeGaps()
    for x in xs { gaps.add(x) }
    return gaps
  }

  private func seam(of xs: [UInt32]) -> UInt32 { gaps(of: xs).seam }

  private func widestGap(of xs: [UInt32]) -> (width: UInt32, end: UInt32) {
    let sorted = Set(xs).sorted()
    var best = (width: UInt32(0), end: sorted[0])
    for (index, x) in sorted.enumerated() {
      let width = x &- sorted[index == 0 ? sorted.count - 1 : index - 1]
      if width > best.width { best = (width, x) }
    }
    return best
  }
}
