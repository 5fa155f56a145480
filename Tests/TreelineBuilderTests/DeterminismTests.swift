import PointSets
import Testing
import Treeline
@testable import TreelineBuilder

/// Checks that equal points give the same tree: for any order of the points, any number of threads, and any solver for
/// principal axes.
@Suite struct DeterminismTests {
  @Test(arguments: PointSet.nasty, SplitRule.few) func anyOrderGivesTheSameTree(_ set: PointSet, _ rule: SplitRule)
    throws
  {
    let tree = try set.tree(rule)
    for seed: UInt64 in 1...6 {
      let other = try set.shuffled(seed: seed).tree(rule, solver: solver(seed))
      #expect(tree.contentHash == other.contentHash, "shuffled by \(seed)")
      #expect(try differences(tree, other, of: set, seed: seed) == [])
    }
  }

  @Test(arguments: [2, 3, 7], SplitRule.few) func anyNumberOfThreadsGivesTheSameTree(_ threads: Int, _ rule: SplitRule)
    throws
  {
    for set in PointSet.nasty {
      let (one, many) = try (set.tree(rule), set.tree(rule, threads: threads))
      #expect(one.contentHash == many.contentHash, "\(set)")
      #expect(rows(of: one) == rows(of: many), "\(set)")
    }
  }

  /// Tests sets that are so large that each thread gets a chunk of points, and that the work on the tree has many
  /// pieces.
  @Test(
    arguments: [
      PointSet.uniformWorld(70_000, seed: 41), .cities(70_000, seed: 42), .roads(50_000, seed: 43),
      .planar(40_000, x: -3...9, y: 0...1, seed: 44), .coarse(60_000, side: 40, seed: 45),
      .nullIsland(stack: 30_000, noise: 30_000, seed: 46),
    ], SplitRule.few) func manyPointsGiveTheSameTree(_ set: PointSet, _ rule: SplitRule) throws
  {
    let tree = try set.tree(rule)
    for threads in [1, 2, 3, 7] {
      let same = try set.tree(rule, threads: threads)
      #expect(tree.contentHash == same.contentHash, "\(threads) threads")
      #expect(rows(of: tree) == rows(of: same), "\(threads) threads")
      let shuffled = try set.shuffled(seed: UInt64(threads)).tree(
        rule, threads: threads, solver: solver(UInt64(threads)))
      #expect(tree.contentHash == shuffled.contentHash, "\(threads) threads, shuffled")
      #expect(try differences(tree, shuffled, of: set, seed: UInt64(threads)) == [])
    }
  }

  @Test func otherPointsGiveAnotherHash() throws {
    let set = PointSet.cities(300, seed: 47)
    let hash = try set.tree().contentHash
    var coordinates = set.coordinates
    coordinates[17].longitude += 1e-6
    #expect(try PointSet("one moved", coordinates).tree().contentHash != hash)
    #expect(try PointSet("one less", Array(set.coordinates.dropLast())).tree().contentHash != hash)
    #expect(try PointSet("one twice", set.coordinates + [set.coordinates[0]]).tree().contentHash != hash)
    #expect(try PointSet("plain", set.coordinates, as: .planar).tree().contentHash != hash)
  }

  /// Returns a solver. Consecutive numbers give all solvers in turn.
  private func solver(_ number: UInt64) -> PrincipalAxis.Solver {
    let all = PrincipalAxis.Solver.allCases
    return all[Int(number) % all.count]
  }

  private func rows(of tree: ClusterTree) -> [Int] { tree.root.map { Array(tree.members(of: $0)) } ?? [] }

  /// Returns the boxes for which the answers of the two trees differ in anything except row numbers.
  private func differences(_ tree: ClusterTree, _ other: ClusterTree, of set: PointSet, seed: UInt64) throws
    -> [BoundingBox]
  {
    var boxes = BoxMaker(for: set, seed: seed)
    return try (0..<10).map { _ in boxes.next() }.filter { box in
      let (answer, otherAnswer) = try (
        tree.clusters(.limit(20), in: Viewport(box)), other.clusters(.limit(20), in: Viewport(box))
      )
      return answer.map(Shown.init) != otherAnswer.map(Shown.init)
    }
  }

  /// All properties of a cluster except the row number of its point.
  private struct Shown: Equatable {
    let id: ClusterID
    let range: Range<Int>
    let mean: [Double]
    let rect: PlaneRect
    let ellipse: Ellipse
    let coordinate: Coordinate
    let isSingle: Bool

    init(_ cluster: Cluster) {
      (id, range, rect, ellipse) = (cluster.id, cluster.range, cluster.rect, cluster.ellipse)
      mean = [cluster.meanX, cluster.meanY]
      coordinate = cluster.coordinate
      isSingle = cluster.row != nil
    }
  }
}
