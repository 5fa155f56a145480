import Foundation
import PointSets
import TestSupport
import Testing
import TreelineBuilder
import TreelineVerification

@_spi(Server) @testable import Treeline

/// Checks that groups never mix, and that each group gives the same answers as a tree of only the points of the group.
@Suite struct GroupTests {
  static let growths: [BuildOptions] = [
    BuildOptions(growth: .splitting(.leastScatter)),
    BuildOptions(growth: .splitting(.mean)),
    BuildOptions(growth: .merging(by: .distance)),
    BuildOptions(growth: .merging(by: .distance), anchor: .member),
    BuildOptions(growth: .merging(by: .badges)),
    BuildOptions(growth: .merging(by: .scatter)),
  ]

  /// Random points in several groups. Each group contains two opposite corners of the plane, so that a tree of this
  /// group alone has the same plane.
  struct Points {
    var coordinates: [Coordinate] = []
    var groups: [PointGroups.Group] = []

    init(_ random: inout SplitMix64, groupCount: Int, neverClustered: Int = 0) {
      for group in 0..<groupCount {
        coordinates += [Coordinate(x: 0, y: 0), Coordinate(x: 1000, y: 1000)]
        groups += [.named("kind \(group)"), .named("kind \(group)")]
        for _ in 0..<(group % 3 == 0 ? random.index(below: 4) : random.index(below: 200)) {
          let isStacked = random.index(below: 9) == 0
          coordinates.append(isStacked ? coordinates.last! : Self.coordinate(&random))
          groups.append(.named("kind \(group)"))
        }
      }
      for number in 0..<neverClustered {
        coordinates.append(number % 5 == 4 ? coordinates.last! : Self.coordinate(&random))
        groups.append(.neverClustered)
      }
      let order = random.shuffled(Array(coordinates.indices))
      (coordinates, groups) = (order.map { coordinates[$0] }, order.map { groups[$0] })
    }

    private static func coordinate(_ random: inout SplitMix64) -> Coordinate {
      Coordinate(x: (500 + 150 * random.bell()).clamped, y: (500 + 150 * random.bell()).clamped)
    }

    func tree(_ options: BuildOptions) throws -> ClusterTree {
      try ClusterTree(coordinates, groupedBy: PointGroups(groups), as: .planar, options: options).withSeparations()
    }

    func tree(of name: String, _ options: BuildOptions) throws -> ClusterTree {
      let own = coordinates.indices.filter { groups[$0] == .named(name) }.map { coordinates[$0] }
      return try ClusterTree(own, as: .planar, options: options).withSeparations()
    }
  }

  private static func view(_ random: inout SplitMix64) -> Viewport {
    let (x, y) = (random.number(from: 0, to: 900), random.number(from: 0, to: 900))
    let zoom = random.number(from: 0, to: 8)
    if random.index(below: 3) == 0 { return .everything(zoom: zoom) }
    return Viewport(
      BoundingBox(
        west: x, south: y, east: x + random.number(from: 1, to: 600), north: y + random.number(from: 1, to: 600)),
      zoom: zoom)
  }

  private static func pixelCuts(_ random: inout SplitMix64, of tree: ClusterTree) -> [Cut] {
    let pixels = random.number(from: 0, to: 90)
    let cuts: [Cut] = [.detail(pixels), .spacing(pixels), .badges(scale: pixels / 40)]
    return cuts.filter(tree.supports).flatMap { [$0, $0.unclustered(UnclusteredPoints(leastMembers: 4))] }
  }

  private struct Shown: Hashable {
    let (x, y): (Double, Double)
    let count: Int
    let rect: PlaneRect

    init(_ cluster: Cluster) { (x, y, count, rect) = (cluster.x, cluster.y, cluster.pointCount, cluster.rect) }
  }

  @Test(arguments: growths) func eachGroupAnswersAsItsTreeAlone(_ options: BuildOptions) throws {
    let seed = UInt64.random(in: 0...(.max))
    var random = SplitMix64(seed: seed)
    for groupCount in [1, 2, 3, 6, 11] {
      let points = Points(&random, groupCount: groupCount, neverClustered: random.index(below: 9))
      let tree = try points.tree(options)
      #expect(tree.problems() == [], "seed \(seed)")
      #expect(tree.groups.map(\.name) == (0..<groupCount).map { "kind \($0)" }.sorted())
      for group in tree.groups {
        let alone = try points.tree(of: group.name, options)
        #expect(group.cluster.map(Shown.init) == alone.root.map(Shown.init))
        for _ in 0..<Trials.count(12, seed: seed) {
          let view = Self.view(&random)
          for cut in Self.pixelCuts(&random, of: tree) {
            let own = try tree.clusters(cut, in: view).filter { tree.group(of: $0) == group.name }
            #expect(own.map(Shown.init) == (try alone.clusters(cut, in: view)).map(Shown.init), "seed \(seed): \(cut)")
            let tile = try tree.clusters(cut, centeredIn: view).filter { tree.group(of: $0) == group.name }
            #expect(tile.map(Shown.init) == (try alone.clusters(cut, centeredIn: view)).map(Shown.init), "seed \(seed)")
          }
        }
      }
    }
  }

  /// Checks the conditions that hold for every answer of every tree, with or without a filter.
  private func check(
    _ answer: Clusters, _ view: Viewport, limit: Int, of tree: ClusterTree, _ points: Points, _ hint: String
  )
    throws
  {
    #expect(answer.count <= limit, "\(hint)")
    // A view may be so far away that it contains no part of the plane.
    guard let window = try view.located(on: tree.plane)?.window else {
      #expect(answer.isEmpty, "\(hint)")
      return
    }
    var shown = Set<Int>()
    for cluster in answer {
      let rows = Array(tree.members(of: cluster))
      #expect(rows.count == cluster.pointCount && shown.isDisjoint(with: rows), "\(hint)")
      shown.formUnion(rows)
      #expect(Set(rows.map { points.groups[$0] }).count == 1, "\(hint): groups mix")
      #expect(tree.group(of: cluster).map { .named($0) } ?? .neverClustered == points.groups[rows[0]], "\(hint)")
      if points.groups[rows[0]] == .neverClustered {
        #expect(cluster.pointCount == 1 || cluster.isStack, "\(hint)")
        #expect(try tree.parent(of: cluster.id) == nil && tree.children(of: cluster.id).isEmpty)
      }
      #expect(try tree.cluster(cluster.id) == cluster, "\(hint)")
      #expect(try tree.ancestors(of: cluster.id).allSatisfy { tree.group(of: $0) == tree.group(of: cluster) })
    }
    for treeIndex in 0..<tree.pointCount
    where tree.passes(treeIndex) && window.contains(tree.position(atTreeIndex: treeIndex)) {
      #expect(shown.contains(tree.row(atTreeIndex: treeIndex)), "\(hint): a point in view is missing")
    }
  }

  @Test(arguments: growths) func answersKeepTheirPromises(_ options: BuildOptions) throws {
    let seed = UInt64.random(in: 0...(.max))
    var random = SplitMix64(seed: seed)
    for groupCount in [0, 1, 4, 9] {
      let points = Points(
        &random, groupCount: groupCount, neverClustered: groupCount == 0 ? 40 : random.index(below: 40))
      let numbers = points.coordinates.map { _ in random.index(below: 100) }
      let column = IndexColumn(name: "number", kind: .number) { .number("\(numbers[$0])") }
      let written = try points.tree(options)
      let index = IndexBytes(try written.indexBytes(columns: [column]))
      #expect(try index.problems() == [], "seed \(seed)")
      let whole = try index.open()
      #expect(whole.neverClusteredPointCount == points.groups.count { $0 == .neverClustered })
      var previous = whole.noClusters
      for number in 0..<Trials.count(60, seed: seed) {
        let tree = number % 3 == 0 ? whole : try whole.filtered(by: Filter("number < \(10 + number)"))
        let view = Self.view(&random)
        let limit = 1 + random.index(below: 60)
        let cuts: [Cut] =
          Self.pixelCuts(&random, of: tree).map { $0.atMost(limit) } + [
            .limit(limit), .limit(limit, order: .widestFirst), .limit(limit, order: .steepestFirst),
            .limit(limit, continuity: .continuing),
          ]
        for cut in cuts {
          let hint = "seed \(seed): \(cut) of \(groupCount) groups"
          do {
            let answer = try tree.clusters(cut, in: view, after: previous)
            try check(answer, view, limit: limit, of: tree, points, hint)
            let transition = ClusterTransition(from: previous, to: answer)
            #expect(transition.kept.count + transition.added.count == answer.count, "\(hint)")
            #expect(transition.keptBefore.count + transition.removed.count == previous.count, "\(hint)")
            previous = answer
          } catch QueryError.limitBelowGroups(let found, let needed) {
            #expect(found == limit && needed > limit, "\(hint)")
            // If the limit is just high enough, each group is one cluster.
            let answer = try tree.clusters(cut.atMost(needed), in: view)
            try check(answer, view, limit: needed, of: tree, points, hint)
            #expect(answer.count == needed, "\(hint)")
          }
        }
      }
    }
  }

  @Test(arguments: growths) func answersOfPartsOfAViewRefineThose(_ options: BuildOptions) throws {
    let seed = UInt64.random(in: 0...(.max))
    var random = SplitMix64(seed: seed)
    let tree = try Points(&random, groupCount: 5, neverClustered: 6).tree(options)
    for _ in 0..<Trials.count(100, seed: seed) {
      let (x, y, size) = (
        random.number(from: 0, to: 500), random.number(from: 0, to: 500), random.number(from: 1, to: 500)
      )
      func box(_ inset: Double) -> BoundingBox {
        BoundingBox(west: x + inset, south: y + inset, east: x + size - inset, north: y + size - inset)
      }
      for cut: Cut in [
        .limit(20), .limit(20, order: .widestFirst), .limit(20, order: .steepestFirst), .detail(3).atMost(20),
        .detail(3).atMost(20).unclustered(UnclusteredPoints(leastMembers: 4)),
      ] {
        let outer = try tree.clusters(cut, in: Viewport(box(0), zoom: 4))
        let inner = try tree.clusters(cut, in: Viewport(box(size / 4), zoom: 4))
        for cluster in inner {
          #expect(
            outer.contains {
              $0.range.lowerBound <= cluster.range.lowerBound && cluster.range.upperBound <= $0.range.upperBound
            },
            "seed \(seed): \(cut)")
        }
      }
    }
  }

  @Test func theSameRowsInAnyOrderGiveTheSameBytes() throws {
    var random = SplitMix64(seed: 20)
    let points = Points(&random, groupCount: 7, neverClustered: 20)
    for options in Self.growths {
      let tree = try points.tree(options)
      var shuffled = points
      let order = random.shuffled(Array(points.groups.indices))
      (shuffled.coordinates, shuffled.groups) = (order.map { points.coordinates[$0] }, order.map { points.groups[$0] })
      var single = options
      single.threads = 1
      let other = try shuffled.tree(single)
      func bytes(_ tree: ClusterTree) -> [[UInt8]] {
        tree.withStorage { storage in storage.fixedSections.map { Array($0.bytes) } + [storage.groups!.bytes] }
      }
      #expect(bytes(tree) == bytes(other) && tree.contentHash == other.contentHash)
    }
  }

  @Test func nodesAboveGroupsAreNoClusters() throws {
    var random = SplitMix64(seed: 21)
    let tree = try Points(&random, groupCount: 3, neverClustered: 3).tree(Self.growths[0])
    let root = try #require(tree.root)
    #expect(root.pointCount == tree.pointCount)
    #expect(throws: QueryError.unknownCluster(root.id)) { try tree.cluster(root.id) }
    #expect(throws: QueryError.unknownCluster(root.id)) { try tree.clusters(withIDs: [root.id]) }
    for group in tree.groups { #expect(try tree.parent(of: try #require(group.cluster).id) == nil) }
    #expect(throws: QueryError.self) { try tree.clusters(.limit(3), in: .everything) }
  }

  @Test func anIndexWithoutGroupsHasNone() throws {
    let tree = try PointSet.cities(60, clusters: 3, seed: 71).tree()
    #expect(!tree.isGrouped && tree.groups.isEmpty && tree.neverClusteredPointCount == 0)
    #expect(tree.group(of: try #require(tree.root)) == nil)
    #expect(try IndexEditor(tree.indexBytes()).header.minorVersion == 0)
  }

  @Test func thereAreAtMostSoManyGroups() {
    #expect(throws: BuildError.tooManyGroups(found: 4097)) { try PointGroups((0...4096).map { .named("\($0)") }) }
  }

  @Test func anOlderReaderRefusesGroups() throws {
    var random = SplitMix64(seed: 22)
    let bytes = try Points(&random, groupCount: 2).tree(Self.growths[0]).indexBytes()
    var editor = try IndexEditor(bytes)
    #expect(editor.header.minorVersion == 3)
    editor.store(2 as UInt16, at: 10)
    let older = editor.withHeaderRepaired()
    #expect(throws: IndexError.self) { try older.open() }
  }

  @Test func damagedGroupsAreFoundAndHarmless() throws {
    var random = SplitMix64(seed: 23)
    let bytes = try Points(&random, groupCount: 5, neverClustered: 7).tree(Self.growths[0]).indexBytes()
    let section = try #require(try IndexEditor(bytes).header.sections.first { $0.kind == .groups })
    #expect(section.isRequired)
    var foundCount = 0
    for offset in Int(section.offset)..<Int(section.offset + section.length) {
      for change in [0x01, 0x02, 0x80, 0xFF] as [UInt8] {
        var editor = try IndexEditor(bytes)
        editor.store(bytes[offset] ^ change, at: offset)
        let problems = try? IndexBytes(editor.bytes).problems()
        #expect(problems?.isEmpty != true, "byte \(offset)")
        let forged = editor.repaired()
        if let tree = try? forged.open() { exercise(tree) }
        if (try? forged.problems().isEmpty) != true { foundCount += 1 }
      }
    }
    // Changed numbers are always detected. A changed name may not be detected.
    #expect(foundCount >= 4 * (8 + 8 * 5), "\(foundCount)")
    for record in 0..<9 {
      for field in [IndexEditor.NodeField.childOffset, .count, .minX, .maxX] {
        for value: UInt32 in [0, 1, 7, .max] {
          var editor = try IndexEditor(bytes)
          let old = editor.value(field, ofRecord: record)
          editor.set(field, ofRecord: record, to: value)
          let forged = editor.repaired()
          guard let tree = try? forged.open() else { continue }
          exercise(tree)
          let problems = try forged.problems()
          #expect(value == old || !problems.isEmpty, "record \(record)")
        }
      }
    }
  }

  private func exercise(_ tree: ClusterTree) {
    var previous = tree.noClusters
    for view in [
      Viewport.everything(zoom: 2), Viewport(BoundingBox(west: 300, south: 300, east: 600, north: 500), zoom: 5),
    ] {
      for cut: Cut in [
        .limit(1), .limit(30), .limit(30, order: .widestFirst), .limit(30, continuity: .continuing), .detail(9),
        .spacing(30).atMost(40),
      ] {
        if let clusters = try? tree.clusters(cut, in: view, after: previous) {
          for cluster in clusters { _ = (tree.group(of: cluster), try? tree.ancestors(of: cluster.id)) }
          previous = clusters
        }
        _ = try? tree.clusters(cut, centeredIn: view).map(\.x)
      }
    }
    _ = tree.groups.map(\.name)
  }

  @Test(arguments: growths) func noPointsAnswerAsThoseOfNoGroups(_ options: BuildOptions) throws {
    let tree = try ClusterTree([], groupedBy: PointGroups([]), options: options)
    let ungrouped = try ClusterTree([], options: options)
    #expect(tree.groups.isEmpty && tree.isGrouped)
    for cut in [Cut.limit(5), .detail(40), .spacing(40), .badges(scale: 1)] {
      #expect(tree.supports(cut) == ungrouped.supports(cut), "\(options.growth), \(cut)")
      if tree.supports(cut) { #expect(try tree.clusters(cut, in: .everything(zoom: 3)).isEmpty) }
    }
  }

  // MARK: - The tool

  @Test func theToolBuildsQueriesAndInspectsGroups() throws {
    let folder = try TemporaryFolder()
    let csv = folder.path("points.csv")
    var text = "lat,lon,kind,single\n"
    for number in 0..<60 {
      text +=
        "\(Double(number % 7) / 10),\(Double(number % 9) / 10),\(["inn", "camp", ""][number % 3]),\(number % 20 == 0)\n"
    }
    try text.write(toFile: csv, atomically: true, encoding: .utf8)
    let index = folder.path("index")
    let built = try Tool.run("build", csv, "-o", index, "--group-by", "kind", "--never-cluster", "single")
    #expect(built.code == 0, "\(built)")
    #expect(try Tool.run("verify", index).code == 0)
    let inspected = try Tool.run("inspect", index).output
    #expect(inspected.contains("never clustered  3") && inspected.contains("19  \"camp\""))
    #expect(inspected.contains("\"inn\"") && inspected.contains("\"camp\"") && inspected.contains("\"\""))
    let query = try Tool.run("query", index, "--limit", "6").output
    #expect(query.contains("\"cluster_group\":\"inn\"") && query.contains("\"cluster_group\":\"\""))
    let few = try Tool.run("query", index, "--limit", "5")
    #expect(few.code != 0)
    #expect(try Tool.run("build", csv, "-o", index, "--group-by", "sort").code != 0)
    #expect(try Tool.run("build", csv, "-o", index, "--never-cluster", "kind").code != 0)
  }
}

extension Double {
  fileprivate var clamped: Double { Swift.min(Swift.max(self, 0), 1000) }
}
