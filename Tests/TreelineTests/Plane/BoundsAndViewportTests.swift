import Foundation
import PointSets
import TestSupport
import Testing
@_spi(Server) import Treeline

@Suite struct BoundingBoxTests {
  /// Converts a box of the plane to degrees and back to a window. Checks that the window equals the box, wherever the
  /// seam is.
  @Test(arguments: Trials.seeds(20)) func leadsBackToTheSameWindow(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let seam = UInt32(truncatingIfNeeded: random.next())
    for plane in [.webMercator(), .webMercator(seam: seam), Plane.planar(left: -2, top: 5, side: 9)] {
      for _ in 0..<300 {
        let xs = (0..<2).map { _ in UInt32(truncatingIfNeeded: random.next()) }.sorted()
        let ys = (0..<2).map { _ in UInt32(truncatingIfNeeded: random.next()) }.sorted()
        let rect = PlaneRect(minX: xs[0], minY: ys[0], maxX: xs[1], maxY: ys[1])
        let window = try plane.window(showing: plane.boundingBox(of: rect))
        #expect(window == PlaneWindow(x: xs[0], width: rect.width, minY: ys[0], maxY: ys[1]))
      }
    }
  }

  @Test func crossesTheAntimeridianWithWestBeyondEast() throws {
    let plane = Plane.webMercator(seam: 1 << 31)
    func bounds(_ west: Double, _ east: Double) -> BoundingBox {
      let (west, east) = (
        plane.point(at: Coordinate(longitude: west, latitude: 0)),
        plane.point(at: Coordinate(longitude: east, latitude: 0))
      )
      return plane.boundingBox(of: PlaneRect(minX: west.x, minY: west.y, maxX: east.x, maxY: east.y))
    }
    for (west, east) in [(175.0, -175.0), (175, 180), (-180, -175), (5, 7), (179.5, 179.75)] {
      let box = bounds(west, east)
      #expect(abs(box.west - west) < 1e-7 && abs(box.east - east) < 1e-7, "\(box)")
    }
    // As the eastern edge of a box, the antimeridian is 180 degrees. As the western edge, it is -180 degrees.
    #expect(bounds(175, 180).east == 180 && bounds(-180, -175).west == -180)
    #expect(bounds(180, 180).west == bounds(180, 180).east)
  }

  @Test func ofPointsRoundFijiIsFiji() throws {
    let coordinates = [177.5, 179.9, -179.8, -178.2].map { Coordinate(longitude: $0, latitude: -17) }
    let root = try #require(PointSet("Fiji", coordinates).tree().root)
    #expect(abs(root.bounds.west - 177.5) < 1e-7 && abs(root.bounds.east - -178.2) < 1e-7)
    #expect(abs(root.coordinate.longitude - 179.85) < 1e-6)
  }
}

@Suite struct ViewportTests {
  @Test(arguments: [0, 1, 3.3, 10, 17.5, 22]) func hasItsSizeInPixels(zoom: Double) throws {
    for plane in [Plane.webMercator(), .webMercator(seam: 123_456_789), .planar(left: 0, top: 90, side: 90)] {
      let center = Coordinate(longitude: 20, latitude: 50)
      let viewport = Viewport(center: center, zoom: zoom, width: 200, height: 100)
      let window = try #require(try viewport.located(on: plane)).window
      let middle = plane.point(at: center)
      let units = Plane.unitsPerPixel(zoom: zoom)
      #expect(window.contains(middle))
      if plane.projection == .webMercator {
        #expect(abs(Double(window.width) - 200 * units) <= 1)
        #expect(abs(Double(middle.x &- window.x) - 100 * units) <= 1)
      }
      if zoom > 2 { #expect(abs(Double(window.maxY - window.minY) - 100 * units) <= 1) }
    }
  }

  @Test func crossesTheAntimeridian() throws {
    let viewport = Viewport(center: Coordinate(longitude: 179, latitude: 0), zoom: 5, width: 512, height: 256)
    let box = try viewport.box(on: .webMercator())
    #expect(abs(box.west - 167.75) < 1e-6 && abs(box.east - -169.75) < 1e-6)
  }

  /// Checks that a screen at least as wide as the world shows the whole world. A slightly narrower screen must show
  /// almost all of it, not just a single meridian.
  @Test(arguments: [256, 256.0000001, 257, 1e9, 255.99999999, 255.9999999999, (256.0).nextDown])
  func asWideAsTheWorldShowsTheWorld(width: Double) throws {
    for longitude in [0, 10, 179.9, -180, 180, 12.3456789] {
      for seam: UInt32 in [0, 1 << 31, 987_654_321] {
        let plane = Plane.webMercator(seam: seam)
        let viewport = Viewport(
          center: Coordinate(longitude: longitude, latitude: 0), zoom: 0, width: width, height: 256)
        let window = try #require(try viewport.located(on: plane)).window
        #expect(window.width > UInt32.max - 2, "\(width) px around \(longitude): \(viewport)")
        #expect(window.minY <= 1 && window.maxY >= UInt32.max - 1)
      }
    }
  }
}
