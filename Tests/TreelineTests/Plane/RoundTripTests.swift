import Foundation
import PointSets
import TestSupport
import Testing
import Treeline

/// Converts coordinates to the plane and back.
@Suite struct RoundTripTests {
  /// Half a unit of longitude is 4.2e-8 degrees, so seven decimals of a coordinate survive.
  @Test(arguments: Trials.seeds(20)) func sevenDecimalsSurvive(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for plane in [Plane.webMercator(), .webMercator(seam: UInt32(truncatingIfNeeded: random.next()))] {
      for _ in 0..<2000 {
        let (longitude, latitude) = (
          Int64.random(in: -1_800_000_000..<1_800_000_000, using: &random),
          Int64.random(in: -850_511_000...850_511_000, using: &random)
        )
        let coordinate = Coordinate(longitude: Double(longitude) / 1e7, latitude: Double(latitude) / 1e7)
        let back = plane.coordinate(at: plane.point(at: coordinate))
        #expect(
          Int64((back.longitude * 1e7).rounded()) == longitude && Int64((back.latitude * 1e7).rounded()) == latitude)
        #expect(abs(back.longitude - coordinate.longitude) <= 180 / 0x1p32 * (1 + 1e-6))
        #expect(
          abs(back.latitude - coordinate.latitude) <= 180 / 0x1p32 * cos(latitude: coordinate.latitude) * (1 + 1e-4))
      }
    }
  }

  private func cos(latitude: Double) -> Double { Foundation.cos(latitude * .pi / 180) }

  @Test(arguments: Trials.seeds(10)) func everyPositionLeadsBackToItself(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for plane in [Plane.webMercator(), .webMercator(seam: .max), .planar(left: -3, top: 11, side: 0.7)] {
      let edges: [UInt32] = [0, 1, 1 << 31, .max - 1, .max]
      let corners = edges.flatMap { x in edges.map { PlanePoint(x: x, y: $0) } }
      let points = (0..<2000).map { _ in
        PlanePoint(x: UInt32(truncatingIfNeeded: random.next()), y: UInt32(truncatingIfNeeded: random.next()))
      }
      for point in corners + points { #expect(plane.point(at: plane.coordinate(at: point)) == point) }
    }
  }

  @Test func longitudesComeBackBelow180() {
    let plane = Plane.webMercator()
    #expect(plane.coordinate(at: plane.point(at: Coordinate(longitude: 180, latitude: 0))).longitude == -180)
    #expect(plane.coordinate(x: -1, y: 0).longitude < 180 && plane.coordinate(x: -1, y: 0).longitude > 179.9999)
    #expect(plane.coordinate(x: 0x1p32, y: 0).longitude == -180)
  }

  @Test(arguments: PointSet.planar) func plainPlacesComeBackWithinHalfAUnit(_ set: PointSet) throws {
    let plane = try set.tree().plane
    // If the square is small and far from zero, doubles are coarse compared with its units.
    let tolerance = plane.side / 0x1p32 * 0.5000001 + (abs(plane.left) + abs(plane.top)).ulp * 2
    for coordinate in set.coordinates {
      let back = plane.coordinate(at: plane.point(at: coordinate))
      #expect(
        abs(back.x - coordinate.x) <= tolerance && abs(back.y - coordinate.y) <= tolerance, "\(coordinate), \(back)")
    }
  }

  @Test func thePlainSquareReachesFromEdgeToEdge() {
    let plane = Plane.planar(left: -10, top: 20, side: 30)
    #expect(plane.point(at: Coordinate(x: -10, y: 20)) == PlanePoint(x: 0, y: 0))
    #expect(plane.point(at: Coordinate(x: 20, y: -10)) == PlanePoint(x: .max, y: .max))
    #expect(plane.point(at: Coordinate(x: -11, y: 21)) == PlanePoint(x: 0, y: 0))
    #expect(plane.point(at: Coordinate(x: 1e308, y: -1e308)) == PlanePoint(x: .max, y: .max))
    #expect(Plane.planar(left: 1, top: 2, side: 0).point(at: Coordinate(x: 9, y: 9)) == PlanePoint(x: 0, y: 0))
  }
}
