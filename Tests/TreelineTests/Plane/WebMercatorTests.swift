import Foundation
import PointSets
import TestSupport
import Testing
import Treeline

@Suite struct WebMercatorTests {
  let plane = Plane.webMercator()

  /// Checks the corners of map tiles at zooms 0 to 3. Their latitudes follow from the definition of the projection.
  @Test(arguments: [
    (85.0511287798066, 0), (79.17133464081945, 1), (66.51326044311186, 2), (40.97989806962013, 6 / 2.0), (0, 4),
    (-40.97989806962013, 5), (-66.51326044311186, 6), (-79.17133464081945, 7),
  ]) func tileCornersAreWhereTheyBelong(latitude: Double, eighths: Double) {
    let y = plane.point(at: Coordinate(longitude: 0, latitude: latitude)).y
    #expect(abs(Double(y) - eighths * 0x1p29) <= 1, "found \(y)")
  }

  /// Checks the worked example for method 1024 in EPSG guidance note 7-2, to a centimeter.
  @Test func agreesWithTheExampleOfTheRegistry() {
    let unitsPerMetre = 0x1p32 / (2 * Double.pi * 6_378_137)
    let coordinate = Coordinate(longitude: -(100 + 20 / 60.0), latitude: 24 + 22 / 60.0 + 54.433 / 3600)
    let point = plane.point(at: coordinate)
    #expect(abs((Double(point.x) - 0x1p31) / unitsPerMetre - -11_169_055.58) < 0.02)
    #expect(abs((0x1p31 - Double(point.y)) / unitsPerMetre - 2_800_000) < 0.03)
  }

  @Test func longitudesAreEvenAndWrap() {
    for eighth in -8...8 {
      let x = plane.point(at: Coordinate(longitude: Double(eighth) * 45 / 2, latitude: 0)).x
      #expect(x == UInt32(truncatingIfNeeded: (eighth + 8) << 28))
    }
    for turns in [-1e6, -3, -2, -1, 1, 2, 1e6] {
      #expect(plane.point(at: Coordinate(longitude: 7.5 + 360 * turns, latitude: 0)).x == (375 << 32) / 720)
    }
  }

  @Test func latitudesBeyondTheEdgeAreClipped() {
    for latitude in [85.0511287798066, 85.06, 89.999999, 90, 91, 1e300] {
      #expect(plane.point(at: Coordinate(longitude: 0, latitude: latitude)).y == 0)
      #expect(plane.point(at: Coordinate(longitude: 0, latitude: -latitude)).y == .max)
    }
    #expect(plane.point(at: Coordinate(longitude: 0, latitude: 85.0511)).y > 0)
    #expect(plane.point(at: Coordinate(longitude: 0, latitude: -85.0511)).y < .max)
  }

  /// Compares coordinates that differ by steps from one unit of the plane up to 180 degrees.
  @Test(arguments: Trials.seeds(20)) func isMonotone(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<2000 {
      let step = 180 * exp2(-random.number(from: 0, to: 34))
      let a = Coordinate(
        longitude: random.number(from: -180, to: 179.9999999), latitude: random.number(from: -90, to: 90))
      let b = Coordinate(longitude: min(a.longitude + step, 179.9999999), latitude: min(a.latitude + step, 90))
      let (start, end) = (plane.point(at: a), plane.point(at: b))
      #expect(start.x <= end.x && start.y >= end.y, "\(a), \(b)")
    }
  }

  @Test func zoomHalvesThePixel() {
    #expect(Plane.unitsPerPixel(zoom: 24) == 1 && Plane.unitsPerPixel(zoom: 0) == 0x1p24)
    #expect(Plane.unitsPerPixel(zoom: 25) == 0.5 && abs(Plane.unitsPerPixel(zoom: 23.5) - 2.0.squareRoot()) < 1e-15)
  }
}
