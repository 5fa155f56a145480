import PointSets
import TestSupport
import Testing
@testable import Treeline

@testable import TreelineBuilder

/// Compares answers of two maps of the same pins, and counts their points by their keys.
@Suite struct VersionTransitionTests {
  /// With the seed 1093243989, several pairs of clusters have equally many points in common.
  @Test(arguments: [UInt64.random(in: 0..<1 << 32), 1_093_243_989]) func countsAddUp(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let options = BuildOptions(growth: .merging(by: .badges), threads: 1)
    var pins = PointSet.cities(400, seed: 631).coordinates.enumerated().map { Pin(id: 10 * $0, at: $1) }
    for trial in 0..<Trials.count(200, atLeast: 10, seed: seed) {
      // The first edit sorts the pins of every second trial.
      if trial == 1 { pins.shuffle(using: &random) }
      let first = try ClusterMap(pins, at: \.at, options: options)
      var (second, known) = (first, Set(pins.map(\.id)))
      for _ in 0..<random.index(below: 4) {
        let some = (0..<3).map { _ in second.values[random.index(below: second.values.count)] }
        let ids = Set(some.map(\.id))
        let moved = some.first.map { Pin(id: $0.id, at: pins[random.index(below: pins.count)].at) }!
        let new = Pin(id: 10 * random.index(below: 500) + 1 + trial % 9, at: pins[random.index(below: pins.count)].at)
        second = try second.updating(
          inserting: known.insert(new.id).inserted ? [new] : [],
          removing: ids.subtracting([moved.id]).sorted(), moving: [moved])
      }
      let unrelated = try ClusterMap(second.values.shuffled(using: &random), at: \.at, options: options)
      let views = (0..<2).map { _ in
        Viewport(center: pins[0].at, zoom: random.number(from: 0, to: 5), width: 800, height: 600)
      }
      let a = try first.clusters(.badges(), in: views[0])
      let b = try second.clusters(.badges(), in: views[random.index(below: 2)])
      let c = try unrelated.clusters(.badges(), in: views[random.index(below: 2)])
      let comment = Comment("seed \(seed), trial \(trial)")
      let forward = try #require(VersionTransition(from: a.clusters, to: b.clusters), comment)
      let back = try #require(VersionTransition(from: b.clusters, to: a.clusters), comment)
      for transition in [forward, VersionTransition(from: a, to: b)] {
        try Self.check(transition, (first, a), (second, b), comment)
        #expect(transition.kept == forward.kept && transition.entered == forward.entered, comment)
      }
      for transition in [back, VersionTransition(from: b, to: a)] {
        try Self.check(transition, (second, b), (first, a), comment)
        #expect(transition.kept.count == forward.kept.count && transition.exited == forward.entered, comment)
      }
      try Self.check(VersionTransition(from: a, to: c, by: \.id), (first, a), (unrelated, c), comment)
      try Self.check(VersionTransition(from: c, to: a, by: \.id), (unrelated, c), (first, a), comment)
    }
  }

  private typealias Answer = (map: ClusterMap<Pin>, results: ClusterMap<Pin>.Results)

  private static func check(_ transition: VersionTransition, _ a: Answer, _ b: Answer, _ comment: Comment) throws {
    func ids(_ clusters: some Sequence<Cluster>, _ map: ClusterMap<Pin>) -> Set<Int> {
      Set(clusters.flatMap { map.result(for: $0).members.map(\.id) })
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

  @Test func answersWithoutValuesAreComparedIfOneMapIsAnEditOfTheOther() throws {
    let pins = (0..<9).map { Pin(id: $0, at: Coordinate(longitude: Double($0), latitude: 0)) }
    let first = try ClusterMap(pins, at: \.at)
    let second = try first.updating(removing: [4])
    let answers = try [first, second, ClusterMap(pins, at: \.at)].map {
      try $0.clusters(.limit(9), in: .everything).clusters
    }
    let back = try #require(VersionTransition(from: answers[1], to: answers[0]))
    #expect(back.kept.count == 8 && back.entered.map(\.row) == [4] && back.changes.isEmpty && back.exited.isEmpty)
    #expect(VersionTransition(from: answers[0], to: answers[2]) == nil)
    let same = try #require(VersionTransition(from: answers[0], to: answers[0]))
    #expect(same.kept == answers[0] && same.changes.isEmpty && same.entered.isEmpty && same.exited.isEmpty)
    let transition = try #require(VersionTransition(from: answers[0], to: answers[1]))
    #expect(transition.kept.count == 8 && transition.exited.map(\.row) == [4] && transition.changes.isEmpty)
  }

  @Test func theFirstEditOfUnsortedValuesKeepsThem() throws {
    let pins = (0..<9).reversed().map { Pin(id: $0, at: Coordinate(longitude: Double($0), latitude: 0)) }
    let first = try ClusterMap(pins, at: \.at)
    let second = try first.updating(inserting: [Pin(id: 20, at: pins[3].at)], removing: [4])
    let answers = try [first, second].map { try $0.clusters(.limit(20), in: .everything).clusters }
    let transition = try #require(VersionTransition(from: answers[0], to: answers[1]))
    #expect(transition.keptBefore.map(\.row).map { pins[$0!].id } == [0, 1, 2, 3, 6, 7, 8])
    #expect(transition.kept.map(\.row).map { second.values[$0!].id } == [0, 1, 2, 3, 6, 7, 8])
    #expect(transition.exited.map(\.row).map { pins[$0!].id } == [4])
    let change = try #require(transition.changes.first)
    #expect(transition.changes.count == 1 && change.commonPointCount == 1 && change.insertedPointCount == 1)
  }

  @Test func countsAddUpIfValuesShareKeys() throws {
    let pins = (0..<9).map { Pin(id: $0 / 3, at: Coordinate(longitude: Double($0), latitude: 0)) }
    let maps = try [pins, Array(pins.dropFirst(2))].map { try ClusterMap($0, at: \.at) }
    let answers = try maps.map { try $0.clusters(.limit(1), in: .everything) }
    for (from, to) in [(0, 1), (1, 0)] {
      let change = try #require(VersionTransition(from: answers[from], to: answers[to]).changes.first)
      #expect(change.commonPointCount == 3 && change.removedPointCount == 0 && change.insertedPointCount == 0)
      #expect(change.leftPointCount == maps[from].values.count - 3)
      #expect(change.joinedPointCount == maps[to].values.count - 3)
    }
  }
}
