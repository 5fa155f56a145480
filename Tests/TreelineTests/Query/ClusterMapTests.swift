import PointSets
import Testing
@_spi(Server) @testable import Treeline
import TreelineBuilder

@Suite struct ClusterMapTests {
  struct Hotel: Sendable, Equatable {
    var name: String
    var place: Coordinate
  }

  struct Missing: Error {}

  let hotels = PointSet.cities(400, seed: 171).coordinates.enumerated().map { Hotel(name: "\($0)", place: $1) }

  @Test func keyPathAndClosureDoTheSame() throws {
    let byPath = try ClusterMap(hotels, at: \.place)
    let byClosure = try ClusterMap(hotels) { Coordinate(longitude: $0.place.longitude, latitude: $0.place.latitude) }
    #expect(byPath.tree.contentHash == byClosure.tree.contentHash)
    #expect(byPath.values == hotels && byClosure.values == hotels)
    #expect(try byPath.tree.contentHash == ClusterTree(hotels.map(\.place)).contentHash)
  }

  @Test(arguments: [1, 5, 50, 1000]) func everyValueIsInOneResult(limit: Int) throws {
    let map = try ClusterMap(hotels, at: \.place)
    let results = try map.clusters(.limit(limit), in: Viewport(.world))
    #expect(results.map(\.cluster) == (try Array(map.tree.clusters(.limit(limit), in: Viewport(.world)))))
    var found: [Hotel] = []
    for result in results {
      let cluster = result.cluster
      #expect(result.id == cluster.id && result.coordinate == cluster.coordinate)
      #expect(result.count == cluster.pointCount && result.members.count == cluster.pointCount)
      #expect(result.isSingle == (result.count == 1) && result.value == cluster.row.map { hotels[$0] })
      found += result.members
    }
    #expect(found.map(\.name).sorted() == hotels.map(\.name).sorted())
  }

  @Test(arguments: [0.0, 2.5, 6]) func everyWayToChooseIsThatOfTheTree(zoom: Double) throws {
    let map = try ClusterMap(hotels, at: \.place, options: BuildOptions(supporting: .spacing))
    let (tree, alone) = (map.tree, UnclusteredPoints(leastMembers: 3))
    func expect(_ results: ClusterMap<Hotel>.Results, _ clusters: Clusters) {
      #expect(results.map(\.cluster) == Array(clusters))
    }
    expect(
      try map.clusters(.limit(20, order: .widestFirst), in: Viewport(.world)),
      try tree.clusters(.limit(20, order: .widestFirst), in: Viewport(.world)))
    expect(
      try map.clusters(.detail(20).atMost(50).unclustered(alone), in: Viewport(.world, zoom: zoom)),
      try tree.clusters(.detail(20).atMost(50).unclustered(alone), in: Viewport(.world, zoom: zoom)))
    expect(
      try map.clusters(.spacing(44).unclustered(alone), in: Viewport(.world, zoom: zoom)),
      try tree.clusters(.spacing(44).unclustered(alone), in: Viewport(.world, zoom: zoom)))
  }

  /// Checks that a `ClusterMap` can answer everything that a tree can answer, with values instead of points. Also
  /// checks queries that are passed as a single `Query`.
  @Test func whatATreeCanBeAskedAMapCan() throws {
    let map = try ClusterMap(hotels, at: \.place, options: BuildOptions(supporting: .spacing))
    let (tree, cut) = (map.tree, Cut.spacing(44))
    let query = Query(cut, in: Viewport(.world, zoom: 3))
    let shown = try map.clusters(query)
    #expect(
      try shown.clusters == tree.clusters(query) && tree.clusters(query) == tree.clusters(cut, in: query.viewport))
    #expect(map.root?.cluster == tree.root)
    #expect(map.noResults.isEmpty)
    #expect(map.transition(from: map.noResults, to: shown).entered.clusters == shown.clusters)
    #expect(
      try map.clusters(cut, centeredIn: query.viewport).clusters == tree.clusters(cut, centeredIn: query.viewport))
    for result in shown {
      let id = result.cluster.id
      #expect(try map.cluster(id).cluster == result.cluster)
      let nearest = try tree.nearestMember(of: id)
      #expect(try map.nearestMember(of: result) == hotels[tree.row(atTreeIndex: nearest)])
    }
    for row in [0, 7, 399] {
      let treeIndex = try #require(try tree.index(ofRow: row, at: hotels[row].place))
      #expect(tree.row(at: treeIndex) == row && tree.isIncluded(treeIndex))
      let number = try #require(shown.clusters.firstIndex(containing: treeIndex))
      #expect(shown.clusters[number].indices.contains(treeIndex))
      #expect(try tree.clusters(containing: treeIndex).contains(shown.clusters[number]))
      for tileSize in Viewport.TileSize.allCases {
        #expect(
          try map.unclusteredZoom(ofRow: row, at: hotels[row].place, for: cut, tileSize: tileSize)
            == tree.unclusteredZoom(of: treeIndex, for: cut, tileSize: tileSize))
      }
    }
  }

  /// Checks that transitions and continued answers contain the values, too.
  @Test func transitionsHaveTheValues() throws {
    let map = try ClusterMap(hotels, at: \.place)
    let cut = Cut.limit(30, order: .widestFirst, continuity: .continuing)
    let shown = try map.clusters(.limit(30, order: .widestFirst), in: Viewport(.world))
    let next = try map.clusters(
      cut, in: Viewport(BoundingBox(west: -30, south: -50, east: 150, north: 70)), after: shown)
    #expect(
      next.clusters
        == (try map.tree.clusters(
          cut, in: Viewport(BoundingBox(west: -30, south: -50, east: 150, north: 70)), after: shown.clusters)))
    let (change, plain) = (
      map.transition(from: shown, to: next), ClusterTransition(from: shown.clusters, to: next.clusters)
    )
    func names(_ results: some Sequence<ClusterMap<Hotel>.Result>) -> [String] {
      results.flatMap { $0.members.map(\.name) }.sorted()
    }
    func names(_ clusters: some Sequence<Cluster>) -> [String] {
      clusters.flatMap { map.tree.members(of: $0).map { hotels[$0].name } }.sorted()
    }
    #expect(!change.splits.isEmpty && !change.exited.isEmpty)
    #expect(names(change.kept) == names(plain.kept) && names(change.entered) == names(plain.entered))
    #expect(names(change.exited) == names(plain.exited) && names(change.added) == names(plain.added))
    #expect(names(change.removed) == names(plain.removed))
    #expect(
      change.splits.map { names([$0.whole]) + names($0.parts) }
        == plain.splits.map { names([$0.whole]) + names($0.parts) })
    #expect(
      change.merges.map { names([$0.whole]) + names($0.parts) }
        == plain.merges.map { names([$0.whole]) + names($0.parts) })
  }

  /// Checks that navigation from a cluster to its children and its parent returns the values, too.
  @Test func navigationIsThatOfTheTree() throws {
    let map = try ClusterMap(hotels, at: \.place, supporting: .spacing)
    let tree = map.tree
    let shown = try map.clusters(.detail(20), in: .everything(zoom: 2))
    #expect(try map.clusters(withIDs: shown.map(\.cluster.id)).clusters == shown.clusters)
    let tile = Viewport(tile: MapTile(zoom: 1, x: 1, y: 0)!)
    #expect(
      try map.clusters(.spacing(44), centeredIn: tile).clusters == tree.clusters(.spacing(44), centeredIn: tile))
    let largest = try #require(shown.max { $0.count < $1.count })
    let id = largest.id
    #expect(try map.children(of: largest).map(\.cluster) == tree.children(of: id))
    #expect(try map.parent(of: largest)?.cluster == tree.parent(of: id))
    #expect(try map.separationZoom(of: largest, for: .detail(20)) == tree.separationZoom(of: id, for: .detail(20)))
    for row in [0, 7, 399] {
      let path = try map.clusters(containingRow: row, at: hotels[row].place)
      #expect(path.first?.cluster == tree.root && path.count > 1)
      #expect(path.last.map { !$0.isSingle || $0.value == hotels[row] } == true)
    }
    #expect(try map.clusters(containingRow: 400, at: hotels[0].place).isEmpty)
  }

  /// Checks that values can be combined with an existing tree, such as a tree from an index, if there is a value for
  /// each row.
  @Test func valuesGoWithATreeThatWasBuiltBefore() throws {
    let tree = try ClusterTree(hotels.map(\.place))
    let map = try ClusterMap(hotels, at: \.place, on: tree)
    let built = try ClusterMap(hotels, at: \.place)
    let view = Viewport(.world)
    #expect(try map.clusters(.limit(9), in: view).clusters == built.clusters(.limit(9), in: view).clusters)
    #expect(map.root?.members.map(\.name) == built.root?.members.map(\.name))
    #expect(throws: QueryError.tooFewValues(expected: 400, found: 399)) {
      try ClusterMap(Array(hotels.dropLast()), at: \.place, on: tree)
    }
  }

  @Test func valuesInAnotherOrderAreRefusedWithTheFirstRowThatDiffers() throws {
    let tree = try ClusterTree(hotels.map(\.place))
    func difference(_ values: [Hotel]) -> (row: Int, expected: Coordinate?, found: Coordinate)? {
      do { _ = try ClusterMap(values, at: \.place, on: tree) } catch QueryError.differentValue(
        let row, let expected, let found)
      { return (row, expected, found) } catch { Issue.record(error) }
      return nil
    }
    #expect(difference(hotels) == nil)
    var values = hotels
    values.swapAt(250, 17)
    let swapped = try #require(difference(values))
    #expect(swapped.row == 17 && swapped.found == hotels[250].place)
    #expect(swapped.expected.map { abs($0.longitude - hotels[17].place.longitude) < 1e-6 } == true)
    #expect(difference(hotels.reversed())?.row == 0)
    // A value that was added since the tree was built.
    let more = try #require(difference(hotels + [Hotel(name: "new", place: hotels[0].place)]))
    #expect(more.row == 400 && more.expected == nil)
    values = hotels
    values[3].place = Coordinate(longitude: .nan, latitude: 2)
    #expect(difference(values)?.row == 3)
    let error = QueryError.differentValue(
      row: 17, expected: Coordinate(longitude: 1, latitude: 2), found: Coordinate(longitude: 3, latitude: 4))
    #expect(
      "\(error)" == "expected the value of row 17 at longitude 1 and latitude 2, found longitude 3 and latitude 4; "
        + "pass the values from which the tree was built, in the same order, or build a new tree from the new values")
  }

  /// A builder may skip rows without a position. Checks that such rows may have values.
  @Test func rowsWithoutAPositionMayHaveValues() throws {
    let tree = try ClusterTree([Coordinate(x: 1, y: 1), Coordinate(x: 2, y: 5)], as: .planar)
    let skipped = Coordinate(x: .nan, y: 0)
    let values = [Coordinate(x: 1, y: 1), Coordinate(x: 2, y: 5), skipped]
    #expect(try ClusterMap(values, at: { $0 }, on: tree).values.count == 3)
    #expect(try ClusterMap(values, at: { if $0.x.isNaN { throw Missing() } else { $0 } }, on: tree).values.count == 3)
    #expect(throws: QueryError.self) { try ClusterMap(values.reversed(), at: { $0 }, on: tree) }
    #expect(throws: Missing.self) { try ClusterMap(values, at: { _ in throw Missing() }, on: tree) }
  }

  @Test func membersArePaged() throws {
    let map = try ClusterMap(hotels, at: \.place)
    let root = try #require(map.tree.root)
    let members = map.result(for: root).members
    #expect(Array(members) == map.tree.members(of: root).map { hotels[$0] })
    #expect(Array(members.dropFirst(100).prefix(30)) == Array(Array(members)[100..<130]))
    #expect(members.dropFirst(390).prefix(30).count == 10)
    #expect(members.last == members[399])
  }

  @Test func nothingMapsToNothing() throws {
    let map = try ClusterMap([Hotel](), at: \.place)
    #expect(try map.clusters(.limit(10), in: Viewport(.world)).isEmpty)
    #expect(map.values.isEmpty && map.tree.root == nil)
  }

  @Test func valuesMayLieOnAPlainPlane() throws {
    let map = try ClusterMap([3.0, 1, 2], at: { Coordinate(x: $0, y: 1e6) }, as: .planar)
    let box = BoundingBox(west: 0, south: 0, east: 2.5, north: 1e7)
    let singles = try map.clusters(.limit(9), in: Viewport(box)).compactMap(\.value)
    #expect(singles == [1, 2])
  }

  @Test func whatThePlaceThrowsIsThrown() {
    #expect(throws: Missing.self) { try ClusterMap([1, 2]) { _ in throw Missing() } }
    #expect(throws: BuildError.self) { try ClusterMap([1.0]) { Coordinate(longitude: $0, latitude: .nan) } }
  }
}
