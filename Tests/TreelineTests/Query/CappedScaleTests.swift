import PointSets
import TestSupport
import Testing
import TreelineBuilder

@_spi(Server) @testable import Treeline

/// Checks queries that combine a detail or a spacing with a limit, with and without unclustered points. By definition,
/// the query uses the least detail or spacing whose answer fits the limit, but at least the requested one. So all
/// properties of answers without a limit hold, and zooming in never merges clusters.
@Suite struct CappedScaleTests {
  static let sets = PointSet.nasty + (1700..<1730).map { PointSet.random(seed: UInt64($0)) }

  @Test(arguments: sets, SplitRule.few) func answersAreThoseOfTheLeastScaleThatHasRoom(
    _ set: PointSet, _ rule: SplitRule
  ) throws {
    let outline = try TreeOutline(set.tree(rule, hasSeparations: true))
    let tree = outline.tree
    var random = SplitMix64(seed: 541)
    for _ in 0..<Trials.count(20) {
      let query = PixelQuery(&random)
      let window = PlaneWindow.random(over: tree, &random)
      let oracle = QueryOracle(outline, window)
      let scales = query.scales(of: outline)
      for limit in [1, 2, 7, 1 + random.index(below: 60)] {
        let expected = scales.lazy.map { query.shown(of: outline, oracle, above: $0) }.first { $0.count <= limit }
        let answer = try Array(query.answer(of: tree, window, limit: limit))
        let name = "\(query) in \(window), limit \(limit), seed 541"
        if let expected {
          #expect(answer == expected, "\(name)")
        } else {
          // No scale fits the limit, because every cluster has fewer members than the least number of members. In this
          // case the query ignores the least number.
          let usual = try query.without.answer(of: tree, window, limit: limit)
          #expect(answer == Array(usual), "\(name)")
        }
        #expect(answer.count <= limit, "\(name)")
      }
    }
  }

  @Test(arguments: sets) func zoomingInRefines(_ set: PointSet) throws {
    let tree = try set.tree(supporting: .spacing)
    var random = SplitMix64(seed: 542)
    for _ in 0..<Trials.count(100) {
      let query = PixelQuery(&random)
      let window = PlaneWindow.random(over: tree, &random)
      let limit = 1 + random.index(below: 60)
      let answer = try Array(query.answer(of: tree, window, limit: limit))
      let part = window.randomPart(&random)
      var closer = query
      closer.zoom += random.number(from: 0, to: 3)
      for (window, closer) in [(part, query), (window, closer), (part, closer)] {
        #expect(
          try unrefined(Array(closer.answer(of: tree, window, limit: limit)), by: answer) == [],
          "\(closer) in \(window), limit \(limit), after \(query), seed 542")
      }
    }
  }

  /// Guards against an old fault: a limit left clusters whole that were too close to parts of other clusters.
  @Test func aLimitKeepsTheSpacing() throws {
    let tree = try PointSet.cities(5000, seed: 543).tree(supporting: .spacing)
    for zoom in [2.0, 3.7, 5] {
      let least = 44 * Plane.unitsPerPixel(zoom: zoom)
      for limit in [5, 20, 60] {
        let clusters = try Array(tree.clusters(.spacing(44).atMost(limit), in: PlaneWindow.everything, zoom: zoom))
        let all = try tree.clusters(.spacing(44), in: PlaneWindow.everything, zoom: zoom).count
        #expect(clusters.count <= limit && 2 * clusters.count >= min(limit, all))
        for (number, a) in clusters.enumerated() {
          for b in clusters[..<number] {
            let (x, y) = (a.meanX - b.meanX, a.meanY - b.meanY)
            #expect(x * x + y * y >= least * least, "\(a.id) and \(b.id), zoom \(zoom), limit \(limit)")
          }
        }
      }
    }
  }

  /// Guards against an old fault: to use up the limit, the query showed clusters closer to each other than the spacing.
  @Test func pointsThatHaveNoRoomToStandAloneLeaveTheSpacingAsItIs() throws {
    let tree = try PointSet.cities(5000, seed: 545).tree(supporting: .spacing)
    let alone = UnclusteredPoints(fromZoom: 3)
    for limit in [20, 200, 2000] {
      let usual = try tree.clusters(.spacing(44).atMost(limit), in: PlaneWindow.everything, zoom: 4)
      let answer = try tree.clusters(.spacing(44).atMost(limit).unclustered(alone), in: PlaneWindow.everything, zoom: 4)
      #expect(Array(answer) == Array(usual), "limit \(limit)")
    }
    #expect(
      try tree.clusters(.spacing(44).atMost(5000).unclustered(alone), in: PlaneWindow.everything, zoom: 4).allSatisfy(
        \.rect.isPoint))
  }

  /// No two clusters have the same detail, so almost as many clusters are shown as the limit allows.
  @Test func aDetailUsesItsLimit() throws {
    let tree = try PointSet.cities(5000, seed: 544).tree(supporting: .spacing)
    for limit in [1, 10, 100, 1000] {
      let count = try tree.clusters(.detail(1).atMost(limit), in: PlaneWindow.everything, zoom: 20).count
      #expect(count <= limit && count * 20 >= limit * 19, "\(count) of \(limit)")
    }
  }
}

extension PixelQuery {
  /// The same query without a least number of members.
  fileprivate var without: PixelQuery { unclustered(UnclusteredPoints(fromZoom: alone.fromZoom)) }

  /// Returns how coarse a cluster is, in the same unit as `scales(of:)`.
  private func coarseness(_ entry: TreeOutline.Entry, of outline: TreeOutline) -> Double {
    switch criterion {
    case .detail: return entry.cluster.spread.trace
    case .spacing, .badges:
      let right = outline.entries[entry.children[1]].cluster
      return outline.tree.withStorage { Double($0.separations![right.range.lowerBound]) }
    }
  }

  /// Returns the requested scale and all greater scales at which the answer changes. If the query asks for unclustered
  /// points, the scale at which all points are unclustered comes first.
  fileprivate func scales(of outline: TreeOutline) -> [Double] {
    let units = pixels * Plane.unitsPerPixel(zoom: zoom)
    let asked =
      switch criterion {
      case .detail: units * units
      case .spacing, .badges: Double(SeparationCode(atLeast: units + 2).rawValue) - 1
      }
    let all = Set(outline.entries.filter { !$0.children.isEmpty }.map { coarseness($0, of: outline) })
    return (zoom < alone.fromZoom ? [] : [-.infinity]) + [asked] + all.filter { $0 > asked }.sorted()
  }

  fileprivate func shown(of outline: TreeOutline, _ oracle: QueryOracle, above scale: Double) -> [Cluster] {
    var shown: [Cluster] = []
    func visit(_ number: Int) {
      let entry = outline.entries[number]
      guard oracle.isVisible(entry.cluster.range) else { return }
      let isSplit =
        !entry.children.isEmpty
        && (entry.cluster.pointCount < alone.leastMembers || coarseness(entry, of: outline) > scale)
      if isSplit { entry.children.forEach(visit) } else { shown.append(entry.cluster) }
    }
    if !outline.entries.isEmpty { visit(0) }
    return shown
  }
}
