import Foundation
import Testing
@_spi(Server) @testable import Treeline

@testable import GridBaseline

struct CellSizeTests {
  @Test func publishedSizesAreTheArticles() throws {
    let pixels: [Double] = [88, 88, 88, 88, 88, 88, 88, 88, 88, 88, 88, 88, 88, 64, 64, 64, 32, 32, 32, 16, 88]
    for (level, expected) in pixels.enumerated() {
      #expect(try CellSize.published.units(zoom: Double(level)) == CellSize.pixels(expected).units(zoom: Double(level)))
    }
    #expect(try CellSize.published.units(zoom: 0) == 88 << 24)
    #expect(try CellSize.published.units(zoom: 19) == 16 << 5)
  }

  @Test func publishedCellsRestBetweenLevels() throws {
    let units = try CellSize.published.units(zoom: 13)
    for zoom in [12.5, 12.75, 13.0, 13.499] { #expect(try CellSize.published.units(zoom: zoom) == units) }
    #expect(try CellSize.published.units(zoom: 12.4999) == 88 << 12)
    #expect(try CellSize.published.units(zoom: 13.5) == 64 << 10)
    #expect(try CellSize.published.units(zoom: -7) == 88 << 24)
  }

  @Test func fixedCellsFollowTheZoomExactly() throws {
    #expect(try CellSize.pixels(64).units(zoom: 10) == 64 << 14)
    #expect(try CellSize.pixels(64).units(zoom: 10.5) == 741_455)  // 1048576 / sqrt 2 = 741455.2
    #expect(try CellSize.pixels(0.75).units(zoom: 24) == 1)
    #expect(try CellSize.pixels(2.5).units(zoom: 24) == 3)
  }

  @Test func sizesStayWithinOneUnitAndThePlane() throws {
    #expect(try CellSize.pixels(256).units(zoom: 0) == 1 << 32)
    #expect(try CellSize.pixels(257).units(zoom: 0) == 1 << 32)
    #expect(try CellSize.pixels(.leastNonzeroMagnitude).units(zoom: 1e300) == 1)
    #expect(try CellSize.pixels(.greatestFiniteMagnitude).units(zoom: -1e300) == 1 << 32)
    #expect(try CellSize.published.units(zoom: 1e300) == 1)
  }

  @Test(arguments: [0, -1, .nan, .infinity, -.infinity] as [Double]) func aCellSizeThatMakesNoGridIsAnError(
    pixels: Double
  ) {
    let error = #expect(throws: GridError.self) { try CellSize.pixels(pixels).units(zoom: 3) }
    #expect(error?.description == "expected a finite cell size above 0 pixels, found \(pixels)")
  }

  @Test(arguments: [CellSize.published, .pixels(64)], [.nan, .infinity, -.infinity] as [Double])
  func aZoomThatIsNotFiniteIsAnError(size: CellSize, zoom: Double) {
    let grid = Grid([PlanePoint(x: 0, y: 0)], on: .webMercator())
    let error = #expect(throws: GridError.self) { try grid.clusters(in: .everything, cellSize: size, zoom: zoom) }
    #expect(error?.description == "expected a finite zoom, found \(zoom)")
  }
}
