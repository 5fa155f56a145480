import PointSets
import TreelineBuilder

@testable import Treeline

/// A tree, a random subset of its points, and the tree with a filter that only these points pass.
struct FilteredTree {
  let tree: ClusterTree
  let passes: [Bool]
  let filtered: ClusterTree

  init(_ tree: ClusterTree, passes: [Bool]) {
    (self.tree, self.passes) = (tree, passes)
    filtered = tree.selecting(
      tree.withStorage { storage in
        Selection(of: storage) { words in
          for (index, passes) in passes.enumerated() where passes { words[index >> 6] |= 1 << UInt64(index & 63) }
        }
      })
  }

  /// Chooses points in one of several ways: none, one, a few, runs of points that are neighbors in the tree, most, or
  /// all.
  init(_ tree: ClusterTree, _ random: inout SplitMix64) {
    let count = tree.pointCount
    var passes = [Bool](repeating: false, count: count)
    switch random.index(below: 8) {
    case 0: break
    case 1: if count > 0 { passes[random.index(below: count)] = true }
    case 2: for _ in 0..<min(count, 5) { passes[random.index(below: count)] = true }
    case 3:
      var isIn = false
      for index in 0..<count {
        if random.index(below: 20) == 0 { isIn.toggle() }
        passes[index] = isIn
      }
    case 4: passes = passes.map { _ in random.index(below: 100) > 0 }
    case 5: passes = passes.map { _ in true }
    default:
      let share = 1 + random.index(below: 10)
      passes = passes.map { _ in random.index(below: share) == 0 }
    }
    self.init(tree, passes: passes)
  }

  /// Returns the tree indices, within a range, of the points that pass.
  func passing(in range: Range<Int>) -> [Int] { range.filter { passes[$0] } }
}

extension ClusterTree {
  /// Returns a small tree of any growth. Its points are a random set or one of the nasty sets.
  static func any(_ random: inout SplitMix64) throws -> ClusterTree {
    let set =
      random.index(below: 3) == 0
      ? PointSet.nasty[random.index(below: PointSet.nasty.count)]
      : PointSet.random(seed: random.next())
    let growths: [Growth] = [
      .splitting(.mean), .splitting(.leastScatter), .merging(by: .distance), .merging(by: .badges),
      .merging(by: .scatter),
    ]
    let growth = growths[random.index(below: growths.count)]
    return try ClusterTree(
      set.coordinates, as: set.projection, options: BuildOptions(growth: growth, threads: 1)
    ).withSeparations()
  }
}
