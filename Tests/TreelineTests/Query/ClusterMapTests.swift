import PointSets
import Testing
import Treeline
import TreelineBuilder

@Suite struct ClusterMapTests {
  struct Hotel: Sendable, Equatable {
    var name: String
    var place: Coordinate
  }

  struct Missing: Error {}

  let hotels = PointSet.cities(400, seed: 171).places.enumerated().map { Hotel(name: "\($0)", place: $1) }

  @Test func keyPathAndClosureDoTheSame() throws {
    let byPath = try ClusterMap(hotels, at: \.place)
    let byClosure = try ClusterMap(hotels) {
      Coordinate(longitude: $0.place.longitude, latitude: $0.place.latitude)
    }
    #expect(byPath.tree.contentHash == byClosure.tree.contentHash)
    #expect(byPath.values == hotels && byClosure.values == hotels)
    #expect(try byPath.tree.contentHash == ClusterTree(hotels.map(\.place)).contentHash)
  }

  @Test(arguments: [1, 5, 50, 1000])
  func everyValueIsInOneResult(limit: Int) throws {
    let map = try ClusterMap(hotels, at: \.place)
    let results = try map.clusters(in: .world, limit: limit)
    #expect(results.map(\.cluster) == (try Array(map.tree.clusters(in: .world, limit: limit))))
    var found: [Hotel] = []
    for result in results {
      switch result {
      case .single(let hotel, let cluster):
        #expect(cluster.pointCount == 1 && cluster.index.map { hotels[$0] } == hotel)
        found.append(hotel)
      case .cluster(let cluster, let members):
        #expect(cluster.pointCount > 1 && members.count == cluster.pointCount)
        found += members
      }
    }
    #expect(found.map(\.name).sorted() == hotels.map(\.name).sorted())
  }

  @Test(arguments: [0.0, 2.5, 6])
  func everyWayToChooseIsThatOfTheTree(zoom: Double) throws {
    let map = try ClusterMap(hotels, options: BuildOptions(computesSeparations: true), at: \.place)
    let (tree, alone) = (map.tree, PointsAlone(leastMembers: 3))
    func expect(_ results: [ClusterMap<Hotel>.Result], _ clusters: Clusters) {
      #expect(results.map(\.cluster) == Array(clusters))
    }
    expect(
      try map.clusters(in: .world, limit: 20, order: .widestFirst),
      try tree.clusters(in: .world, limit: 20, order: .widestFirst))
    expect(
      try map.clusters(in: .world, zoom: zoom, detail: 20, limit: 50, alone: alone),
      try tree.clusters(in: .world, zoom: zoom, detail: 20, limit: 50, alone: alone))
    expect(
      try map.clusters(in: .world, zoom: zoom, spacing: 44, alone: alone),
      try tree.clusters(in: .world, zoom: zoom, spacing: 44, alone: alone))
  }

  @Test func membersArePaged() throws {
    let map = try ClusterMap(hotels, at: \.place)
    let root = try #require(map.tree.root)
    let members = map.members(of: root)
    #expect(Array(members) == map.tree.members(of: root).map { hotels[$0] })
    #expect(Array(members.dropFirst(100).prefix(30)) == Array(Array(members)[100..<130]))
    #expect(members.dropFirst(390).prefix(30).count == 10)
    #expect(members.last == members[399])
  }

  @Test func nothingMapsToNothing() throws {
    let map = try ClusterMap([Hotel](), at: \.place)
    #expect(try map.clusters(in: .world, limit: 10).isEmpty)
    #expect(map.values.isEmpty && map.tree.root == nil)
  }

  @Test func valuesMayLieOnAPlainPlane() throws {
    let map = try ClusterMap([3.0, 1, 2], as: .planar) { Coordinate(x: $0, y: 1e6) }
    let box = BoundingBox(west: 0, south: 0, east: 2.5, north: 1e7)
    let singles = try map.clusters(in: box, limit: 9).compactMap { result -> Double? in
      if case .single(let value, _) = result { value } else { nil }
    }
    #expect(singles == [1, 2])
  }

  @Test func whatThePlaceThrowsIsThrown() {
    #expect(throws: Missing.self) { try ClusterMap([1, 2]) { _ in throw Missing() } }
    #expect(throws: BuildError.self) { try ClusterMap([1.0]) { Coordinate(longitude: $0, latitude: .nan) } }
  }
}
