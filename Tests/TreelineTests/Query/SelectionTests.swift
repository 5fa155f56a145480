import PointSets
import TestSupport
import Testing
import Treeline
import TreelineBuilder

/// Checks that a selected point stays selected, for any move of the map and any query. While the point is visible,
/// exactly one cluster contains it, and every transition contains that cluster.
@Suite struct SelectionTests {
  @Test(arguments: [
    PointSet.cities(5000, seed: 541), .roads(3000, seed: 542), .antimeridian(900, seed: 543),
    .coarse(2000, side: 30, seed: 544),
  ]) func aSelectionSurvivesEveryChange(_ set: PointSet) throws {
    let tree = try set.tree(supporting: .spacing)
    var random = SplitMix64(seed: 545)
    var screens = ScreenMaker(over: tree, seed: 546)
    var seen = 0
    for _ in 0..<Trials.count(60, atLeast: 60) {
      var screen = screens.next()
      let visible = (0..<tree.pointCount).filter { screen.window.contains(tree.position(atTreeIndex: $0)) }
      let row = tree.row(atTreeIndex: visible[random.index(below: visible.count)])
      let chosen = try #require(try tree.treeIndex(ofRow: row, at: set.coordinates[row]))
      var shown = tree.noClusters
      for _ in 0..<12 {
        let next = try screens.cut().answer(of: tree, on: screen)
        let holder = next.firstIndex(containingTreeIndex: chosen).map { next[$0] }
        if screen.window.contains(tree.position(atTreeIndex: chosen)) {
          #expect(holder != nil, "row \(row) of \(set) on \(screen), seeds 545 and 546")
          seen += 1
        }
        if let holder {
          #expect(holder.range.contains(chosen))
          let change = ClusterTransition(from: shown, to: next)
          let replaced = change.merges.map(\.whole) + change.splits.flatMap(\.parts)
          let now = Array(change.kept) + Array(change.entered) + replaced
          #expect(now.count { $0.id == holder.id } == 1, "row \(row) of \(set), seeds 545 and 546")
        }
        shown = next
        screen = [screens.beside(screen), screens.inside(screen), screens.next()][random.index(below: 3)]
      }
    }
    #expect(seen > 100, "the chosen were hardly ever seen")
  }
}
