import PointSets
import Testing
@_spi(Server) import Treeline

@Suite struct BadgeTests {
  @Test(arguments: [
    (0, "0"), (1, "1"), (999, "999"), (1000, "1k"), (1049, "1k"), (1050, "1.1k"), (1949, "1.9k"), (9949, "9.9k"),
    (9950, "10k"), (10_499, "10k"), (10_500, "11k"), (999_499, "999k"), (999_500, "1M"), (1_684_685, "1.7M"),
    (999_499_999, "999M"), (999_500_000, "1B"), (2_147_483_648, "2.1B"), (Int.max, "9223372T"),
  ]) func countsAreAbbreviated(_ count: Int, _ text: String) { #expect(BadgeText.abbreviated(count) == text) }

  @Test func sizesAreThoseOfTheArticles() {
    #expect(abs(BadgeSize.diameter(pointCount: 1) - 25.2754) < 1e-3)
    #expect(BadgeSize.diameter(pointCount: 1_000_000) > 43.9)
    #expect(BadgeSize.diameter(pointCount: 1, largest: 88) == 2 * BadgeSize.diameter(pointCount: 1))
    #expect(BadgeSize.logarithmicScale(pointCount: 1) == 1)
    #expect(abs(BadgeSize.logarithmicScale(pointCount: 1000) - 7.9078) < 1e-4)
  }

  /// Compares the distances between all pairs of members with the spacing, by brute force.
  @Test(arguments: [0, 1, 2, 3, 5, 8, 9, 10, 11, 40, 200, 1500]) func membersOfAStackKeepTheirDistance(_ count: Int) {
    let spread = StackSpread(count: count, spacing: 26)
    var least = Double.infinity
    for (number, a) in spread.enumerated() {
      least = min(least, (a.x * a.x + a.y * a.y).squareRoot())
      for b in spread.dropFirst(number + 1) {
        least = min(least, ((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y)).squareRoot())
      }
    }
    #expect(least >= 26 - 1e-9, "\(count): \(least)")
    #expect(spread.count == count)
  }

  /// Checks that the spread of a large stack is hardly larger than the smallest disc that could hold its members.
  @Test func aLargeStackStaysCompact() {
    let last = StackSpread(count: 10_000, spacing: 1).last!
    #expect((last.x * last.x + last.y * last.y).squareRoot() < 70)
  }

  @Test func aBoxFitsAtItsZoom() {
    let rect = PlaneRect(minX: 1000, minY: 0, maxX: 1000 + 1 << 20, maxY: 1 << 16)
    let (width, height) = (Double(rect.width), Double(rect.height))
    let zoom = Plane.zoom(fittingWidth: width, height: height, into: Viewport.Size(width: 1024, height: 748))
    #expect(abs(width / Plane.unitsPerPixel(zoom: zoom) - 1024) < 1e-6)
    #expect(Plane.zoom(fittingWidth: 0, height: 0, into: Viewport.Size(width: 100, height: 100)) == 24)
  }
}
