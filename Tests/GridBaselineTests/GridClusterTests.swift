import Testing
import Treeline

@testable import GridBaseline

/// Checks means of more points than a test could create.
struct GridClusterTests {
  static let cell = GridCell(column: 0, row: 0, side: 1 << 32)

  @Test func theMeanOfTheMostPointsIsExact() {
    var totals = PointTotals(PlanePoint(x: .max, y: .max), row: 0)
    totals.count = 1 << 31
    totals.sumX = UInt64(UInt32.max) << 31
    totals.sumY = (UInt64(UInt32.max) << 31) - (1 << 30)
    let cluster = GridCluster(totals, in: Self.cell, seam: 0)
    #expect(cluster.pointCount == 1 << 31)
    #expect(cluster.meanX == Double(UInt32.max))
    #expect(cluster.meanY == Double(UInt32.max) - 0.5)
  }

  @Test func aMeanThatRoundsUpToTheSeamIsZero() {
    var totals = PointTotals(PlanePoint(x: 1000, y: 3), row: 0)
    totals.add(PointTotals(PlanePoint(x: 999, y: 3), row: 1))
    totals.count = 1 << 30
    totals.sumX = (1000 << 30) - 1
    totals.sumY = 3 << 30
    let cluster = GridCluster(totals, in: Self.cell, seam: 1000)
    #expect(cluster.meanX == 0)
    #expect(cluster.meanY == 3)
    #expect(cluster.bounds == PlaneWindow(x: .max, width: 1, minY: 3, maxY: 3))
  }

  @Test func aMeanAcrossTheSeamStaysBetweenItsPoints() {
    var totals = PointTotals(PlanePoint(x: 998, y: 0), row: 0)
    totals.add(PointTotals(PlanePoint(x: 1001, y: 0), row: 1))
    let cluster = GridCluster(totals, in: Self.cell, seam: 1000)
    #expect(cluster.meanX == Double(UInt32.max) + 0.5)
  }
}
