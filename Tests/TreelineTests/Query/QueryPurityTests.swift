import PointSets
import TestSupport
import Testing
import Treeline

/// Checks that an answer depends only on the tree, the box and the limit, and not on other queries before it or at the
/// same time.
@Suite struct QueryPurityTests {
  private static func questions(for set: PointSet) -> [(box: BoundingBox, limit: Int)] {
    var boxes = BoxMaker(for: set, seed: 121)
    return (0..<60).map { (boxes.next(), 1 + $0) }
  }

  @Test func questionsDoNotInfluenceOneAnother() throws {
    for set in [PointSet.cities(2000, seed: 122), .antimeridian(300, seed: 123), .tenths] {
      let tree = try set.tree()
      let questions = Self.questions(for: set)
      let fresh = try questions.map { try Array(set.tree().clusters(.limit($0.limit), in: Viewport($0.box))) }
      let forth = try questions.map { try Array(tree.clusters(.limit($0.limit), in: Viewport($0.box))) }
      let back = try questions.reversed().map { try Array(tree.clusters(.limit($0.limit), in: Viewport($0.box))) }
      #expect(forth == fresh)
      #expect(back.reversed() == fresh)
    }
  }

  @Test func manyTasksMayAskOneTree() async throws {
    let set = PointSet.cities(20_000, seed: 124)
    let tree = try set.tree()
    let questions = Self.questions(for: set)
    let expected = try questions.map { try Array(tree.clusters(.limit($0.limit), in: Viewport($0.box))) }
    try await withThrowingTaskGroup(of: (Int, [Cluster]).self) { group in
      for task in 0..<Trials.count(600) {
        let number = task * 7 % questions.count
        let (box, limit) = questions[number]
        group.addTask { (number, try Array(tree.clusters(.limit(limit), in: Viewport(box)))) }
      }
      for try await (number, answer) in group { #expect(answer == expected[number]) }
    }
  }

  /// Checks that the members of a cluster keep the tree alive after all other references to it are gone.
  @Test func membersKeepTheirTree() throws {
    var tree: ClusterTree? = try PointSet.twoStacks(5, 6).tree()
    let members = try #require(tree.flatMap { tree in tree.root.map { tree.members(of: $0) } })
    tree = nil
    #expect(members.sorted() == Array(0..<11))
  }
}
