import PointSets
import TestSupport
import Testing
import Treeline
import TreelineBuilder
@testable import TreelineMap

/// Checks the changes that a map view gets against the promises, in random regions and at random times.
@Suite struct MapSceneTests {
  /// Returns points in clouds around the antimeridian. Some points form stacks.
  static func points(_ count: Int, _ random: inout SplitMix64) -> [Coordinate] {
    let middles = (0..<6).map { _ in
      Coordinate(longitude: random.number(from: 150, to: 210), latitude: random.number(from: -20, to: 40))
    }
    return (0..<count).map { index in
      let middle = middles[random.index(below: middles.count)]
      let reach = index % 3 == 0 ? 4.0 : 0.2
      let longitude = middle.longitude + random.bell() * reach
      return Coordinate(
        longitude: longitude > 180 ? longitude - 360 : longitude,
        latitude: index % 50 == 0 ? middle.latitude : middle.latitude + random.bell() * reach)
    }
  }

  static let cuts: [Cut] = [
    .spacing(44), .limit(30), .limit(40, order: .widestFirst), .limit(25, continuity: .continuing), .detail(20),
  ]

  @Test(arguments: cuts) func everyFrameOfRandomChangesIsRight(_ cut: Cut) throws {
    let seed = UInt64.random(in: 0..<1 << 32)
    var random = SplitMix64(seed: seed)
    let coordinates = Self.points(600, &random)
    let tree = try ClusterTree(coordinates, options: BuildOptions(supporting: .spacing))
    // Switches between the tree without a filter and the tree with a filter from time to time.
    let trees = [tree, try tree.filtered(by: .inside(BoundingBox(west: 160, south: -10, east: -170, north: 90)))]
    var shownTree = 0
    var views = RandomViews(around: coordinates)
    var (scene, view, counted) = (MapScene(), RecordedView(), CountedPoints(pointCount: tree.pointCount))
    var (now, previous) = (0.0, tree.noClusters)
    for step in 0..<Trials.count(2000, seed: seed) {
      let query = Query(cut, in: views.next(&random))
      let before = shownTree
      if random.index(below: 12) == 0 { shownTree = 1 - shownTree }
      let clusters = try trees[shownTree].clusters(query, after: previous)
      // After a change of the filter, a badge that looks the same may contain other points.
      let unchanged = shownTree == before ? Self.resting(view, in: try MapAnswer(clusters, of: query)) : []
      let isInstant = random.index(below: 20) == 0
      let limit = random.index(below: 4) == 0 ? 1 + random.index(below: 20) : .max
      view.apply(scene.show(try MapAnswer(clusters, of: query), at: now, isInstant: isInstant, limit: limit))
      counted.answer(scene.answerBadges.lazy.map(\.cluster))
      #expect(unchanged.isDisjoint(with: view.touched), "seed \(seed), step \(step): unchanged badges are touched")
      // Applies the answer in parts. Sometimes another answer comes before all parts are applied.
      while !scene.isComplete, random.index(below: 10) > 0 {
        try #require(counted.problem(in: view) == nil, "seed \(seed), step \(step)")
        now += random.fraction() * 0.02
        view.apply(scene.resume(at: now, limit: 1 + random.index(below: 20)))
        counted.answer(scene.answerBadges.lazy.map(\.cluster))
        #expect(unchanged.isDisjoint(with: view.touched), "seed \(seed), step \(step): unchanged badges are touched")
      }
      if scene.isComplete {
        #expect(scene.answerBadges.map(\.cluster) == Array(clusters), "seed \(seed), step \(step)")
      }
      // The next answer interrupts this change at a random time, or comes after the change has ended.
      let pause = random.index(below: 5) == 0 ? 2 : random.fraction() * 0.45
      var time = now
      while time < now + pause {
        if let problem = counted.problem(in: view) {
          Issue.record("seed \(seed), step \(step), \(time - now) s after: \(problem)")
          return
        }
        time += 0.016
        view.apply(scene.advance(to: time))
        #expect(unchanged.isDisjoint(with: view.touched), "seed \(seed), step \(step): unchanged badges are touched")
      }
      now = time
      if pause == 2 {
        if !scene.isComplete { view.apply(scene.resume(at: now)) }
        counted.answer(clusters)
        now += 2
        view.apply(scene.advance(to: now))
        Self.expectAtRest(scene, view, clusters, "seed \(seed), step \(step)")
        #expect(counted.uncounted(in: view) == 0, "seed \(seed), step \(step)")
      }
      previous = clusters
      #expect(view.problems.isEmpty, "seed \(seed), step \(step): \(view.problems[0])")
      if !view.problems.isEmpty { return }
    }
  }

  @Test func numbersOfTwoTreesAreNeverShownTogether() throws {
    let seed = UInt64.random(in: 0..<1 << 32)
    var random = SplitMix64(seed: seed)
    let coordinates = Self.points(400, &random)
    let trees = try [0, 1, 30].map { try ClusterTree(coordinates + Self.points($0, &random)) }
    var views = RandomViews(around: coordinates)
    var (scene, view, now, kept) = (MapScene(), RecordedView(), 0.0, 0)
    let steps = Trials.count(2000, atLeast: 1000, seed: seed)
    for step in 0..<steps {
      let tree = trees[random.index(below: 3)]
      let query = Query(.limit(20), in: views.next(&random))
      let (clusters, before) = (try tree.clusters(query), Set(scene.answerBadges.map(\.id)))
      view.apply(scene.show(try MapAnswer(clusters, of: query), at: now))
      #expect(scene.answerBadges.map(\.cluster) == Array(clusters), "seed \(seed), step \(step)")
      kept += before.intersection(scene.answerBadges.map(\.id)).count
      let end = now + (step % 7 == 0 ? 2 : random.fraction() * 0.4)
      while now < end {
        let isMixed = view.badges.values.contains { $0.appearance.showsCount && $0.isForeign }
        try #require(!isMixed, "seed \(seed), step \(step)")
        try #require(view.counts(of: 430).allSatisfy { $0 <= 1 }, "seed \(seed), step \(step)")
        now += 0.016
        view.apply(scene.advance(to: now))
      }
      if step % 7 == 0 { Self.expectAtRest(scene, view, clusters, "seed \(seed), step \(step)") }
      try #require(view.problems.isEmpty, "seed \(seed), step \(step): \(view.problems[0])")
    }
    // Badges that look the same in both trees are kept.
    #expect(kept > steps)
  }

  /// Returns the ids of badges at rest whose clusters are also in an answer, at the same place.
  static func resting(_ view: RecordedView, in answer: MapAnswer) -> Set<MapBadge.ID> {
    let shown = Dictionary(uniqueKeysWithValues: answer.shown.map { ($0.cluster.id, $0) })
    return Set(
      view.badges.values.filter { badge in
        guard badge.isSettled, let new = shown[badge.cluster.id] else { return false }
        return badge.targetX == new.place.x && badge.targetY == new.place.y
      }.map(\.id))
  }

  /// Checks that the map looks as if it had shown only this answer.
  static func expectAtRest(_ scene: MapScene, _ view: RecordedView, _ clusters: Clusters, _ comment: Comment) {
    #expect(!scene.isMoving, comment)
    let badges = view.badges.values.sorted { $0.cluster.id < $1.cluster.id }
    #expect(badges.map(\.cluster) == Array(clusters), comment)
    for (badge, cluster) in zip(badges, clusters) {
      let place = badge.appearance.place
      let turns = (place.x - badge.targetX) / 0x1p32
      #expect(abs(turns - turns.rounded()) < 1e-12 && place.y == badge.targetY, comment)
      #expect(place.scale == 1 && place.opacity == 1 && badge.appearance.isVisible, comment)
      #expect(badge.appearance.showsCount && !badge.isLeaving && !badge.isAbove, comment)
      #expect(badge.pointCount == cluster.pointCount, comment)
    }
  }
}
