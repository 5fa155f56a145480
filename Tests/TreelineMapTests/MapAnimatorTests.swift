import PointSets
import TestSupport
import Testing
import Treeline
import TreelineBuilder
@testable import TreelineMap

/// A slow map view. It checks the promises after each change that it gets.
@MainActor private final class SlowView {
  var view = RecordedView()
  var counted: CountedPoints
  var problem: String?
  var handedOver = 0
  private let clock: ManualClock
  private let costPerBadge: Duration

  init(pointCount: Int, clock: ManualClock, costPerBadge: Duration = .zero) {
    (counted, self.clock, self.costPerBadge) = (CountedPoints(pointCount: pointCount), clock, costPerBadge)
  }

  func apply(_ change: MapChange) {
    view.apply(change)
    handedOver += 1
    problem = problem ?? counted.problem(in: view) ?? view.problems.first
    clock.advance(by: costPerBadge * (change.added.count + change.removed.count + change.moved.count))
  }
}

/// Checks the changes that a view gets in each frame.
@MainActor @Suite struct MapAnimatorTests {
  /// Draws frames until the animator has the answer for its current viewport.
  private func settle(_ animator: MapAnimator, _ clusters: Clusters, _ frame: () -> Void) async {
    while !(animator.scene.isComplete && animator.scene.answerBadges.map(\.cluster) == Array(clusters)) {
      await pause()
      if animator.needsFrames { frame() }
    }
  }

  @Test func aLargeAnswerIsHandedOverInPartsWithinTheBudget() async throws {
    var random = SplitMix64(seed: 5)
    let tree = try ClusterTree(MapSceneTests.points(5000, &random))
    let clock = ManualClock()
    let slow = SlowView(pointCount: tree.pointCount, clock: clock, costPerBadge: .microseconds(10))
    let feed = MapFeed(tree, cut: .limit(100), clock: clock)
    let animator = MapAnimator(feed, budget: .milliseconds(2), clock: clock) { slow.apply($0) }
    var wakes = 0
    animator.onNeedsFrames = { wakes += 1 }
    var (frames, longest) = (0, Duration.zero)
    func frame() {
      let start = clock.now
      animator.frame()
      longest = max(longest, start.duration(to: clock.now))
      frames += 1
      clock.advance(by: .milliseconds(16))
    }
    animator.viewport = .everything
    let small = try tree.clusters(.limit(100), in: .everything)
    await settle(animator, small, frame)
    #expect(wakes == 1)
    while animator.needsFrames { frame() }
    feed.cut = .limit(3000)
    let large = try tree.clusters(.limit(3000), in: .everything)
    frames = 0
    // From now on an answer contains every point, so every point must be counted in every frame.
    slow.counted.answer(large)
    await settle(animator, large, frame)
    #expect(frames > 3000 * 10 / 2000 / 2, "3000 badges at 10 µs take 30 ms, in frames of 2 ms")
    while animator.needsFrames { frame() }
    #expect(wakes == 2)
    // A batch starts within the budget. A split cannot be divided between two batches.
    let largestSplit = ClusterTransition(from: small, to: large).splits.map(\.parts.count).max()!
    #expect(longest < .milliseconds(2) + .microseconds(10) * (2 * MapAnimator.batch + largestSplit), "\(longest)")
    #expect(slow.problem == nil)
    #expect(slow.counted.uncounted(in: slow.view) == 0)
    MapSceneTests.expectAtRest(animator.scene, slow.view, large, "at rest")
  }

  @Test func tenThousandChangesASecondHoldNoMore() async throws {
    let seed = UInt64.random(in: 0..<1 << 32)
    print("tenThousandChangesASecondHoldNoMore: seed \(seed)")
    var random = SplitMix64(seed: seed)
    let coordinates = MapSceneTests.points(3000, &random)
    let tree = try ClusterTree(coordinates)
    let clock = ManualClock()
    let slow = SlowView(pointCount: tree.pointCount, clock: clock)
    let animator = MapAnimator(MapFeed(tree, cut: .limit(50), clock: clock), clock: clock) { slow.apply($0) }
    var views = RandomViews(around: coordinates)
    var most: [Int] = []
    for _ in 0..<3 {
      most.append(0)
      for change in 0..<10_000 {
        animator.viewport = views.next(&random)
        clock.advance(by: .microseconds(100))
        if change % 83 == 0 {
          await Task.yield()
          if animator.needsFrames { animator.frame() }
          most[most.count - 1] = max(most.last!, animator.scene.badges.count)
          try #require(slow.problem == nil, "seed \(seed)")
        }
      }
    }
    #expect(slow.handedOver > 100)
    #expect(animator.scene.badges.count == slow.view.badges.count)
    // Each answer has 50 badges. Badges of answers from the last 0.38 s may still be leaving. So there are not more
    // badges in the third second than in the first.
    #expect(most.allSatisfy { $0 < 40 * 50 }, "\(most)")
    let last = try tree.clusters(.limit(50), in: animator.viewport!)
    await settle(animator, last) {
      animator.frame()
      clock.advance(by: .milliseconds(16))
    }
    while animator.needsFrames {
      animator.frame()
      clock.advance(by: .milliseconds(16))
    }
    MapSceneTests.expectAtRest(animator.scene, slow.view, last, "seed \(seed)")
  }

  @Test func nothingIsHandedOverWhereNothingChanges() async throws {
    let clock = ManualClock()
    let tree = MapFeedTests.tree
    let slow = SlowView(pointCount: tree.pointCount, clock: clock)
    let animator = MapAnimator(MapFeed(tree, cut: .detail(20), clock: clock), clock: clock) { slow.apply($0) }
    func frame() {
      animator.frame()
      clock.advance(by: .milliseconds(16))
    }
    let cut = Cut.detail(20)
    animator.viewport = MapFeedTests.view(0)
    let clusters = try tree.clusters(cut, in: MapFeedTests.view(0).expanded(by: 64))
    await settle(animator, clusters, frame)
    while animator.needsFrames { frame() }
    let handedOver = slow.handedOver
    for _ in 0..<10 { frame() }
    // The viewport moves by less than a pixel. This gives another answer with the same clusters.
    animator.viewport = MapFeedTests.view(1e-9)
    for _ in 0..<1000 {
      await Task.yield()
      if animator.needsFrames { frame() }
    }
    #expect(slow.handedOver == handedOver)
  }

  @Test func anAnswerOfATreeThatWasReplacedMeanwhileIsNotShownAndWithoutATreeNothingIs() async throws {
    let clock = ManualClock()
    let slow = SlowView(pointCount: 1000, clock: clock)
    let feed = MapFeed(MapFeedTests.tree, cut: .limit(9), clock: clock)
    let animator = MapAnimator(feed, clock: clock) { slow.apply($0) }
    animator.viewport = .everything
    await wait { animator.needsFrames }
    let coordinates = (0..<3).map { Coordinate(longitude: Double($0), latitude: 0) }
    let small = try ClusterTree(coordinates)
    feed.tree = small
    animator.frame()
    #expect(slow.view.badges.isEmpty)
    await settle(animator, try small.clusters(.limit(9), in: .everything)) { animator.frame() }
    #expect(animator.scene.shows(small) && !animator.scene.shows(MapFeedTests.tree))
    #expect(slow.view.badges.count == 3)
    feed.tree = nil
    animator.clear()
    #expect(slow.view.badges.isEmpty && !animator.needsFrames)
  }

  @Test func errorsAreToldAndTheMapStays() async throws {
    let clock = ManualClock()
    let slow = SlowView(pointCount: 1000, clock: clock)
    let animator = MapAnimator(MapFeed(MapFeedTests.tree, cut: .limit(9), clock: clock), clock: clock) {
      slow.apply($0)
    }
    var errors: [any Error] = []
    animator.onError = { errors.append($0) }
    animator.viewport = .everything
    let clusters = try MapFeedTests.tree.clusters(.limit(9), in: .everything)
    await settle(animator, clusters) { animator.frame() }
    animator.feed.cut = .limit(0)
    await wait { !errors.isEmpty }
    #expect(errors.first is QueryError)
    #expect(slow.view.badges.count == 9)
  }

  @Test func anAnimatorThatIsGoneLeavesNothingBehind() async throws {
    weak var animator: MapAnimator?
    weak var feed: MapFeed?
    do {
      let made = MapAnimator(MapFeed(MapFeedTests.tree, cut: .limit(9))) { _ in }
      made.viewport = .everything
      (animator, feed) = (made, made.feed)
      await wait { made.needsFrames }
    }
    for _ in 0..<10_000 where animator != nil || feed != nil { await pause() }
    #expect(animator == nil && feed == nil)
  }
}
