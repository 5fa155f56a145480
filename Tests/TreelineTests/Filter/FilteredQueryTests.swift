import Foundation
import PointSets
import TestSupport
import Testing
import TreelineBuilder

@_spi(Server) @testable import Treeline

/// Checks the promises of queries with a filter against the points, one by one.
@Suite struct FilteredQueryTests {
  @Test(arguments: Trials.seeds(400)) func limitsAreThoseOfTheDefinition(_ seed: UInt64) throws {
    var random = SplitMix64(seed: 5_000 + seed)
    let tree = try ClusterTree.any(&random)
    let outline = try TreeOutline(tree)
    for _ in 0..<6 {
      let points = FilteredTree(tree, &random)
      for _ in 0..<4 {
        let window = random.index(below: 4) == 0 ? .everything : PlaneWindow.random(over: tree, &random)
        let oracle = QueryOracle(outline, window) { points.passes[$0] }
        for limit in [1 + random.index(below: 40), random.index(below: 3) == 0 ? .max : 200] {
          let answer = try points.filtered.clusters(.limit(limit), in: window)
          #expect(answer.map(\.id) == oracle.breadthFirst(limit: limit).map(\.id), "seed \(seed), \(window), \(limit)")
          for order in [ExpansionOrder.widestFirst, .steepestFirst] {
            let best = try points.filtered.clusters(.limit(limit, order: order), in: window)
            let nodes = try best.map { try tree.cluster($0.id) }
            #expect(oracle.violations(of: nodes, limit: limit).prefix(3) == [], "seed \(seed), \(window), \(limit)")
          }
          try checkFacts(of: answer, points)
        }
      }
    }
  }

  /// Checks the counts, means, boxes, spreads and rows of clusters against the points that pass the filter.
  private func checkFacts(of answer: Clusters, _ points: FilteredTree) throws {
    for cluster in answer {
      let members = points.passing(in: cluster.range)
      #expect(cluster.pointCount == members.count)
      #expect(cluster.treeIndex == (members.count == 1 ? members[0] : nil))
      #expect(cluster.row == cluster.treeIndex.map { points.tree.row(atTreeIndex: $0) })
      #expect(Array(points.filtered.members(of: cluster)) == members.map { points.tree.row(atTreeIndex: $0) })
      let node = try points.tree.cluster(cluster.id)
      let positions = members.map { points.tree.position(atTreeIndex: $0) }
      // Measures positions from the western edge of the cluster's box, so that the seam does not matter.
      let west = node.rect.minX
      let (xs, ys) = (positions.map { Int64($0.x &- west) }, positions.map { Int64($0.y) })
      if node.rect.width < 1 << 31 {
        #expect(cluster.rect.minX &- west == UInt32(xs.min()!) && cluster.rect.maxX &- west == UInt32(xs.max()!))
      }
      #expect(Int64(cluster.rect.minY) == ys.min()! && Int64(cluster.rect.maxY) == ys.max()!)
      let count = Double(members.count)
      let left = Int64(cluster.rect.minX &- west)
      let sum = xs.reduce(0) { $0 + $1 - left }
      let x = Double(cluster.rect.minX) + Double(sum) / count
      // Sums are exact. A mean is rounded twice: once in the division and once when a corner is added.
      let top = ys.min()!
      let y = Double(top) + Double(ys.reduce(0) { $0 + $1 - top }) / count
      #expect(abs(cluster.meanX - (x < 0x1p32 ? x : x - 0x1p32)) <= 0x1p-19)
      #expect(abs(cluster.meanY - y) <= 0x1p-19)
      if members.count == 1 {
        #expect(cluster.meanX == Double(positions[0].x) && cluster.meanY == Double(positions[0].y))
      }
      let (mx, my) = (Double(sum) / count, Double(ys.reduce(0) { $0 + $1 - top }) / count)
      let squares = zip(xs, ys).reduce(0.0) { sum, point in
        let (dx, dy) = (Double(point.0 - left) - mx, Double(point.1 - top) - my)
        return sum + dx * dx + dy * dy
      }
      let radius = (squares / count).squareRoot()
      #expect(abs(cluster.planeRadius - radius) <= 1e-6 * radius + 1e-3, "\(cluster.planeRadius), expected \(radius)")
    }
  }

  @Test(arguments: Trials.seeds(200)) func scalesShowThoseOfTheTreeThatHaveAPoint(_ seed: UInt64) throws {
    var random = SplitMix64(seed: 6_000 + seed)
    let tree = try ClusterTree.any(&random)
    for _ in 0..<6 {
      let points = FilteredTree(tree, &random)
      let zoom = random.number(from: 0, to: 20)
      let pixels = random.number(from: 0, to: 120)
      let cuts: [Cut] = [.spacing(pixels), .badges(scale: pixels / 40)].filter(tree.supports)
      let window = PlaneWindow.random(over: tree, &random)
      let oracle = QueryOracle(try TreeOutline(tree), window) { points.passes[$0] }
      for cut in cuts {
        let all = try tree.clusters(cut, in: PlaneWindow.everything, zoom: zoom)
        let expected = all.filter { oracle.isVisible($0.range) }
        let answer = try points.filtered.clusters(cut, in: window, zoom: zoom)
        #expect(answer.map(\.id) == expected.map(\.id), "seed \(seed), \(cut), zoom \(zoom)")
        // Clusters stay at their positions in the tree without a filter, so the distances between them stay, too.
        #expect(zip(answer, expected).allSatisfy { $0.x == $1.x && $0.y == $1.y })
        try checkFacts(of: answer, points)
        let centered = try points.filtered.clusters(cut, centeredIn: window, zoom: zoom)
        let centeredOfAll = try tree.clusters(cut, centeredIn: window, zoom: zoom)
        #expect(centered.map(\.id) == centeredOfAll.filter { !points.passing(in: $0.range).isEmpty }.map(\.id))
        let capped = try points.filtered.clusters(cut.atMost(5), in: window, zoom: zoom)
        #expect(capped.count <= 5)
        #expect(capped.reduce(0) { $0 + oracle.insideCount(of: $1.range) } == oracle.insideCount)
      }
    }
  }

  /// With a spacing, badges or a limit, clusters stay at their positions in the tree without a filter. On request, each
  /// cluster is shown at the mean of its points that pass.
  @Test(arguments: Trials.seeds(50)) func showsMeansOfPassingPointsWhereAsked(_ seed: UInt64) throws {
    var random = SplitMix64(seed: 12_000 + seed)
    let tree = try ClusterTree.any(&random)
    let points = FilteredTree(tree, &random)
    for cut in [Cut.spacing(60), .badges(), .limit(20)].filter(tree.supports) {
      for cluster in try points.filtered.clusters(cut, in: PlaneWindow.everything, zoom: 3) {
        let shown = try points.filtered.shownPosition(of: cluster, at: .mean)
        #expect(shown.x == cluster.meanX && shown.y == cluster.meanY)
        let style = PositionStyle(.mean, keepsVisible: false)
        #expect(try style.position(of: cluster, of: points.filtered, keptVisibleIn: nil) == shown)
        let anchor = try points.filtered.shownPosition(of: cluster)
        #expect(anchor.x == cluster.x && anchor.y == cluster.y, "seed \(seed)")
        let own = PositionStyle(nil, keepsVisible: false)
        #expect(try own.position(of: cluster, of: points.filtered, keptVisibleIn: nil).map { $0 == anchor } ?? true)
      }
    }
  }

  /// Checks that, with a spacing, a filtered tree shows about as many clusters as a tree of only the points that pass.
  @Test(arguments: [2, 7, 30]) func aSpacingShowsAsManyAsATreeOfThePassingPoints(oneIn share: Int) throws {
    let options = BuildOptions(supporting: .spacing)
    let coordinates = PointSet.cities(30_000, clusters: 40, seed: 77).coordinates
    // First the passing points lie all over the map. Then they lie only in some parts of it, as points of a category
    // often do.
    for passes in [{ $0 % share == 0 }, { Int(3 * coordinates[$0].longitude + 540) % share == 0 }] as [(Int) -> Bool] {
      let passing = coordinates.indices.filter(passes)
      let tree = try ClusterTree(coordinates, options: options)
      let filtered = FilteredTree(tree, passes: (0..<tree.pointCount).map { passes(tree.row(atTreeIndex: $0)) })
        .filtered
      let alone = try ClusterTree(passing.map { coordinates[$0] }, options: options)
      var (found, expected) = (0, 0)
      for zoom in [2.0, 4, 6] {
        found += try filtered.clusters(.spacing(44), in: PlaneWindow.everything, zoom: zoom).count
        expected += try alone.clusters(.spacing(44), in: PlaneWindow.everything, zoom: zoom).count
      }
      #expect(Double(found) > 0.9 * Double(expected), "\(found) clusters, \(expected) of \(passing.count) points alone")
    }
  }

  /// Checks that a query with a detail splits a cluster by the spread of only those points that pass the filter.
  @Test(arguments: Trials.seeds(100)) func detailGoesByThePointsThatPass(_ seed: UInt64) throws {
    var random = SplitMix64(seed: 7_000 + seed)
    let tree = try ClusterTree.any(&random)
    for _ in 0..<4 {
      let points = FilteredTree(tree, &random)
      let zoom = random.number(from: 0, to: 20)
      let cut = Cut.detail(random.number(from: 1, to: 60))
        .unclustered(UnclusteredPoints(leastMembers: 2 + random.index(below: 4)))
      var expected: [ClusterID] = []
      func visit(_ cluster: Cluster) throws {
        let members = points.passing(in: cluster.range)
        if members.isEmpty { return }
        let children = try tree.children(of: cluster.id)
        // The zoom comes from the filtered tree, which measures only the passing points.
        let zoomOfSplit = try points.filtered.separationZoom(of: cluster.id, for: cut)
        if !children.isEmpty, let zoomOfSplit, zoomOfSplit <= zoom {
          for child in children { try visit(child) }
        } else if !children.isEmpty, members.count == 1, cut.unclustered.leastMembers > 2 {
          for child in children { try visit(child) }
        } else {
          expected.append(cluster.id)
        }
      }
      if let root = tree.root { try visit(root) }
      let answer = try points.filtered.clusters(cut, in: PlaneWindow.everything, zoom: zoom)
      #expect(answer.map(\.id) == expected, "seed \(seed), \(cut)")
    }
  }

  @Test(arguments: Trials.seeds(100)) func aFilterThatAllPassChangesNothing(_ seed: UInt64) throws {
    var random = SplitMix64(seed: 8_000 + seed)
    let tree = try ClusterTree.any(&random)
    let all = FilteredTree(tree, passes: [Bool](repeating: true, count: tree.pointCount)).filtered
    for _ in 0..<10 {
      let window = PlaneWindow.random(over: tree, &random)
      let zoom = random.number(from: 0, to: 20)
      for cut in [Cut.limit(30), .limit(30, order: .widestFirst), .detail(20), .spacing(44), .badges()].filter(
        tree.supports)
      {
        let (found, expected) = (
          try all.clusters(cut, in: window, zoom: zoom), try tree.clusters(cut, in: window, zoom: zoom)
        )
        #expect(found.elementsEqual(expected) { $0 == $1 && $0.x == $1.x && $0.y == $1.y && $0.spread == $1.spread })
      }
    }
  }

  /// Checks a tree whose clusters are anchored at members. With a filter, a limit and a detail show clusters at their
  /// means, even if all points pass. A spacing leaves clusters at their members.
  @Test(arguments: Trials.seeds(50)) func aFilterMovesAnchoredClustersUnlessTheCutKeepsThemApart(_ seed: UInt64) throws
  {
    let set = PointSet.random(seed: 11_000 + seed)
    let tree = try ClusterTree(
      set.coordinates, as: set.projection,
      options: BuildOptions(growth: .merging(by: .distance), threads: 1, anchor: .member))
    for share in [1, 2] {
      let filtered = FilteredTree(tree, passes: (0..<tree.pointCount).map { $0 % share == 0 }).filtered
      for cut in [Cut.limit(30), .detail(20), .spacing(44)] {
        let answer = try filtered.clusters(cut, in: PlaneWindow.everything, zoom: 5)
        #expect(answer.coordinates == answer.map(\.coordinate))
        for cluster in answer {
          let expected = cut.keepsApart ? try tree.cluster(cluster.id) : nil
          #expect(cluster.x == expected?.x ?? cluster.meanX && cluster.y == expected?.y ?? cluster.meanY)
          let shown = try filtered.shownPosition(of: cluster)
          #expect((shown.x, shown.y) == (cluster.x, cluster.y) && (shown.treeIndex != nil) == cut.keepsApart)
        }
      }
      // A tile shows the clusters whose positions lie in the tile.
      let detail = Cut.detail(20)
      for cluster in try filtered.clusters(detail, in: PlaneWindow.everything, zoom: 5).prefix(20) {
        let (x, y) = (UInt32(cluster.x), min(UInt32(cluster.y), .max - 1))
        let window = PlaneWindow(x: x, width: 1, minY: y, maxY: y + 1)
        #expect(try filtered.clusters(detail, centeredIn: window, zoom: 5).contains { $0.id == cluster.id })
      }
    }
  }

  @Test(arguments: Trials.seeds(100)) func continuingKeepsThePromises(_ seed: UInt64) throws {
    var random = SplitMix64(seed: 9_000 + seed)
    let tree = try ClusterTree.any(&random)
    let outline = try TreeOutline(tree)
    var previous = tree.noClusters
    for _ in 0..<12 {
      let points = FilteredTree(tree, &random)
      let window = PlaneWindow.random(over: tree, &random)
      let limit = 1 + random.index(below: 30)
      let oracle = QueryOracle(outline, window) { points.passes[$0] }
      let answer = try points.filtered.clusters(.limit(limit, continuity: .continuing), in: window, after: previous)
      #expect(answer.count <= limit)
      #expect(answer.allSatisfy { oracle.isVisible($0.range) })
      #expect(answer.reduce(0) { $0 + oracle.insideCount(of: $1.range) } == oracle.insideCount, "seed \(seed)")
      // Clusters that consist of the same points have the same id.
      for cluster in answer {
        let lowest = try points.filtered.clusters(containingTreeIndex: points.passing(in: cluster.range)[0])
        #expect(lowest.contains { $0.id == cluster.id }, "seed \(seed)")
      }
      previous = answer
    }
  }

  @Test(arguments: Trials.seeds(200)) func transitionsBetweenFiltersAddUp(_ seed: UInt64) throws {
    var random = SplitMix64(seed: 10_000 + seed)
    let tree = try ClusterTree.any(&random)
    func answer() throws -> (Clusters, [Bool]) {
      let points = FilteredTree(tree, &random)
      let isFiltered = random.index(below: 5) > 0
      let window = random.index(below: 2) == 0 ? .everything : PlaneWindow.random(over: tree, &random)
      let cut = [Cut.limit(1 + random.index(below: 30)), .detail(30)][random.index(below: 2)]
      let clusters = try (isFiltered ? points.filtered : tree).clusters(
        cut, in: window, zoom: random.number(from: 0, to: 18))
      return (clusters, isFiltered ? points.passes : points.passes.map { _ in true })
    }
    for _ in 0..<6 {
      let ((first, before), (second, after)) = (try answer(), try answer())
      let transition = ClusterTransition(from: first, to: second)
      func out(_ range: Range<Int>) -> Int { range.count { before[$0] && !after[$0] } }
      func `in`(_ range: Range<Int>) -> Int { range.count { after[$0] && !before[$0] } }
      #expect(transition.kept.count == transition.keptBefore.count)
      for (old, new) in zip(transition.keptBefore, transition.kept) {
        #expect(old.id == new.id && old.pointCount == first.first { $0.id == old.id }?.pointCount)
        let counts = transition.filteredPointCounts(in: new.range)
        #expect(counts == (out(new.range), `in`(new.range)))
        #expect(new.pointCount == old.pointCount - counts.out + counts.in)
      }
      for split in transition.splits {
        #expect(split.filteredOutPointCount == out(split.whole.range))
        #expect(split.filteredInPointCount == split.parts.reduce(0) { $0 + `in`($1.range) })
        #expect(
          split.whole.pointCount == split.parts.reduce(0) { $0 + $1.pointCount } - split.filteredInPointCount
            + split.filteredOutPointCount + split.hiddenPointCount)
        #expect(split.hiddenPointCount >= 0)
      }
      for merge in transition.merges {
        #expect(merge.filteredInPointCount == `in`(merge.whole.range))
        #expect(
          merge.whole.pointCount == merge.parts.reduce(0) { $0 + $1.pointCount } - merge.filteredOutPointCount
            + merge.filteredInPointCount + merge.hiddenPointCount)
        #expect(merge.hiddenPointCount >= 0)
      }
      let shown = transition.kept.map(\.id) + transition.added.map(\.id)
      #expect(Set(shown) == Set(second.map(\.id)) && shown.count == second.count)
      let gone = transition.kept.map(\.id) + transition.removed.map(\.id)
      #expect(Set(gone) == Set(first.map(\.id)) && gone.count == first.count)
    }
  }

  @Test(arguments: Trials.seeds(100)) func navigationGoesFromSetToSet(_ seed: UInt64) throws {
    var random = SplitMix64(seed: 11_000 + seed)
    let tree = try ClusterTree.any(&random)
    let points = FilteredTree(tree, &random)
    guard let root = points.filtered.root else {
      #expect(!points.passes.contains(true))
      return
    }
    #expect(root.pointCount == points.filtered.filteredPointCount)
    #expect(root.pointCount == points.passes.count { $0 })
    var stack = [root]
    while let cluster = stack.popLast() {
      let children = try points.filtered.children(of: cluster.id)
      #expect([0, 2].contains(children.count))
      if !children.isEmpty { #expect(children.reduce(0) { $0 + $1.pointCount } == cluster.pointCount) }
      for child in children {
        #expect(try points.filtered.parent(of: child.id)?.id == cluster.id)
        #expect(child.pointCount > 0)
      }
      let nearest = try points.filtered.nearestMember(of: cluster.id)
      let distances = points.passing(in: cluster.range).map { index -> Double in
        let point = tree.position(atTreeIndex: index)
        let dx = Double(point.x &- cluster.rect.minX) - (cluster.meanX - Double(cluster.rect.minX))
        return hypot(dx, Double(point.y) - cluster.meanY)
      }
      if !cluster.rect.isAcrossSeam {
        let index = points.passing(in: cluster.range).firstIndex(of: nearest)!
        #expect(distances[index] <= distances.min()! * (1 + 1e-9) + 1e-3)
      }
      stack += children
    }
    for index in points.passes.indices.prefix(50) {
      #expect(try points.filtered.clusters(containingTreeIndex: index).isEmpty == !points.passes[index])
    }
  }
}
