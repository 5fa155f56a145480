import PointSets
import TestSupport
import Testing
@_spi(Server) import Treeline
import TreelineBuilder
import TreelineVerification

/// Checks how verification compares the header with the points and the sections, if every checksum and the content
/// hash are right.
@Suite struct HeaderFactsTests {
  @Test(arguments: Lie.all) func nothingButTheLieIsReported(_ lie: Lie) throws {
    #expect(try IndexBytes(lie.damage.index.bytes()).problems() == [])
    let problems = try lie.damage.damaged().forged().problems().map { "\($0)" }
    #expect(problems == lie.problems)
  }

  /// Two points lie beyond the limit of latitude, the third point lies on the limit, and the fourth lies within. If the
  /// header counts three clipped points, verification cannot detect this.
  @Test func clippedPointsAreAtMostThoseOnTheEdge() throws {
    let poles = TestIndex("poles", [(0, 90), (1, -89), (2, 85.0511287798066), (3, 12)])
    var editor = try IndexEditor(poles)
    #expect(editor.header.clippedPointCount == 2)
    editor.store(UInt32(3), at: 64)
    #expect(try editor.forged().problems() == [])
    editor.store(UInt32(4), at: 64)
    #expect(try editor.forged().problems().map(\.found) == ["4"])
  }

  /// Later minor versions may define more kinds of sections.
  @Test func sectionOfALaterVersionInOne() throws {
    var editor = try IndexEditor(TestIndex.columns)
    editor.store(UInt32(31), at: IndexHeader.offset(ofEntry: 6))
    #expect(try editor.forged().problems().count == 1)
    editor.store(IndexHeader.minorVersion + 1, at: 10)
    #expect(try editor.forged().problems() == [])
  }

  /// Tests points near both ends of every bin, so that the gaps inside bins are wider than the gaps between bins. Also
  /// tests points around the ends of bins.
  @Test func everySeamThatIsBuiltIsSound() throws {
    let ends = (0..<1 << 17 as Range<UInt32>).map { PlanePoint(x: $0 / 2 << 16 + ($0 % 2 == 0 ? 2000 : 63_000), y: $0) }
    let worlds =
      [PointSet("both ends of bins", onPlane: ends), .uniformWorld(300_000, seed: 91)]
      + (Trials.seeds(100)).map { seed in
        var random = SplitMix64(seed: seed)
        let spread = [1e-7, 1e-5, 0.0055, 1, 360][Int(seed) % 5]
        return PointSet(
          "seed \(seed)",
          (0..<1 + random.index(below: 20)).map { _ in
            let longitude = Double(random.index(below: 65_536)) * 360 / 65_536 - 180
            return Coordinate(longitude: min(longitude + spread * random.fraction(), 180), latitude: 1)
          })
      }
    for world in worlds { #expect(try IndexBytes(world.tree().indexBytes()).problems() == [], "\(world)") }
  }

  @Test(arguments: [
    PointSet.planar(500, x: -1e300...1e300, y: 0...1, seed: 92),
    .planar(500, x: 0 ... .leastNonzeroMagnitude, y: -3 * .leastNonzeroMagnitude...0, seed: 93),
    .planar(500, x: 1e15...1e15 + 3, y: -0.0...0.0, seed: 94), .planar(500, x: 7...7, y: -2...5, seed: 95),
  ]) func everySquareThatIsBuiltIsSound(_ set: PointSet) throws {
    #expect(try IndexBytes(set.tree().indexBytes()).problems() == [])
  }
}
