import PointSets
import Testing
import Treeline
import TreelineBuilder
@testable import TreelineMap

/// Checks single rules of the page MapAnimation.
@Suite struct MapSceneRulesTests {
  /// A tree of two pairs of points. Depending on the limit, its answers show 1, 2 or 4 badges.
  static let tree = try! PointSet(
    "two pairs", [(0, 0), (1, 0), (40, 1), (41, 1)].map { Coordinate(longitude: $0.0, latitude: $0.1) }
  ).tree()

  static func answer(_ limit: Int, of tree: ClusterTree = tree, in viewport: Viewport = .everything) throws -> MapAnswer
  {
    let query = Query(.limit(limit, order: .widestFirst), in: viewport)
    return try MapAnswer(tree.clusters(query), of: query)
  }

  private var scene = MapScene()
  private var view = RecordedView()

  private mutating func show(_ answer: MapAnswer, at time: Double, isInstant: Bool = false) {
    view.apply(scene.show(answer, at: time, isInstant: isInstant))
  }

  private mutating func advance(to time: Double) { view.apply(scene.advance(to: time)) }

  private var numbers: [Int] {
    view.badges.values.filter(\.appearance.showsCount).map(\.pointCount).sorted()
  }

  @Test mutating func partsStartWhereTheirWholeIsAndTakeOverItsNumber() throws {
    show(try Self.answer(1), at: 0)
    advance(to: 5)
    let whole = try #require(view.badges.values.first)
    show(try Self.answer(2), at: 5)
    let parts = view.badges.values.filter { $0.id != whole.id }
    #expect(parts.count == 2 && parts.allSatisfy { $0.coordinate == whole.coordinate })
    #expect(numbers == [4])
    advance(to: 5 + 0.38 * 0.38 - 0.001)
    #expect(numbers == [4])
    advance(to: 5 + 0.38 * 0.38 + 0.001)
    #expect(numbers == [2, 2] && view.badges[whole.id] == nil)
    advance(to: 6)
    for part in parts { #expect(view.badges[part.id]!.appearance.place.x == part.motion.to.x) }
  }

  @Test mutating func aWholeAppearsWhereItsPartsHaveArrived() throws {
    show(try Self.answer(2), at: 0)
    advance(to: 5)
    show(try Self.answer(1), at: 5)
    #expect(numbers == [2, 2] && view.badges.count == 3)
    #expect(view.badges.values.filter(\.appearance.isVisible).count == 2)
    advance(to: 5.379)
    #expect(numbers == [2, 2])
    let whole = try #require(view.badges.values.first { !$0.isLeaving })
    for part in view.badges.values where part.isLeaving {
      #expect(abs(part.appearance.place.x - whole.appearance.place.x) < 1e-3 * 0x1p32)
    }
    advance(to: 5.381)
    #expect(numbers == [4] && view.badges.count == 1 && view.badges[whole.id]!.appearance.isVisible)
  }

  @Test mutating func whatIsCalledBackKeepsItsBadge() throws {
    show(try Self.answer(2), at: 0)
    advance(to: 5)
    let before = Set(view.badges.keys)
    show(try Self.answer(1), at: 5)
    advance(to: 5.1)
    show(try Self.answer(2), at: 5.1)
    #expect(Set(view.badges.keys) == before && numbers == [2, 2])
    show(try Self.answer(4), at: 5.2)
    let parts = Set(view.badges.keys).subtracting(before)
    show(try Self.answer(2), at: 5.25)
    #expect(Set(scene.answerBadges.map(\.id)) == before && numbers == [2, 2])
    #expect(parts.allSatisfy { view.badges[$0]!.isLeaving })
  }

  @Test mutating func aBadgeKeepsWhatIsSelected() throws {
    show(try Self.answer(1), at: 0)
    #expect(scene.badge(containingTreeIndex: 3)?.pointCount == 4)
    show(try Self.answer(4), at: 1)
    #expect(scene.badge(containingTreeIndex: 3)?.cluster.range == 3..<4)
    #expect(scene.badge(containingTreeIndex: 4) == nil)
    // While only a part of an answer is applied, a point may still be in a badge of the previous answer.
    view.apply(scene.show(try Self.answer(2), at: 2, limit: 1))
    #expect(scene.badge(containingTreeIndex: 0)?.pointCount == 2)
    #expect(scene.badge(containingTreeIndex: 3)?.pointCount == 1)
  }

  @Test mutating func reducedMotionMovesNothing() throws {
    show(try Self.answer(2), at: 0, isInstant: true)
    for (limit, time) in [(1, 1.0), (4, 1.1), (2, 1.2)] {
      show(try Self.answer(limit), at: time, isInstant: true)
      #expect(view.badges.count == limit && numbers.count == limit)
      MapSceneTests.expectAtRest(scene, view, try Self.answer(limit).clusters, "limit \(limit)")
    }
  }

  @Test mutating func anotherTreeKeepsWhatLooksTheSame() throws {
    show(try Self.answer(2), at: 0)
    advance(to: 5)
    let before = view.badges
    let same = try PointSet(
      "the same, and one more",
      [(0, 0), (1, 0), (40, 1), (41, 1), (80, 1)].map { Coordinate(longitude: $0.0, latitude: $0.1) }
    ).tree()
    show(try Self.answer(3, of: same), at: 5)
    // The new tree has the same two pairs and one new point. The badges of the pairs do not change, except that their
    // ids now refer to the new tree.
    #expect(view.touched.count { before[$0] != nil } <= 2 && before.keys.allSatisfy { view.badges[$0] != nil })
    #expect(numbers == [1, 2, 2])
    for badge in scene.answerBadges { #expect(try same.cluster(badge.cluster.id) == badge.cluster) }
    for id in before.keys { #expect(view.badges[id]!.appearance.place == before[id]!.appearance.place) }
    // A badge that looks different in the new tree loses its number at once.
    show(try Self.answer(1), at: 6)
    #expect(numbers == [4])
    advance(to: 10)
    #expect(view.badges.count == 1 && view.problems.isEmpty)
  }

  @Test mutating func anEditKeepsTheBadgesWhosePointsStayOrMove() throws {
    struct Pin: Identifiable {
      let id: Int
      let at: Coordinate

      init(_ id: Int, _ longitude: Double, _ latitude: Double) {
        (self.id, at) = (id, Coordinate(longitude: longitude, latitude: latitude))
      }
    }
    let pins = [Pin(0, 0, 0), Pin(1, 1, 0), Pin(2, 40, 1), Pin(3, 41, 1), Pin(4, 80, 1)]
    let map = try ClusterMap(pins, at: \.at)
    show(try Self.answer(3, of: map.tree), at: 0)
    advance(to: 5)
    let before = view.badges
    let edited = try map.updating(inserting: [Pin(9, 0.5, 0)], moving: [Pin(4, 90, 5)])
    show(try Self.answer(3, of: edited.tree), at: 5)
    #expect(Set(view.badges.keys) == Set(before.keys) && numbers == [1, 2, 3])
    advance(to: 5.1)
    for (id, old) in before {
      let (badge, isDot) = (view.badges[id]!, old.pointCount == 1)
      // The mean of a pair may be rounded to another unit.
      let (way, rest) = (
        badge.appearance.place.x - old.appearance.place.x, badge.motion.to.x - badge.appearance.place.x
      )
      #expect(isDot ? way > 1000 && rest > 1000 : abs(way) <= 1 && abs(rest) <= 1)
    }
    // Most points of two badges are now in one cluster, but most points of this cluster were in neither badge alone.
    let merged = try edited.updating(removing: [9])
    show(try Self.answer(1, of: merged.tree), at: 9)
    #expect(numbers == [5])
    advance(to: 15)
    #expect(view.badges.count == 1 && view.problems.isEmpty)
  }

  @Test mutating func aWholeThatHasNotFormedYetNeverDoesOnceThereIsAnotherTree() throws {
    show(try Self.answer(2), at: 0)
    advance(to: 5)
    show(try Self.answer(1), at: 5)
    let whole = try #require(view.badges.values.first { !$0.appearance.isVisible })
    let other = try PointSet("another", [Coordinate(longitude: 20, latitude: 30)]).tree()
    show(try Self.answer(1, of: other), at: 5.3)
    #expect(view.badges[whole.id] == nil)
    // A whole that was going to merge into a larger whole never appears, either.
    show(try Self.answer(4), at: 10)
    advance(to: 15)
    show(try Self.answer(2), at: 15)
    let forming = Set(view.badges.values.filter { !$0.appearance.isVisible }.map(\.id))
    show(try Self.answer(1), at: 15.1)
    show(try Self.answer(1, of: other), at: 15.3)
    #expect(forming.count == 2 && forming.isDisjoint(with: view.badges.keys))
    advance(to: 16)
    #expect(numbers == [1] && view.badges.count == 1 && view.problems.isEmpty)
  }

  @Test mutating func anotherFilterChangesNumbersAndPlaces() throws {
    var random = SplitMix64(seed: 8)
    let tree = try PointSet("points", MapSceneTests.points(400, &random)).tree()
    let half = try tree.filtered(by: .inside(BoundingBox(west: 150, south: -90, east: 175, north: 90)))
    show(try Self.answer(8, of: tree), at: 0)
    advance(to: 5)
    show(try Self.answer(8, of: half), at: 5)
    advance(to: 10)
    #expect(numbers.reduce(0, +) == half.filteredPointCount)
    MapSceneTests.expectAtRest(scene, view, try Self.answer(8, of: half).clusters, "filtered")
    show(try Self.answer(8, of: tree), at: 10)
    advance(to: 15)
    #expect(numbers.reduce(0, +) == tree.pointCount)
    MapSceneTests.expectAtRest(scene, view, try Self.answer(8, of: tree).clusters, "all")
    #expect(view.problems.isEmpty, "\(view.problems)")
  }

  @Test mutating func clearingTakesAllAway() throws {
    show(try Self.answer(4), at: 0)
    show(try Self.answer(1), at: 0.1)
    view.apply(scene.clear())
    #expect(view.badges.isEmpty && !scene.isMoving && view.problems.isEmpty)
  }
}
