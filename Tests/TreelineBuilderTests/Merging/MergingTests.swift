import PointSets
import TestSupport
import Testing
@_spi(Server) @testable import Treeline

@testable import TreelineBuilder

@Suite struct MergingTests {
  @Test(arguments: [
    PointSet.cities(20_000, seed: 501), .uniformWorld(10_000, seed: 502), .coarse(10_000, side: 40, seed: 503),
    .antimeridian(5_000, seed: 504), .roads(10_000, seed: 505),
  ]) func theTreeIsAFunctionOfTheSetOfPoints(_ set: PointSet) throws {
    for metric in MergeMetric.allCases {
      let tree = try set.mergedTree(by: metric)
      for other in try [
        set.mergedTree(by: metric, threads: 3), set.shuffled(seed: 506).mergedTree(by: metric, threads: 2),
      ] {
        #expect(other.contentHash == tree.contentHash, "\(set), \(metric)")
        #expect(other.scales == tree.scales, "\(set), \(metric)")
      }
    }
  }

  /// Checks that merging in parts gives the same tree, for parts of any size and for any number of threads. In one set,
  /// the gaps between the points of a line decrease slowly. This line is merged from its far end, so many points must
  /// be merged again at the borders of parts.
  @Test(arguments: [
    PointSet.cities(20_000, seed: 523), .uniformWorld(10_000, seed: 524), .coarse(10_000, side: 60, seed: 525),
    .antimeridian(5_000, seed: 526), .roads(10_000, seed: 527), .nullIsland(stack: 3_000, noise: 3_000, seed: 528),
    .geometricSpread(.spiral), MergingTests.shrinkingGaps,
  ]) func partsMakeTheSameTree(_ set: PointSet) throws {
    for (metric, anchor) in [
      (.distance, .mean), (.badges, .mean), (.scatter, .mean), (.badges, .member),
    ] as [(MergeMetric, ClusterAnchor)] {
      let tree = try set.mergedTree(by: metric, anchor: anchor)
      for (leavesInPart, threads) in [(100, 3), (700, 2), (4_000, 1)] {
        let other = try set.mergedTree(by: metric, anchor: anchor, threads: threads, leavesInPart: leavesInPart)
        #expect(other.hasSameContent(as: tree), "\(set), \(metric), at a \(anchor), parts of \(leavesInPart)")
      }
    }
  }

  /// If all distances are equal, a border between two parts affects all points. In the end, all points are merged again
  /// as one part.
  @Test(arguments: [MergeMetric.distance, .badges]) func latticesAreMergedAsAWhole(metric: MergeMetric) throws {
    let set = PointSet.lattice(columns: 160, rows: 160, step: 1 << 12)
    let tree = try set.mergedTree(by: metric)
    for leavesInPart in [2_000, 8_000] {
      let other = try set.mergedTree(by: metric, threads: 2, leavesInPart: leavesInPart)
      #expect(other.hasSameContent(as: tree), "in parts of \(leavesInPart)")
    }
    var options = BuildOptions(growth: .merging(by: .badges))
    options.leavesInPart = 8_000
    #expect(try MergeReport(merging: set.coordinates, options: options).partCount == 1)
  }

  /// Checks that merging in parts does not give up if the points are not a lattice.
  @Test(arguments: [
    PointSet.cities(20_000, seed: 523), .uniformWorld(10_000, seed: 524), .roads(10_000, seed: 527),
  ]) func ordinaryPointsAreMergedInParts(_ set: PointSet) throws {
    for metric in [MergeMetric.distance, .badges] {
      var options = BuildOptions(growth: .merging(by: metric), threads: 2)
      options.leavesInPart = 700
      #expect(try MergeReport(merging: set.coordinates, options: options).partCount > 1, "\(set), \(metric)")
    }
  }

  /// Borders through uniform points are long, so that parts would take more time than they save.
  @Test func partsAreMergedWhereTheyPay() throws {
    let options = BuildOptions(growth: .merging(by: .badges), threads: 2)
    func partCount(_ set: PointSet) throws -> Int {
      try MergeReport(merging: set.coordinates, options: options).partCount
    }
    #expect(try partCount(.cities(100_000, seed: 529)) > 1)
    #expect(try partCount(.uniformWorld(100_000, seed: 530)) == 1)
  }

  static let shrinkingGaps = PointSet(
    "shrinking gaps",
    sequence(first: (place: -170.0, gap: 0.25)) { ($0.place + $0.gap, $0.gap * 0.9993) }.prefix(3000)
      .map { Coordinate(longitude: $0.place, latitude: $0.place / 3) })

  @Test func nothingAndOnePositionAreTrees() throws {
    #expect(try PointSet("none", []).mergedTree().root == nil)
    #expect(try PointSet("none", []).mergedTree(by: .badges).supports(.badges()))
    for count in [1, 2, 17, 1000] {
      let place = Coordinate(longitude: 3, latitude: 4)
      let tree = try PointSet("\(count) at one position", Array(repeating: place, count: count)).mergedTree()
      #expect(tree.root?.pointCount == count && tree.scales.allSatisfy { $0 == 0 })
      #expect((0..<count).allSatisfy { tree.row(atTreeIndex: $0) == $0 })
    }
  }

  /// Checks trees whose clusters are positioned at members. The same clusters are shown at a zoom for any order of the
  /// rows, any number of threads, and any window.
  @Test(arguments: [
    PointSet.cities(5_000, seed: 519), .coarse(3_000, side: 30, seed: 520), .antimeridian(3_000, seed: 521),
  ]) func clustersAreAnchoredAtMembers(_ set: PointSet) throws {
    for metric in [MergeMetric.distance, .badges] {
      let tree = try set.mergedTree(by: metric, anchor: .member)
      let other = try set.shuffled(seed: 522).mergedTree(by: metric, anchor: .member, threads: 3)
      #expect(tree.anchor == .member && other.scales == tree.scales)
      #expect(try set.mergedTree(by: metric).anchor == .mean)
      let positions = tree.positions
      let cut = metric == .badges ? Cut.badges() : .spacing(44)
      for zoom in [0.0, 3, 6, 9, 14] {
        let shown = try tree.clusters(cut, in: .everything(zoom: zoom))
        #expect(try shown.map(\.coordinate) == other.clusters(cut, in: .everything(zoom: zoom)).map(\.coordinate))
        for cluster in shown {
          let anchor = try tree.shownPosition(of: cluster)
          let index = try #require(anchor.treeIndex)
          #expect(cluster.range.contains(index) && anchor.x == cluster.x && anchor.y == cluster.y)
          #expect(cluster.x == Double(positions[index].x) && cluster.y == Double(positions[index].y))
          #expect(try tree.shownPosition(of: cluster, at: .mean).x == cluster.meanX)
        }
        // One window for each half of the world.
        let halves = try [
          PlaneWindow(x: 0, width: 1 << 31 - 1, minY: 0, maxY: .max),
          .init(x: 1 << 31, width: 1 << 31 - 1, minY: 0, maxY: .max),
        ]
        .map { try tree.clusters(cut, centeredIn: $0, zoom: zoom) }
        #expect(Set(halves[0].map(\.id)).union(halves[1].map(\.id)) == Set(shown.map(\.id)))
        #expect(halves[0].count + halves[1].count == shown.count)
      }
    }
    #expect(try set.mergedTree(by: .scatter, anchor: .member).anchor == .mean)
  }

  /// Checks that only a merge by distance gives a tree that answers queries with a spacing.
  @Test func onlyAMergeByDistanceKeepsASpacing() throws {
    for set in [PointSet.cities(500, seed: 507), .none] {
      for growth in [Growth.merging(by: .distance), .merging(by: .badges), .merging(by: .scatter), .splitting(.mean)] {
        let tree = try ClusterTree(set.coordinates, options: BuildOptions(growth: growth))
        #expect(tree.hasSeparations == (growth == .merging(by: .distance)) && tree.growth == growth)
        #expect((tree.badgeCurve != nil) == (growth == .merging(by: .badges)))
        #expect(tree.splitRule == growth.splitRule)
        if !tree.hasSeparations {
          #expect(throws: QueryError.self) { try tree.clusters(.spacing(44), in: .everything(zoom: 3)) }
        }
      }
    }
  }

  /// With a spacing of 44 px, a merged tree shows more clusters than a split tree. So points are closer to their
  /// clusters.
  @Test func spacingShowsMoreThanOfATreeThatWasSplit() throws {
    let set = PointSet.cities(20_000, seed: 508)
    let trees = try [set.mergedTree(), set.tree(.leastScatter, hasSeparations: true)]
    for zoom in [6.0, 8, 10] {
      let counts = try trees.map { try $0.clusters(.spacing(44), in: .everything(zoom: zoom)).count }
      #expect(Double(counts[0]) > 1.1 * Double(counts[1]), "zoom \(zoom): \(counts)")
    }
  }

  /// If a tree would be too deep, its scales are rounded to a few steps. Checks that this makes the tree shallow.
  @Test(arguments: [
    PointSet.cities(20_000, seed: 509), .geometricSpread(.spiral), .coarse(10_000, side: 40, seed: 510),
    .nullIsland(stack: 3_000, noise: 1_000, seed: 511),
  ]) func coarseScalesBoundTheDepth(_ set: PointSet) throws {
    for metric in MergeMetric.allCases {
      for anchor in Trials.some(of: ClusterAnchor.allCases) { try checkCoarseScales(of: set, metric, anchor) }
    }
  }

  private func checkCoarseScales(of set: PointSet, _ metric: MergeMetric, _ anchor: ClusterAnchor) throws {
    let exact = try set.mergedTree(by: metric, anchor: anchor)
    let coarse = try set.mergedTree(by: metric, anchor: anchor, maximumDepth: 4)
    #expect(try coarse.shape().depth <= 31 + 256)
    #expect(coarse.withStorage { $0.mergeTraits.contains(.coarseScales) })
    let shuffled = try set.shuffled(seed: 512).mergedTree(by: metric, anchor: anchor, maximumDepth: 4)
    #expect(shuffled.contentHash == coarse.contentHash)
    #expect(coarse.root?.pointCount == exact.root?.pointCount)
    guard metric.keepsApart else { return }
    let codes = coarse.scales.filter { $0 != 0 }.map { SeparationCode(rawValue: $0) }
    #expect(codes.allSatisfy { $0.coarse == $0 } && Set(codes).count <= 128)
    // If the distance is one of the steps, both trees show the same clusters.
    for code in Set(codes) {
      #expect(try coarse.shown(below: code) == exact.shown(below: code), "\(set) at \(code.rawValue)")
    }
  }

  /// Tests a stack and 1168 single points around it, each farther away than the one before it. From one distance to
  /// twice that distance, only about five points join the stack one by one, however many points lie between. So the
  /// tree is shallow.
  @Test(arguments: MergeMetric.allCases) func aStackInRingsIsShallow(_ metric: MergeMetric) throws {
    let set = PointSet.stackInRings(stack: 1_000_000, rings: 1168)
    let tree = try set.mergedTree(by: metric, threads: 2)
    #expect(try tree.shape().depth <= MergeTree.maximumDepth)
    #expect(tree.withStorage { $0.mergeTraits.isEmpty })
    #expect(try set.mergedTree(by: metric, threads: 2, maximumDepth: 4).shape().depth <= 31 + 256)
  }

  /// Checks that badges of different sizes never touch, at any zoom and any scale. Also checks that at least as many
  /// badges are shown as with a spacing of 44 px, about the size of the largest badge.
  @Test(arguments: [
    PointSet.cities(10_000, seed: 513), .uniformWorld(5_000, seed: 514), .coarse(5_000, side: 40, seed: 515),
    .antimeridian(3_000, seed: 516), .nullIsland(stack: 3_000, noise: 1_000, seed: 517), .geometricSpread(.spiral),
  ]) func drawnBadgesNeverTouch(_ set: PointSet) throws {
    let curve = BadgeCurve.standard.gap(1.5)
    let tree = try set.mergedTree(by: .badges, badges: curve, threads: 2)
    let coarse = try set.mergedTree(by: .badges, badges: curve, maximumDepth: 4)
    let atMembers = try set.mergedTree(by: .badges, badges: curve, anchor: .member, threads: 2)
    let coarseAtMembers = try set.mergedTree(by: .badges, badges: curve, anchor: .member, maximumDepth: 4)
    for step in 0..<30 {
      let (zoom, scale) = (Double(step) * 0.61, [0.5, 1, 2][step % 3])
      for tree in [tree, coarse, atMembers, coarseAtMembers] {
        let shown = Array(try tree.clusters(.badges(scale: scale), in: .everything(zoom: zoom)))
        #expect(shown.reduce(0) { $0 + $1.pointCount } == set.coordinates.count)
        #expect(
          tree.leastGap(of: shown, .badges(scale: scale), zoom: zoom) >= 1.5 * scale,
          "\(set), zoom \(zoom), \(tree.anchor), \(tree.withStorage(\.mergeTraits))")
      }
    }
    let spaced = try set.mergedTree().clusters(.spacing(44), in: .everything(zoom: 6)).count
    #expect(try tree.clusters(.badges(), in: .everything(zoom: 6)).count >= spaced)
  }

  @Test func badgesNeedATreeGrownForThem() throws {
    let set = PointSet.cities(500, seed: 518)
    let (badges, spaced) = try (set.mergedTree(by: .badges), set.mergedTree())
    #expect(badges.supports(.badges()) && !badges.supports(.spacing(44)) && !badges.hasSeparations)
    #expect(!spaced.supports(.badges()) && spaced.supports(.spacing(44)) && spaced.badgeCurve == nil)
    let all = Viewport.everything(zoom: 3)
    #expect(throws: QueryError.noBadges) { try spaced.clusters(.badges(), in: all) }
    #expect(throws: QueryError.grownForBadges) { try badges.clusters(.spacing(44), in: all) }
    #expect(throws: QueryError.notALength(name: "badges", found: -1)) {
      try badges.clusters(.badges(scale: -1), in: all)
    }
    #expect(try badges.clusters(.badges(scale: 0), in: all).count == badges.shape().positionCount)
    let root = try #require(badges.root)
    #expect(badges.badgeDiameter(of: root, for: .badges(scale: 2)) == 86.0)
    #expect(badges.badgeDiameter(of: root, for: .limit(3)) == nil)
    #expect(Cut.badges().unclustered(UnclusteredPoints(leastMembers: 9)) == .badges())
  }

  @Test func codesAreRoundedToTwoBits() {
    for rawValue in 0..<SeparationCode.beyondAll.rawValue {
      let code = SeparationCode(rawValue: rawValue)
      let square = code.coarse.squaredDistance
      #expect(code.coarse <= code && (square == 0) == (rawValue == 0))
      #expect(square.nonzeroBitCount <= 2 && (rawValue >= 2048 || square > code.squaredDistance / 2 || rawValue < 2))
    }
  }
}

/// Tests points one degree apart all around the world. Wherever the seam is, clusters lie across it.
@Suite struct MergingAcrossTheSeamTests {
  static let ring = PointSet(
    "ring", (-180..<180).map { Coordinate(longitude: Double($0) + 0.25, latitude: $0 % 2 == 0 ? 0 : 0.1) })

  @Test(arguments: [0.0, 0.5, 1, 1.5, 2, 2.5, 3]) func badgesAreApartAllAroundTheWorld(zoom: Double) throws {
    let tree = try Self.ring.mergedTree()
    let shown = Array(try tree.clusters(.spacing(44), in: .everything(zoom: zoom)))
    #expect(shown.reduce(0) { $0 + $1.pointCount } == 360)
    let pixel = Plane.unitsPerPixel(zoom: zoom)
    for (index, a) in shown.enumerated() {
      for b in shown[(index + 1)...] {
        let plain = abs(a.meanX - b.meanX)
        let around = min(plain, 0x1p32 - plain)
        // Two clusters are not merged across the seam if together they are half the world wide or wider.
        let isWide = Double(a.rect.width) + Double(b.rect.width) + around >= 0x1p31
        #expect((isWide ? plain : around) >= 44 * pixel, "zoom \(zoom): \(a) and \(b)")
      }
    }
    #expect(zoom < 1 || zoom > 2 || shown.contains { $0.rect.isAcrossSeam } || shown.count < 8)
  }

  @Test func aClusterAcrossTheSeamIsSeenFromBothSides() throws {
    let tree = try Self.ring.mergedTree()
    let across = (0..<40).lazy.compactMap { step in
      try? tree.clusters(.spacing(44), in: .everything(zoom: Double(step) / 8)).first { $0.rect.isAcrossSeam }
    }.first
    let cluster = try #require(across)
    let (rect, bounds) = (cluster.rect, cluster.bounds)
    #expect(cluster.meanX < 0x1p32 && rect.width < 1 << 31)
    #expect(UInt32(cluster.meanX) &- rect.minX <= rect.width)
    #expect(bounds.width < 180, "\(bounds)")
    for point in tree.positions[cluster.range] { #expect(point.x &- rect.minX <= rect.width) }
    // Tests a window on either side of the seam, and a window on the other side of the world.
    for (x, isSeen) in [(rect.minX, true), (rect.maxX &- 1000, true), (rect.minX &+ 1 << 31, false)] {
      let window = PlaneWindow(x: x, width: 1000, minY: 0, maxY: .max)
      for cut in [Cut.limit(10_000), .limit(10_000, order: .widestFirst), .spacing(0.5), .detail(0.5)] {
        let found = try tree.clusters(cut, in: window, zoom: 8)
        #expect(found.contains { cluster.range.contains($0.range.lowerBound) } == isSeen, "\(cut) at \(x)")
      }
    }
    let hull = tree.convexHull(of: cluster)
    #expect(hull.count >= 2)
    let member = try tree.nearestMember(of: cluster.id)
    #expect(cluster.range.contains(member))
    let nearest = tree.position(atTreeIndex: member).x &- UInt32(cluster.meanX)
    #expect(min(nearest, 0 &- nearest) < 1 << 24)
  }
}

extension BoundingBox { fileprivate var width: Double { east >= west ? east - west : east - west + 360 } }

extension ClusterTree {
  /// Returns the smallest gap between any two badges of an answer, in pixels.
  fileprivate func leastGap(of shown: [Cluster], _ cut: Cut, zoom: Double) -> Double {
    let badges = shown.map { (x: $0.x, y: $0.y, $0.rect, radius: badgeDiameter(of: $0, for: cut)! / 2) }
      .sorted { $0.x < $1.x }
    let (pixel, isCyclic) = (Plane.unitsPerPixel(zoom: zoom), plane.projection == .webMercator)
    let reach = 150 * pixel
    var least = Double.infinity
    for (index, a) in badges.enumerated() where badges.count > 1 {
      for step in 1..<badges.count {
        let isBeyond = index + step >= badges.count
        if isBeyond && (!isCyclic || a.2.width > 1 << 30) { break }
        let b = badges[(index + step) % badges.count]
        let dx = isBeyond ? b.x + 0x1p32 - a.x : b.x - a.x
        if dx > reach || dx > 0x1p31 { break }
        // Two clusters are not merged across the seam if together they are half the world wide or wider.
        if isBeyond && b.2.width > 1 << 30 { continue }
        let distance = (dx * dx + (a.y - b.y) * (a.y - b.y)).squareRoot() / pixel
        least = min(least, distance - a.radius - b.radius)
      }
    }
    return least
  }

  var scales: [UInt16] {
    withStorage { storage in storage.separations.map { codes in (0..<pointCount).map { codes[$0] } } ?? [] }
  }

  /// Returns the clusters that are shown if any two must be a distance apart: the rows of each cluster, and its
  /// position.
  fileprivate func shown(below code: SeparationCode) throws -> [Set<Int>: PlanePoint] {
    try withStorage { storage in
      var (shown, stack) = ([Set<Int>: PlanePoint](), [storage.root!])
      while let node = stack.popLast() {
        if let (left, right) = try storage.children(of: node), storage.separations![Int(right.first)] >= code.rawValue {
          stack += [left, right]
        } else {
          shown[Set(node.range.map { row(atTreeIndex: $0) })] = storage.anchorPosition(of: node)
        }
      }
      return shown
    }
  }
}
