import Foundation
import PointSets
import TestSupport
import Testing
import Treeline
@testable import TreelineBuilder

/// Checks passes of a plan over cells of points. For most cells, a pass reads only the sums of their points.
@Suite struct PlanCellsTests {
  /// Asks all points and their cells the same questions, round by round, until the pieces are known.
  ///
  /// - Returns: The number of points in all rounds together, and the number of points that were read from cells.
  private func compare(
    _ set: PointSet, _ rule: SplitRule, pieceSize: Int, leastCount: Int, memory: Int, threads: Int, mostBins: Int
  ) throws -> (points: Int, reads: Int) {
    let place = FileManager.default.temporaryDirectory.appendingPathComponent("cells-\(UUID().uuidString)").path
    let folder = try ScratchFolder(place, keepsFiles: false)
    defer { folder.remove() }
    var survey = PointSurvey(projection: set.projection)
    try survey.add(set.coordinates)
    let points = set.coordinates.map(survey.plane.point(at:))
    let file = try folder.file(.positions)
    // Moves the seam to another meridian.
    let seam: UInt32 = 12_345
    try points.map { PlanePoint(x: $0.x &+ seam, y: $0.y) }.withUnsafeBufferPointer { try file.write($0, at: 0) }
    let monitor = BuildMonitor(pointCount: points.count)
    let cells = try PlanCells(
      dividing: Positions(file, count: points.count, seam: seam), into: try folder.file(.cells),
      leastCount: leastCount, memory: memory, threads: threads, monitor)
    #expect(cells.cells.reduce(0) { $0 + Int($1.moments.count) } == points.count)
    var plan = try BuildPlan(rule: rule, pieceSize: pieceSize)
    plan.mostBins = mostBins
    var reads = 0
    while let round = plan.nextRound() {
      var expected = PlanAnswers(to: round)
      expected.add(points)
      let (found, readCount) = try cells.answers(to: round, threads: threads, monitor)
      #expect(found.bytes == expected.bytes, "pass \(plan.passCount)")
      reads += readCount
      try plan.take(expected)
    }
    return (plan.passCount * points.count, reads)
  }

  @Test(arguments: PointSet.nasty, [SplitRule.mean, .leastScatter])
  func nastyPointsAnswerTheSame(_ set: PointSet, _ rule: SplitRule) throws {
    for (leastCount, memory) in [(1, 1 << 22), (20, 1 << 22), (1, 5000), (1, 0)] {
      _ = try compare(
        set, rule, pieceSize: 30, leastCount: leastCount, memory: memory, threads: 2, mostBins: 1 << 12)
    }
  }

  @Test(arguments: [SplitRule.mean, .leastScatter]) func randomPointsAnswerTheSame(_ rule: SplitRule) throws {
    for seed in Trials.seeds(60, from: 1) {
      let set = PointSet.random(seed: seed, upTo: 12_000)
      var random = SplitMix64(seed: seed)
      _ = try compare(
        set, rule, pieceSize: 17 + random.index(below: 500), leastCount: 1 + random.index(below: 100),
        memory: 1 << (8 + random.index(below: 16)), threads: 1 + random.index(below: 3),
        mostBins: 1 << (7 + random.index(below: 8)))
    }
  }

  /// All points are read once, to divide them into cells. Checks that the passes then read only a few points: less than
  /// 5 % of all points per pass with the rule `mean`, and less than 20 % with the rule `leastScatter`.
  @Test func fewPointsAreRead() throws {
    let set = PointSet.cities(200_000, seed: 3)
    for (rule, most) in [(SplitRule.mean, 0.05), (.leastScatter, 0.2)] {
      let (points, reads) = try compare(
        set, rule, pieceSize: 20_000, leastCount: 32, memory: 1 << 24, threads: 2, mostBins: 1 << 16)
      let share = Double(reads) / Double(points)
      #expect(share > 0 && share < most, "\(rule): \(share)")
      print("points read by \(rule): \(share) of all in each pass")
    }
  }
}
