import Testing
import Treeline
import TreelineBuilder

/// A protocol whose requirements are not deprecated. Tests implement them to call deprecated names, because a test
/// itself must not be deprecated.
private protocol FormerNames {
  func answerQueriesTheSame() throws
  func findPointsTheSame() throws
  func nameTypesAndMembers() throws
}

/// Checks that the names of version 0.1 give the same answers as today's names.
@Suite struct DeprecatedNamesTests: FormerNames {
  private let tree: ClusterTree
  private let box = BoundingBox(west: -10, south: 40, east: 20, north: 60)

  init() throws {
    let coordinates = (0..<400).map { Coordinate(longitude: Double($0 % 29) - 9, latitude: 41 + Double($0 % 17)) }
    tree = try ClusterTree(coordinates, options: BuildOptions(computesSeparations: true))
  }

  private func ids(_ clusters: Clusters) -> [ClusterID] { clusters.map(\.id) }

  @Test func queriesAnswerTheSame() throws { try (self as any FormerNames).answerQueriesTheSame() }

  @Test func pointsAreFoundTheSame() throws { try (self as any FormerNames).findPointsTheSame() }

  @Test func typesAndMembersAreTheSame() throws { try (self as any FormerNames).nameTypesAndMembers() }

  @available(*, deprecated) func answerQueriesTheSame() throws {
    let (view, alone) = (Viewport(box, zoom: 4), UnclusteredPoints(leastMembers: 3))
    #expect(ids(try tree.clusters(in: box, limit: 9)) == ids(try tree.clusters(.limit(9), in: Viewport(box))))
    #expect(
      ids(try tree.clusters(in: box, zoom: 4, detail: 30, limit: 50, alone: alone))
        == ids(try tree.clusters(.detail(30).atMost(50).unclustered(alone), in: view)))
    #expect(ids(try tree.clusters(in: box, zoom: 4, spacing: 30)) == ids(try tree.clusters(.spacing(30), in: view)))
    let screen = Viewport(
      center: Coordinate(longitude: 0, latitude: 50), zoom: 5, width: 300, height: 200, on: tree.plane)
    #expect(
      ids(try tree.clusters(in: screen, limit: 5, order: .widestFirst))
        == ids(try tree.clusters(.limit(5, .widestFirst), in: screen)))
    let shown = try tree.clusters(.limit(9), in: Viewport(box))
    #expect(
      ids(try tree.clusters(in: box, limit: 12, continuing: shown))
        == ids(try tree.clusters(.limit(12, isContinuing: true), in: Viewport(box), after: shown)))
    #expect(try tree.hasPoint(in: box))
  }

  @available(*, deprecated) func findPointsTheSame() throws {
    let index = try #require(tree.place(ofRow: 7))
    #expect(tree.treeIndex(ofRow: 7) == index && tree.row(at: index) == 7)
    #expect(try tree.place(ofRow: 7, at: Coordinate(longitude: -2, latitude: 48)) == index)
    #expect(tree.position(at: index) == tree.position(atTreeIndex: index))
    #expect(try tree.clusters(holdingPlace: index) == tree.clusters(containingTreeIndex: index))
    let id = try #require(try tree.clusters(holdingPlace: index).first?.id)
    #expect(try tree.expansionZoom(of: id, detail: 9) == tree.expansionZoom(of: id, by: .detail(9)))
    #expect(try tree.expansionZoom(of: id, spacing: 9) == tree.expansionZoom(of: id, by: .spacing(9)))
    #expect(try tree.zoomAlone(ofPlace: index, detail: 9) == tree.unclusteredZoom(ofTreeIndex: index, by: .detail(9)))
    #expect(try tree.zoomAlone(ofPlace: index, spacing: 9) == tree.unclusteredZoom(ofTreeIndex: index, by: .spacing(9)))
  }

  @available(*, deprecated) func nameTypesAndMembers() throws {
    #expect(BuildOptions(findsSeparations: true).computesSeparations)
    let shown = try tree.clusters(.limit(4), in: Viewport(box))
    let transition = Transition(from: shown, to: try tree.clusters(.limit(9), in: Viewport(box)))
    let splits: [Transition.Fork] = transition.splits
    #expect(splits.map(\.whole.id) == transition.splits.map(\.whole.id))
    #expect(ids(transition.left) == ids(transition.exited))
    #expect(PointsAlone.never == UnclusteredPoints.none)
    #expect(shown.firstIndex(holdingPlace: 0) == shown.firstIndex(containingTreeIndex: 0))
    #expect(shown[0].index == shown[0].row)
    #expect(try tree.shownPosition(of: shown[0], at: .member).place == tree.nearestMember(of: shown[0].id))
  }
}
