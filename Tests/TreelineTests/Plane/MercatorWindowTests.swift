import PointSets
import TestSupport
import Testing
import Treeline

/// Checks which meridians and parallels a box shows.
@Suite struct MercatorWindowTests {
  /// Returns whether a box over all latitudes shows a longitude. Also checks that the result does not depend on the
  /// seam.
  private func shows(_ west: Double, _ east: Double, _ longitude: Double) throws -> Bool {
    let box = BoundingBox(west: west, south: -90, east: east, north: 90)
    let seams: [UInt32] = [0, 1, 1 << 31, 3_000_000_000, .max]
    let answers = try seams.map { seam in
      let plane = Plane.webMercator(seam: seam)
      let window = try #require(try plane.window(showing: box))
      return window.contains(plane.point(at: Coordinate(longitude: longitude, latitude: 0)))
    }
    #expect(Set(answers).count == 1, "\(box) depends on the seam at \(longitude)")
    return answers[0]
  }

  @Test(
    arguments: [
      (-180, 180), (0, 360), (-360, 0), (10, 370), (10, 371), (-900, 900), (170.5, 530.5), (-540, -180), (0, 1e9),
      (0, 359.9999999), (-180, 179.9999999), (10, 369.99999999),
    ] as [(Double, Double)]) func aFullTurnShowsEverything(west: Double, east: Double) throws
  {
    for longitude in [-180, -179.9999999, -90, -1e-7, 0, 1e-7, 9.9999999, 10, 90, 179.9999999, 180] {
      #expect(try shows(west, east, longitude), "\(west), \(east) hides \(longitude)")
    }
  }

  /// Checks that a box whose eastern edge is just west of its western edge goes almost all the way around the world,
  /// however small the difference.
  @Test(arguments: [1e-6, 1e-7, 5e-8, 2e-8, 1e-8, 1e-9, 1e-12]) func endingJustBeforeTheStartIsNearlyAFullTurn(
    hair: Double
  ) throws {
    for west in [-170, -1, 0, 10, 10.123, 179.5] {
      for longitude in [-175, -100, -0.5, 5, 100, 178] {
        #expect(try shows(west, west - hair, longitude), "west \(west), less \(hair), hides \(longitude)")
      }
    }
  }

  @Test(arguments: [-180, -179.5, 0, 0.0000001, 12.3456789, 180] as [Double], [-2, -1, 0, 1, 2] as [Double])
  func oneMeridianShowsItself(longitude: Double, turns: Double) throws {
    let edge = longitude + turns * 360
    #expect(try shows(edge, edge, longitude))
    for off in [-90, -1, -1e-6, 1e-6, 1, 90] {
      #expect(try !shows(edge, edge, longitude + off), "\(edge) shows \(longitude + off)")
    }
  }

  @Test func westBeyondEastGoesRoundTheBack() throws {
    for (west, east) in [(170, -170), (170, 190), (-190, -170), (530, -170), (890, -530), (170, -530)] {
      for shown in [170, 175, 180, -180, -175, -170] {
        #expect(try shows(Double(west), Double(east), Double(shown)), "\(west), \(east) hides \(shown)")
      }
      for hidden in [-169.999999, -90, 0, 90, 169.999999] {
        #expect(try !shows(Double(west), Double(east), hidden), "\(west), \(east) shows \(hidden)")
      }
    }
  }

  @Test func halfATurnIsNotAFullOne() throws {
    for (west, east) in [(-90.0, 90.0), (-90, 90.0000001), (-90.0000001, 90), (0, 180), (0, -180), (-180, 0)] {
      let middle = west + ((east > west ? east : east + 360) - west) / 2
      #expect(try shows(west, east, middle))
      #expect(try !shows(west, east, middle + 180))
    }
  }

  @Test func latitudesAreClippedAndIncludeTheirEdges() throws {
    let plane = Plane.webMercator()
    func rows(_ south: Double, _ north: Double) throws -> ClosedRange<UInt32> {
      let window = try #require(try plane.window(showing: BoundingBox(west: 0, south: south, east: 1, north: north)))
      return window.minY...window.maxY
    }
    #expect(try rows(-90, 90) == 0...UInt32.max)
    #expect(try rows(-1e9, 1e9) == 0...UInt32.max)
    #expect(try rows(86, 90) == 0...0 && rows(-90, -86) == .max ... .max)
    #expect(try rows(0, 0) == 1 << 31...1 << 31)
  }

  /// Checks that rounding never moves a point out of its box. Rounding may move a point into a box only if the point is
  /// within a rounding error of the box.
  @Test(arguments: Trials.seeds(20)) func insideInDegreesIsInsideOnThePlane(seed: UInt64) throws {
    let set = PointSet.random(seed: seed)
    let plane = try set.tree().plane
    var boxes = BoxMaker(for: set, seed: seed)
    for _ in 0..<60 {
      let box = boxes.next()
      let window = try #require(try plane.window(showing: box))
      for coordinate in set.coordinates {
        let isInside = window.contains(plane.point(at: coordinate))
        if box.holds(coordinate, margin: 0) { #expect(isInside, "\(box) hides \(coordinate)") }
        if !box.holds(coordinate, margin: 2e-7) { #expect(!isInside, "\(box) shows \(coordinate)") }
      }
    }
  }
}
