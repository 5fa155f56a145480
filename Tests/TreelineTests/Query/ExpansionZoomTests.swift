import PointSets
import TestSupport
import Testing
@_spi(Server) @testable import Treeline
import TreelineBuilder

/// Checks the zooms at which clusters are split and at which points become single. Compares with queries at these
/// zooms and just below them.
@Suite struct ExpansionZoomTests {
  static let sets =
    PointSet.nasty.filter { !$0.coordinates.isEmpty } + (1600..<1620).map { PointSet.random(seed: UInt64($0)) }

  private typealias Answer = (_ zoom: Double) throws -> Clusters

  /// At these zooms, a pixel is much less than a unit of the plane, or more than the whole plane.
  private static let (farIn, farOut) = (200.0, -200.0)

  @Test(arguments: sets) func areWhereTheAnswerChanges(_ set: PointSet) throws {
    let outline = try TreeOutline(set.tree(supporting: .spacing))
    let tree = outline.tree
    var random = SplitMix64(seed: 531)
    for _ in 0..<Trials.count(40) {
      let id = outline.entries[random.index(below: outline.entries.count)].cluster.id
      let pixels = [44, random.number(from: 0, to: 200), .leastNonzeroMagnitude, 1e300][random.index(below: 4)]
      let index = random.index(below: tree.pointCount)
      let alone = [
        UnclusteredPoints.none, UnclusteredPoints(leastMembers: 1 + random.index(below: 30)),
        UnclusteredPoints(fromZoom: random.number(from: 0, to: 30)),
      ][random.index(below: 3)]
      try checkParting(
        tree, id, try tree.separationZoom(of: id, for: .detail(pixels).unclustered(alone)), isNested: false
      ) { try tree.clusters(.detail(pixels).unclustered(alone), in: PlaneWindow.everything, zoom: $0) }
      try checkParting(
        tree, id, try tree.separationZoom(of: id, for: .spacing(pixels).unclustered(alone)), isNested: true
      ) { try tree.clusters(.spacing(pixels).unclustered(alone), in: PlaneWindow.everything, zoom: $0) }
      try checkAlone(tree, index, try tree.unclusteredZoom(ofTreeIndex: index, for: .detail(pixels).unclustered(alone)))
      { try tree.clusters(.detail(pixels).unclustered(alone), in: PlaneWindow.everything, zoom: $0) }
      try checkAlone(
        tree, index, try tree.unclusteredZoom(ofTreeIndex: index, for: .spacing(pixels).unclustered(alone))
      ) { try tree.clusters(.spacing(pixels).unclustered(alone), in: PlaneWindow.everything, zoom: $0) }
    }
  }

  /// - Parameter isNested: Whether the answer at `zoom` must show no ancestor of the cluster either.
  private func checkParting(_ tree: ClusterTree, _ id: ClusterID, _ zoom: Double?, isNested: Bool, _ answer: Answer)
    throws
  {
    let cluster = try tree.cluster(id)
    func around(_ zoom: Double) throws -> Cluster {
      let answer = try answer(zoom)
      return answer[try #require(answer.firstIndex(containingTreeIndex: cluster.range.lowerBound))]
    }
    func isWhole(_ zoom: Double) throws -> Bool {
      let shown = try around(zoom)
      return shown.id == id || shown.isAncestor(of: cluster)
    }
    guard let zoom else {
      #expect(try isWhole(Self.farIn + 1000), "\(cluster), seed 531")
      return
    }
    if zoom == -.infinity {
      #expect(try around(Self.farOut - 1000).id != id, "\(cluster), seed 531")
      return
    }
    #expect(try isWhole(zoom.nextDown), "\(cluster) at \(zoom), seed 531")
    #expect(try around(zoom).id != id, "\(cluster) at \(zoom), seed 531")
    if isNested { #expect(try !isWhole(zoom), "\(cluster) at \(zoom), seed 531") }
  }

  private func checkAlone(_ tree: ClusterTree, _ index: Int, _ zoom: Double?, _ answer: Answer) throws {
    func isAlone(_ zoom: Double) throws -> Bool {
      let answer = try answer(zoom)
      return answer[try #require(answer.firstIndex(containingTreeIndex: index))].pointCount == 1
    }
    guard let zoom else {
      #expect(try !isAlone(Self.farIn + 1000), "index \(index), seed 531")
      return
    }
    if zoom == -.infinity {
      #expect(try isAlone(Self.farOut - 1000), "index \(index), seed 531")
      return
    }
    #expect(try !isAlone(zoom.nextDown), "index \(index) at \(zoom), seed 531")
    #expect(try isAlone(zoom), "index \(index) at \(zoom), seed 531")
  }

  @Test func noPixelsHaveNoZoom() throws {
    let tree = try PointSet.cities(300, seed: 532).tree(supporting: .spacing)
    let root = try #require(tree.root).id
    #expect(try tree.separationZoom(of: root, for: .detail(0)) == -.infinity)
    #expect(try tree.separationZoom(of: root, for: .spacing(0)) == -.infinity)
    #expect(try tree.unclusteredZoom(ofTreeIndex: 7, for: .detail(0)) == -.infinity)
    #expect(try tree.unclusteredZoom(ofTreeIndex: 7, for: .spacing(0)) == -.infinity)
  }

  @Test func aStackIsNeverAlone() throws {
    let here = Coordinate(longitude: 8, latitude: 47)
    let tree = try PointSet("a stack", [here, here, Coordinate(longitude: 9, latitude: 47)]).tree(supporting: .spacing)
    let index = try #require(try tree.treeIndex(ofRow: 1, at: here))
    #expect(
      try tree.unclusteredZoom(ofTreeIndex: index, for: .detail(20).unclustered(UnclusteredPoints(fromZoom: 3))) == nil)
    #expect(
      try tree.unclusteredZoom(ofTreeIndex: index, for: .spacing(20).unclustered(UnclusteredPoints(leastMembers: 9)))
        == nil)
  }

  @Test func whatIsNoLengthIsRefused() throws {
    let tree = try PointSet.cities(30, seed: 533).tree()
    let root = try #require(tree.root).id
    #expect(throws: QueryError.notALength(name: "detail", found: -1)) {
      try tree.separationZoom(of: root, for: .detail(-1))
    }
    #expect(throws: QueryError.noSeparations) { try tree.separationZoom(of: root, for: .spacing(1)) }
    #expect(throws: QueryError.noSeparations) { try tree.unclusteredZoom(ofTreeIndex: 0, for: .spacing(1)) }
  }
}
