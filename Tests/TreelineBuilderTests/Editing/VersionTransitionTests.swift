import PointSets
import TestSupport
import Testing
import Treeline

@testable import TreelineBuilder

/// Compares answers of two versions of a map, and counts their points by their keys.
@Suite struct VersionTransitionTests {
  @Test func countsAddUp() throws {
    let seed = UInt64.random(in: 0..<1 << 32)
    var random = SplitMix64(seed: seed)
    let options = BuildOptions(growth: .merging(by: .badges), threads: 1, computesSeparations: true)
    let pins = PointSet.cities(400, seed: 631).coordinates.enumerated().map { Pin(id: 10 * $0, at: $1) }
    for trial in 0..<Trials.count(200, atLeast: 10, seed: seed) {
      let first = try ClusterMap(pins, options: options, at: \.at)
      var second = first
      for _ in 0..<random.index(below: 4) {
        let some = (0..<3).map { _ in second.values[random.index(below: second.values.count)] }
        let ids = Set(some.map(\.id))
        let moved = some.first.map { Pin(id: $0.id, at: pins[random.index(below: pins.count)].at) }!
        let new = Pin(id: 10 * random.index(below: 500) + 1 + trial % 9, at: pins[random.index(below: pins.count)].at)
        second = try second.updating(
          inserting: second.values.contains { $0.id == new.id } ? [] : [new],
          removing: ids.subtracting([moved.id]).sorted(), moving: [moved])
      }
      let views = (0..<2).map { _ in
        Viewport(center: pins[0].at, zoom: random.number(from: 0, to: 5), width: 800, height: 600)
      }
      let a = try first.clusters(.badges(), in: views[0])
      let b = try second.clusters(.badges(), in: views[random.index(below: 2)])
      let transition = try #require(VersionTransition(from: a.clusters, to: b.clusters))
      try Self.check(transition, (first, a), (second, b), "seed \(seed), trial \(trial)")
    }
  }

  private typealias Answer = (map: ClusterMap<Pin>, results: ClusterMap<Pin>.Results)

  private static func check(_ transition: VersionTransition, _ a: Answer, _ b: Answer, _ comment: Comment) throws {
    func ids(_ clusters: some Sequence<Cluster>, _ map: ClusterMap<Pin>) -> Set<Int> {
      Set(clusters.flatMap { map.members(of: $0).map(\.id) })
    }
    #expect(
      Set(a.results.clusters)
        == Set(Array(transition.keptBefore) + transition.changes.flatMap(\.before) + transition.exited)
        && a.results.count == transition.keptBefore.count + transition.changes.map(\.before.count).reduce(0, +)
          + transition.exited.count,
      comment)
    #expect(
      Set(b.results.clusters) == Set(Array(transition.kept) + transition.changes.flatMap(\.after) + transition.entered)
        && b.results.count == transition.kept.count + transition.changes.map(\.after.count).reduce(0, +)
          + transition.entered.count,
      comment)
    for (before, after) in zip(transition.keptBefore, transition.kept) {
      #expect(ids([before], a.map) == ids([after], b.map), comment)
    }
    let (removed, inserted) = (
      Set(a.map.values.map(\.id)).subtracting(b.map.values.map(\.id)),
      Set(b.map.values.map(\.id)).subtracting(a.map.values.map(\.id))
    )
    for change in transition.changes {
      let (before, after) = (ids(change.before, a.map), ids(change.after, b.map))
      #expect(change.before.count == 1 || change.after.count == 1, comment)
      #expect(change.commonPointCount == before.intersection(after).count && change.commonPointCount > 0, comment)
      #expect(change.removedPointCount == before.intersection(removed).count, comment)
      #expect(change.insertedPointCount == after.intersection(inserted).count, comment)
      #expect(before.count == change.commonPointCount + change.removedPointCount + change.leftPointCount, comment)
      #expect(after.count == change.commonPointCount + change.insertedPointCount + change.joinedPointCount, comment)
    }
  }

  @Test func onlyLaterVersionsCanBeCompared() throws {
    let pins = (0..<9).map { Pin(id: $0, at: Coordinate(longitude: Double($0), latitude: 0)) }
    let first = try ClusterMap(pins, at: \.at)
    let second = try first.updating(removing: [4])
    let answers = try [first, second, ClusterMap(pins, at: \.at)].map {
      try $0.clusters(.limit(9), in: .everything).clusters
    }
    #expect(VersionTransition(from: answers[1], to: answers[0]) == nil)
    #expect(VersionTransition(from: answers[0], to: answers[2]) == nil)
    let same = try #require(VersionTransition(from: answers[0], to: answers[0]))
    #expect(same.kept == answers[0] && same.changes.isEmpty && same.entered.isEmpty && same.exited.isEmpty)
    let transition = try #require(VersionTransition(from: answers[0], to: answers[1]))
    #expect(transition.kept.count == 8 && transition.exited.map(\.row) == [4] && transition.changes.isEmpty)
  }
}
