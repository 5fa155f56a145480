import PointSets
import TestSupport
import Testing
import Treeline

@testable import TreelineBuilder

/// Adds points to trees and removes points. Compares the resulting trees with builds of the points that remain.
@Suite struct MergeHistoryTests {
  /// Sets of every kind. A full run compares the tree after each of 500 edits.
  static let sets = [
    PointSet.cities(400, seed: 601), .cities(3_000, seed: 602), .uniformWorld(300, seed: 603),
    .uniformWorld(2_000, seed: 604), .coarse(300, side: 12, seed: 605), .coarse(2_000, side: 60, seed: 606),
    .antimeridian(300, seed: 607), .antimeridian(1_500, seed: 608), .roads(500, seed: 609), .roads(2_000, seed: 610),
    .nullIsland(stack: 200, noise: 300, seed: 611), .geometricSpread(.spiral), .band(60, seed: 612),
    .band(400, seed: 613), .random(seed: 614, upTo: 70), .planar(400, x: 0...1, y: 0...1, seed: 615),
    .planar(1_500, x: 0...1, y: 0...0.01, seed: 616), .lattice(columns: 20, rows: 20, step: 1 << 20),
    PointSet("one", [Coordinate(longitude: 179, latitude: 3)]), MergingTests.shrinkingGaps,
  ]

  @Test(arguments: sets.indices.map { UInt64($0) }) func editsMakeTheTreeOfABuild(seed: UInt64) throws {
    let set = Self.sets[Int(seed)]
    for (index, kind) in EditedTree.kinds.enumerated() {
      var edited = try EditedTree(set, kind, seed: seed)
      for edit in 0..<Trials.count(125, atLeast: 10, seed: seed) {
        let change = edited.editAtRandom(most: edit % 10 == 9 ? 20 : 1)
        let (found, expected) = (edited.history.tree(), try edited.build())
        guard found.hasSameContent(as: expected),
          found.withStorage({ $0.mergeTraits }) == expected.withStorage({ $0.mergeTraits })
        else {
          Issue.record("\(set), kind \(index), seed \(seed), edit \(edit): \(change)")
          break
        }
      }
    }
  }

  /// Adds points and removes them again. They must leave no trace. All points of a tree may be removed.
  @Test func allPointsMayGoAndComeBack() throws {
    let set = PointSet.cities(300, seed: 617)
    let tree = try set.mergedTree(by: .badges)
    let history = try #require(MergeHistory(tree))
    let points = (0..<tree.pointCount).map {
      MergeHistory.Point(row: UInt32(tree.row(atTreeIndex: $0)), position: tree.position(atTreeIndex: $0))
    }
    for point in points.sorted(by: { $0.row > $1.row }) { history.update(removing: [point]) }
    #expect(history.tree().root == nil && history.tree().supports(.badges()))
    #expect(MergeHistory(history.tree())?.pointCount == 0)
    history.update(adding: [.init(row: 0, position: points[7].position)])
    #expect(history.tree().pointCount == 1)
    history.update(moving: [(.init(row: 0, position: points[7].position), points[8].position)])
    #expect(history.tree().position(atTreeIndex: 0) == points[8].position)
    history.update(removing: [.init(row: 0, position: points[8].position)])
    #expect(history.pointCount == 0)
    history.update(adding: points)
    #expect(history.tree().hasSameContent(as: tree))
    history.update(adding: points, removing: points)
    #expect(history.tree().hasSameContent(as: tree))
  }

  /// Checks that trees without merge scales do not store their merges.
  @Test func treesWithoutMergeScalesHaveNoHistory() throws {
    let set = PointSet.cities(300, seed: 618)
    #expect(try MergeHistory(set.mergedTree(by: .scatter)) == nil)
    #expect(try MergeHistory(set.mergedTree(by: .distance, maximumDepth: 3)) == nil)
    #expect(try MergeHistory(ClusterTree(set.coordinates, options: BuildOptions(splitRule: .mean))) == nil)
    #expect(try MergeHistory(set.mergedTree().withoutSeparations()) == nil)
  }
}

/// A tree that a test edits, and its current points.
private struct EditedTree {
  static let kinds: [(MergeMetric, ClusterAnchor)] = [
    (.badges, .mean), (.distance, .mean), (.badges, .member), (.distance, .member),
  ]

  let history: MergeHistory
  /// The current points, in the order of their rows.
  private var positions: [PlanePoint]
  private let plane: Plane
  private let options: BuildOptions
  private var random: SplitMix64

  init(_ set: PointSet, _ kind: (MergeMetric, ClusterAnchor), seed: UInt64) throws {
    let tree = try set.mergedTree(by: kind.0, anchor: kind.1)
    history = try #require(MergeHistory(tree))
    (plane, random) = (tree.plane, SplitMix64(seed: seed))
    options = BuildOptions(growth: .merging(by: kind.0), anchor: kind.1)
    positions = Array(repeating: PlanePoint(x: 0, y: 0), count: tree.pointCount)
    for index in 0..<tree.pointCount { positions[tree.row(atTreeIndex: index)] = tree.position(atTreeIndex: index) }
  }

  /// Adds, removes or moves a few points. Points may be added in any row.
  mutating func editAtRandom(most: Int) -> String {
    var (rows, moved) = (Set<Int>(), [(point: MergeHistory.Point, target: PlanePoint)]())
    func point(_ row: Int) -> MergeHistory.Point { .init(row: UInt32(row), position: positions[row]) }
    let edits = (0...random.index(below: most)).map { _ in random.index(below: 3) }
    for kind in edits where kind > 0 && !positions.isEmpty {
      let row = random.index(below: positions.count)
      if !rows.insert(row).inserted { continue }
      if kind == 1 { moved.append((point(row), randomPosition(near: positions[row]))) }
    }
    let removed = rows.subtracting(moved.map { Int($0.point.row) }).sorted().map(point)
    for (point, target) in moved { positions[Int(point.row)] = target }
    for point in removed.reversed() { positions.remove(at: Int(point.row)) }
    let addedRows = Set(edits.filter { $0 == 0 }.map { _ in random.index(below: positions.count + 1) }).sorted()
    for row in addedRows { positions.insert(randomPosition(near: nil), at: row) }
    let added = addedRows.map(point)
    history.update(adding: added, removing: removed, moving: moved)
    return "adding \(added), removing \(removed), moving \(moved)"
  }

  /// Returns a random position: anywhere on the plane, at another point, or near another point.
  private mutating func randomPosition(near position: PlanePoint?) -> PlanePoint {
    let kind = random.index(below: 4)
    guard kind > 0, !positions.isEmpty else { return PlanePoint(x: random.next32(), y: random.next32()) }
    let start = position ?? positions[random.index(below: positions.count)]
    if kind == 1 { return start }
    let width = 1 + random.index(below: 1 << random.index(below: 30))
    func moved(_ place: UInt32) -> UInt32 { place &+ UInt32(random.index(below: 2 * width)) &- UInt32(width) }
    return PlanePoint(x: moved(start.x), y: moved(start.y))
  }

  /// Builds a tree of only the current points.
  func build() throws -> ClusterTree {
    let memory = BuildMemory(pointCount: positions.count, BuildMonitor(pointCount: positions.count))
    for (row, position) in positions.enumerated() { memory.arrays.points[row] = position }
    let build = TreeBuild(
      coordinates: [], projection: plane.projection, options: options,
      monitor: BuildMonitor(pointCount: positions.count))
    return ClusterTree(
      storage: try build.storage(of: memory), plane: plane, clippedPointCount: 0, growth: options.growth)
  }
}

extension SplitMix64 {
  fileprivate mutating func next32() -> UInt32 { UInt32(truncatingIfNeeded: next()) }
}
