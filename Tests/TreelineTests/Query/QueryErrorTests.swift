import PointSets
import Testing
import Treeline

@Suite struct QueryErrorTests {
  static let sets = [PointSet.none, .one, .cities(100, seed: 131), .tenths]

  @Test(arguments: sets, [0, -1, Int.min])
  func limitsBelowOneAreRefused(_ set: PointSet, limit: Int) throws {
    let tree = try set.tree()
    let expected = QueryError.limitBelowOne(found: limit)
    #expect(throws: expected) { try tree.clusters(in: .world, limit: limit) }
    #expect(throws: expected) { try tree.clusters(in: .everything, limit: limit) }
    #expect(throws: expected) {
      try tree.clusters(in: Viewport(box: .world, width: 9, height: 9), limit: limit)
    }
    #expect(expected.description == "expected a limit of 1 or more clusters, found \(limit)")
  }

  @Test(arguments: sets, [Double.nan, .infinity, -.infinity])
  func edgesThatAreNoNumbersAreRefused(_ set: PointSet, bad: Double) throws {
    let tree = try set.tree()
    for (edge, box) in [
      ("west", BoundingBox(west: bad, south: 0, east: 1, north: 1)),
      ("south", BoundingBox(west: 0, south: bad, east: 1, north: 1)),
      ("east", BoundingBox(west: 0, south: 0, east: bad, north: 1)),
      ("north", BoundingBox(west: 0, south: 0, east: 1, north: bad)),
    ] {
      let error = #expect(throws: QueryError.self) { try tree.clusters(in: box, limit: 1) }
      #expect(error?.description == "expected a finite number as the \(edge) edge of the box, found \(bad)")
      #expect(throws: QueryError.self) { try tree.hasPoint(in: box) }
    }
  }

  @Test(arguments: sets)
  func southAboveNorthIsRefused(_ set: PointSet) throws {
    let tree = try set.tree()
    let box = BoundingBox(west: 0, south: 2, east: 1, north: 1)
    #expect(throws: QueryError.southAboveNorth(south: 2, north: 1)) { try tree.clusters(in: box, limit: 1) }
    #expect(throws: QueryError.southAboveNorth(south: 2, north: 1)) { try tree.hasPoint(in: box) }
  }

  @Test func westBeyondEastIsRefusedOnAPlane() throws {
    let box = BoundingBox(west: 2, south: -90, east: 1, north: 90)
    for set in [PointSet.tenths, PointSet("none", [], as: .planar)] {
      #expect(throws: QueryError.westBeyondEast(west: 2, east: 1)) {
        try set.tree().clusters(in: box, limit: 1)
      }
    }
    #expect(try PointSet.one.tree().clusters(in: box, limit: 1).count == 1)
  }

  @Test func noPointsGiveNoClusters() throws {
    for set in [PointSet.none, PointSet("none", [], as: .planar)] {
      let tree = try set.tree()
      #expect(tree.root == nil && tree.pointCount == 0)
      #expect(try tree.clusters(in: .world, limit: 1).isEmpty)
      #expect(try tree.clusters(in: .everything, limit: .max).isEmpty)
      #expect(try !tree.hasPoint(in: .world))
    }
  }
}
