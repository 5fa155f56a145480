import Foundation
import Testing
import Treeline
import TreelineBuilder
import TreelineFoundation

/// Checks that the localized description of an error is its message in programs that link TreelineFoundation.
@Suite struct LocalizedErrorTests {
  @Test func localizedDescriptionIsTheMessage() {
    let errors: [any Error & CustomStringConvertible] = [
      BuildError.tooManyPoints(found: 1 << 40), IndexWritingError.inUse(path: "a.treeline"),
      IndexError.notAnIndex(path: "a.treeline"), QueryError.noZoom, PieceError.cancelled,
      EditError.grouped, AggregateError.cancelled, FilterError.unknownColumn(name: "a", known: []),
    ]
    for error in errors { #expect((error as any Error).localizedDescription == error.description) }
  }

  @Test func coordinatesAreSpelledAsTheyAreWritten() {
    let found = Coordinate(longitude: 181, latitude: 0.5)
    #expect(
      BuildError.invalidCoordinate(row: 3, found: found, projection: .webMercator).description
        == "row 3: expected a longitude from -180 to 180 and a latitude from -90 to 90, "
        + "found longitude 181 and latitude 0.5")
    #expect(QueryError.notACoordinate(found: found).description.hasSuffix("found longitude 181 and latitude 0.5"))
    #expect("\(BoundingBox(west: -180, south: 0, east: 0.25, north: 90))" == "-180,0,0.25,90")
  }
}
