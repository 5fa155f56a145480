import PointSets
import TestSupport
import Testing
import Treeline

@Suite struct PlanarWindowTests {
  /// Sets whose square has one edge much nearer to zero than the opposite edge. The side of such a square is rounded,
  /// so the first edge plus the side may differ from the opposite edge.
  private static let uneven: [PointSet] = (0..<30).flatMap { (seed: UInt64) -> [PointSet] in
    [
      .planar(20, x: -0.3 ... -0.2, y: 0.01...1.1, seed: 500 + seed),
      .planar(20, x: -1.1 ... -0.01, y: 3...3.1, seed: 600 + seed),
    ]
  }

  /// Checks boxes that end exactly at a point. The outermost points lie on the edges of the square.
  @Test(arguments: PointSet.planar + uneven) func everyPlaceIsShownByABoxThatEndsThere(_ set: PointSet) throws {
    let tree = try set.tree()
    for coordinate in set.coordinates {
      let far = 1e301
      for box in [
        BoundingBox(west: coordinate.x, south: coordinate.y, east: coordinate.x, north: coordinate.y),
        BoundingBox(west: -far, south: -far, east: coordinate.x, north: coordinate.y),
        BoundingBox(west: coordinate.x, south: coordinate.y, east: far, north: far),
        BoundingBox(west: -far, south: coordinate.y, east: coordinate.x, north: far),
        BoundingBox(west: coordinate.x, south: -far, east: far, north: coordinate.y),
      ] {
        let window = try tree.plane.window(showing: box)
        #expect(window?.contains(tree.plane.point(at: coordinate)) == true, "\(box) hides \(coordinate)")
      }
    }
  }

  /// Pans a screen step by step away from the points. Checks that it shows the same clusters as a box of the same
  /// extent: first some clusters, and in the end none.
  @Test(arguments: [0.0, 0.4, 0.6, 1.4, 1.6, 1e9, 1e300]) func screenMayBeCenteredOffTheSquare(offset: Double) throws {
    let tree = try PointSet.planar(500, x: 10...20, y: -5...5, seed: 903).tree()
    let (side, middle) = (tree.plane.side, Coordinate(x: 15 + offset * 10, y: 0))
    let screen = Viewport(center: middle, zoom: 0, width: 256, height: 256)
    let box = BoundingBox(west: middle.x - side / 2, south: -side / 2, east: middle.x + side / 2, north: side / 2)
    let shown = try tree.clusters(.limit(500), in: screen)
    #expect(try shown.map(\.id) == tree.clusters(.limit(500), in: Viewport(box)).map(\.id))
    #expect(shown.isEmpty == (offset > 1.1))
  }

  @Test func boxesOffTheSquareShowNothing() throws {
    let plane = Plane.planar(left: 10, top: 20, side: 5)
    for box in [
      BoundingBox(west: 0, south: 0, east: 9.999, north: 100), BoundingBox(west: 15.001, south: 0, east: 99, north: 99),
      BoundingBox(west: 0, south: 20.001, east: 99, north: 99), BoundingBox(west: 0, south: 0, east: 99, north: 14.999),
      BoundingBox(west: -1e308, south: -1e308, east: -1e307, north: -1e307),
      BoundingBox(west: 1e307, south: 1e307, east: .greatestFiniteMagnitude, north: .greatestFiniteMagnitude),
    ] { #expect(try plane.window(showing: box) == nil, "\(box)") }
  }

  @Test func boxesBeyondTheSquareShowItAll() throws {
    for plane in [
      Plane.planar(left: 10, top: 20, side: 5), .planar(left: -1e300, top: 1e300, side: 2e300),
      .planar(left: 0, top: 0, side: .leastNonzeroMagnitude), .planar(left: 7, top: 7, side: 0),
    ] {
      let far = Double.greatestFiniteMagnitude
      let window = try #require(try plane.window(showing: BoundingBox(west: -far, south: -far, east: far, north: far)))
      let last: UInt32 = plane.side > 0 ? .max : 0
      #expect(window == PlaneWindow(x: 0, width: last, minY: 0, maxY: last), "\(plane)")
    }
  }

  /// Checks that rounding never moves a point out of its box.
  @Test(arguments: PointSet.planar) func insideIsInsideOnThePlane(_ set: PointSet) throws {
    let tree = try set.tree()
    var boxes = BoxMaker(for: set, seed: 511)
    for _ in 0..<Trials.count(100) {
      let box = boxes.next()
      let window = try tree.plane.window(showing: box)
      for coordinate in set.coordinates
      where box.west <= coordinate.x && coordinate.x <= box.east && box.south <= coordinate.y
        && coordinate.y <= box.north
      {
        #expect(window?.contains(tree.plane.point(at: coordinate)) == true, "\(box) hides \(coordinate)")
      }
    }
  }
}
