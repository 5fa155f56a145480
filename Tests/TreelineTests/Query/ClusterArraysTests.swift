import PointSets
import TestSupport
import Testing
@testable import Treeline
import TreelineBuilder

@Suite struct ClusterArraysTests {
  /// Checks that numbers written directly to arrays equal the numbers of `Cluster` to the last bit: with and without a
  /// filter, and for clusters positioned at means and at members.
  @Test(arguments: PointSet.nasty + Trials.seeds(10, from: 410).map { PointSet.random(seed: $0) })
  func arraysAreThoseOfClusters(_ set: PointSet) throws {
    let options = BuildOptions(growth: .merging(by: .distance), threads: 1, anchor: .member)
    let even = IndexColumn(name: "even", kind: .boolean) { .bool($0.isMultiple(of: 2)) }
    let means = try set.tree(.leastScatter, hasSeparations: true).adding(columns: [even])
    let members = try ClusterTree(set.coordinates, as: set.projection, options: options)
    let filtered = try means.filtered(by: .where("even", .equals, true))
    for tree in [means, members, filtered] {
      for cut in [Cut.limit(1), .limit(7), .limit(5000), .spacing(44)] {
        let answer = try tree.clusters(cut, in: .everything(zoom: 5))
        try check(answer)
      }
    }
  }

  private func check(_ answer: Clusters) throws {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 64 * answer.count + 8, alignment: 8)
    defer { memory.deallocate() }
    let arrays = ClusterArrays(at: memory, count: answer.count)
    answer.write(to: arrays)
    for (number, cluster) in answer.enumerated() {
      #expect(arrays.ids[number] == Int64(cluster.id.rawValue))
      #expect(arrays.pointCounts[number] == Int64(cluster.pointCount))
      #expect(arrays.firsts[number] == Int64(cluster.range.lowerBound))
      #expect(arrays.ends[number] == Int64(cluster.range.upperBound))
      #expect(arrays.rows[number] == Int64(cluster.row ?? -1))
      #expect(arrays.treeIndices[number] == Int64(cluster.treeIndex ?? -1))
      let coordinate = cluster.coordinate
      #expect(arrays.longitudes[number].bitPattern == coordinate.longitude.bitPattern)
      #expect(arrays.latitudes[number].bitPattern == coordinate.latitude.bitPattern)
    }
  }
}
