import PointSets
import TestSupport
import Testing
import Treeline

@_spi(Server) @testable import TreelineComparison

@Suite struct LandTests {
  /// Returns whether a position is inside some rings, by the even-odd rule.
  private func isInside(_ position: PixelPoint, _ rings: [[PixelPoint]]) -> Bool {
    var isInside = false
    for ring in rings {
      var from = ring.last ?? position
      for to in ring {
        if (from.y > position.y) != (to.y > position.y),
          position.x < from.x + (to.x - from.x) * (position.y - from.y) / (to.y - from.y)
        {
          isInside.toggle()
        }
        from = to
      }
    }
    return isInside
  }

  /// Returns the rings of a path, in pixels, from the text of the path.
  private func rings(_ path: String) -> [[PixelPoint]] {
    var rings: [[PixelPoint]] = []
    var (x, y) = (0, 0)
    for part in path.split(separator: "m") {
      var ring: [PixelPoint] = []
      for step in part.dropLast().split(separator: "l") {
        let text = step.first == "-" ? step.dropFirst() : step
        let cut = text.firstIndex { $0 == " " || $0 == "-" }!
        x += Int(text[..<cut])! * (step.first == "-" ? -1 : 1)
        y += Int(text[cut...].drop { $0 == " " })!
        ring.append(PixelPoint(x: Double(x) / 10, y: Double(y) / 10))
      }
      (x, y) = (Int((ring[0].x * 10).rounded()), Int((ring[0].y * 10).rounded()))
      rings.append(ring)
    }
    return rings
  }

  @Test(arguments: Trials.seeds(30, from: 1)) func clippingKeepsWhatIsInside(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let ring = (0..<Int.random(in: 3...12, using: &random)).map { _ in
      PixelPoint(x: .random(in: -100...200, using: &random), y: .random(in: -100...200, using: &random))
    }
    let result = clipped(ring, to: PixelBox(minX: 0, minY: 0, maxX: 100, maxY: 80))
    for _ in 0..<500 {
      let position = PixelPoint(
        x: .random(in: 0.01...99.99, using: &random), y: .random(in: 0.01...79.99, using: &random))
      #expect(isInside(position, [result]) == isInside(position, [ring]), "seed \(seed)")
    }
    #expect(result.allSatisfy { -1e-9...100.000001 ~= $0.x && -1e-9...80.000001 ~= $0.y })
  }

  /// An island of 20 by 10 degrees that lies across the antimeridian. It is cut in two there, and its coast has many
  /// corners.
  private let island: [[Coordinate]] = [(170.0, 180.0), (-180.0, -170.0)].map { west, east in
    let sides = stride(from: 0.0, to: 10, by: 0.1)
    return sides.map { Coordinate(longitude: west + $0, latitude: -5) }
      + sides.map { Coordinate(longitude: east, latitude: -5 + $0) }
      + sides.map { Coordinate(longitude: east - $0, latitude: 5) }
      + sides.map { Coordinate(longitude: west, latitude: 5 - $0) }
  }

  @Test(
    arguments: [
      BoundingBox(west: 160, south: -10, east: -160, north: 10), BoundingBox(west: 175, south: -4, east: 190, north: 8),
      BoundingBox(west: -180, south: -60, east: 180, north: 60),
      BoundingBox(west: -160, south: -60, east: 200, north: 60), BoundingBox(west: 0, south: -30, east: 179, north: 30),
    ], [UInt32(0), 1 << 31, 3_000_000_000]) func landIsWhereItIs(box: BoundingBox, seam: UInt32) throws
  {
    let plane = Plane.webMercator(seam: seam)
    let view = try ComparisonView(Viewport(box, width: 1024, height: 768), on: plane)
    let rings = rings(try #require(LandOutline(island, on: plane).path(in: view)))
    for longitude in stride(from: -179.5, to: 180, by: 1) {
      for latitude in stride(from: -9.5, to: 10, by: 1) {
        let point = plane.point(at: Coordinate(longitude: longitude, latitude: latitude))
        guard view.window.contains(point) else { continue }
        let isLand = abs(longitude) > 170 && abs(latitude) < 5
        #expect(isInside(view.pixel(of: point), rings) == isLand, "\(longitude), \(latitude) in \(box)")
      }
    }
  }

  @Test func aCoarseCoastIsLeftOut() throws {
    let plane = Plane.webMercator()
    let triangle = [(-5.0, -5.0), (5.0, -5.0), (0.0, 6.0)].map { Coordinate(longitude: $0.0, latitude: $0.1) }
    let outline = LandOutline([triangle], on: plane)
    let near = BoundingBox(west: -1, south: -6, east: 1, north: -4)
    let inland = BoundingBox(west: -0.1, south: -0.1, east: 0.1, north: 0.1)
    #expect(outline.path(in: try ComparisonView(Viewport(near, width: 1024, height: 768), on: plane)) == nil)
    #expect(
      try #require(outline.path(in: try ComparisonView(Viewport(inland, width: 1024, height: 768), on: plane)))
        .hasPrefix("m"))
  }
}
