import GridBaseline
import PointSets
import TestSupport
import Testing
import Treeline

@_spi(Server) @testable import TreelineComparison

/// Compares the changes between two answers, and the measures of these changes, with results from sets of points and
/// loops over all pairs.
@Suite struct JourneyExhaustiveTests {
  @Test(arguments: Trials.seeds(8, from: 1, atLeast: 2)) func flowsAreThePointsInCommon(seed: UInt64) throws {
    let journey = try #require(try Compared(SamplePoints.towns(seed: seed, count: 1_500)).journey(limit: 30))
    for result in journey.results {
      let sets = result.journey.views.map { $0.clusters.map { Set($0.treeIndices()) } }
      for (step, change) in result.journey.changes.enumerated() {
        let (before, after) = (sets[step], sets[step + 1])
        var expected: [Flow] = []
        for (from, old) in before.enumerated() {
          for (to, new) in after.enumerated() {
            let common = old.intersection(new).count
            if common > 0 { expected.append(Flow(from: from, to: to, pointCount: common, of: old.count, new.count)) }
          }
        }
        #expect(change.flows == expected, "seed \(seed), \(result.method.name), step \(step)")
        let isOld = after.map { new in before.contains { !$0.isDisjoint(with: new) } }
        #expect(change.entered == after.indices.filter { !isOld[$0] }, "seed \(seed)")
        let stays = before.map { old in after.contains { !$0.isDisjoint(with: old) } }
        #expect(change.exited == before.indices.filter { !stays[$0] }, "seed \(seed)")
      }
    }
  }

  @Test(arguments: Trials.seeds(8, from: 1, atLeast: 2)) func measuresAreWhatTheyAreDefinedToBe(seed: UInt64) throws {
    let compared = try Compared(SamplePoints.towns(seed: seed, count: 1_500))
    let journey = try #require(try compared.journey(limit: 30))
    for result in journey.results {
      let points = compared.tree.positions
      let (sums, longest) = moves(of: result, in: journey)
      let measures = result.measures
      #expect(isClose(measures[.nestedness], mean(nestedness(of: result, in: journey))), "seed \(seed)")
      #expect(isClose(measures[.panPersistence], mean(persistence(of: result, in: journey, points))), "seed \(seed)")
      #expect(isClose(measures[.movement], mean(sums)), "seed \(seed), \(result.method.name)")
      #expect(isClose(measures[.longestMove], longest), "seed \(seed), \(result.method.name)")
      let views = zip(journey.views, result.journey.views).map {
        MeasuresByDefinition($1.clusters, in: $0, points: points)
      }
      let distortions = views.compactMap(\.distortion).sorted()
      let middle = (distortions[(distortions.count - 1) / 2] + distortions[distortions.count / 2]) / 2
      #expect(isClose(measures[.distortion], middle), "seed \(seed), \(result.method.name)")
      #expect(isClose(measures[.overlap], mean(views.map(\.overlap))), "seed \(seed)")
      #expect(isClose(measures[.closestPair], views.compactMap(\.closestPair).min()), "seed \(seed)")
    }
  }

  /// Returns, for each step that zooms, the share of points that are torn apart: such a point is in another coarse
  /// cluster than most points of its fine cluster.
  private func nestedness(of result: JourneyComparison.MethodResult, in journey: JourneyComparison) -> [Double] {
    journey.moves.enumerated().compactMap { step, move in
      guard move == .zoomIn || move == .zoomOut else { return nil }
      let answers = result.journey.views[step...step + 1].map { $0.clusters.map { Set($0.treeIndices()) } }
      let (fine, coarse) = move == .zoomIn ? (answers[1], answers[0]) : (answers[0], answers[1])
      let common = fine.map { part in coarse.map { $0.intersection(part).count } }
      let most = common.map { $0.max() ?? 0 }.reduce(0, +)
      let all = common.map { $0.reduce(0, +) }.reduce(0, +)
      return all > 0 ? 1 - Double(most) / Double(all) : nil
    }
  }

  /// Returns, for each pan, the number of clusters that are in both answers, divided by the number of clusters that are
  /// in at least one of the answers. A cluster counts only if its middle and at least one of its points are inside both
  /// views.
  private func persistence(
    of result: JourneyComparison.MethodResult, in journey: JourneyComparison, _ points: [PlanePoint]
  ) -> [Double] {
    journey.moves.enumerated().compactMap { step, move in
      guard move == .pan else { return nil }
      let (one, other) = (journey.views[step], journey.views[step + 1])
      func inside(_ index: Int, _ view: ComparisonView, _ second: ComparisonView) -> Set<Set<Int>> {
        Set(
          result.journey.views[index].clusters.filter { cluster in
            let x = Double(view.window.x) + cluster.position.x * view.unitsPerPixel
            let y = Double(view.window.minY) + cluster.position.y * view.unitsPerPixel
            let isShared = cluster.treeIndices().contains { index in
              [view, second].allSatisfy { $0.window.contains(points[index]) }
            }
            return isShared
              && [view, second].allSatisfy { seen in
                let pixel = seen.pixel(x: x, y: y)
                return 0...seen.width ~= pixel.x && 0...seen.height ~= pixel.y
              }
          }.map { Set($0.treeIndices()) })
      }
      let (before, after) = (inside(step, one, other), inside(step + 1, other, one))
      let either = before.union(after).count
      return either > 0 ? Double(before.intersection(after).count) / Double(either) : nil
    }
  }

  /// Returns the distances that clusters move, in pixels of the view to which a step leads: the sum for each step, and
  /// the longest distance of all steps.
  private func moves(of result: JourneyComparison.MethodResult, in journey: JourneyComparison) -> (
    sums: [Double], longest: Double
  ) {
    var (sums, longest) = ([Double](), 0.0)
    for step in journey.moves.indices {
      let (one, other) = (journey.views[step], journey.views[step + 1])
      var sum = 0.0
      for old in result.journey.views[step].clusters {
        let points = Set(old.treeIndices())
        for new in result.journey.views[step + 1].clusters where !points.isDisjoint(with: new.treeIndices()) {
          let units = one.unitsPerPixel
          var dx =
            Double(one.window.x) + old.position.x * units
            - (Double(other.window.x) + new.position.x * other.unitsPerPixel)
          while dx > 0x1p31 { dx -= 0x1p32 }
          while dx < -0x1p31 { dx += 0x1p32 }
          let dy =
            Double(one.window.minY) + old.position.y * units
            - (Double(other.window.minY) + new.position.y * other.unitsPerPixel)
          let length = (dx * dx + dy * dy).squareRoot() / other.unitsPerPixel
          sum += length
          longest = max(longest, length)
        }
      }
      sums.append(sum)
    }
    return (sums, longest)
  }

  private func mean(_ values: [Double]) -> Double? { values.isEmpty ? nil : values.reduce(0, +) / Double(values.count) }

  private func isClose(_ a: Double?, _ b: Double?) -> Bool {
    guard let a, let b else { return a == nil && b == nil }
    return abs(a - b) <= 1e-6 * max(1, abs(a))
  }
}
