import Foundation
import GridBaseline
import Testing
@_spi(Server) @testable import Treeline
import TreelineBuilder
import TreelineFormats
import TreelineFoundation
@testable import TreelinePages

/// Checks that the localized description of an error is its message in programs that link TreelineFoundation.
@Suite struct LocalizedErrorTests {
  @Test func localizedDescriptionIsTheMessage() {
    let errors: [any Error & CustomStringConvertible] = [
      BuildError.tooManyPoints(found: 1 << 40), IndexWritingError.inUse(path: "a.treeline"),
      IndexError.notAnIndex(path: "a.treeline", found: "1F 8B"), QueryError.noZoom, PieceError.cancelled,
      EditError.grouped, ColumnError.cancelled, SearchError.noSearch, AggregateError.cancelled,
      FilterError.unknownColumn(name: "a", known: []), PageError("expected an index without groups"),
      ReadingError.empty(file: "points"), GridError.zoomNotFinite(found: .infinity),
    ]
    for error in errors { #expect((error as any Error).localizedDescription == error.description) }
  }

  @Test func indexesAreWrittenAndOpenedByURL() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("treeline-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: url) }
    let tree = try ClusterTree([Coordinate(longitude: 1, latitude: 2)])
    #expect(!ClusterTree.isIndex(at: url))
    try tree.write(to: url)
    #expect(ClusterTree.isIndex(at: url))
    #expect(try ClusterTree(contentsOf: url).contentHash == tree.contentHash)
    let web = try #require(URL(string: "https://example.org/index"))
    #expect(!ClusterTree.isIndex(at: web))
    #expect(throws: CocoaError.self) { try tree.write(to: web) }
    #expect(throws: CocoaError.self) { try ClusterTree(contentsOf: web) }
  }

  @Test func messagesStateTheReason() throws {
    let badges = BuildOptions(growth: .merging(by: .badges))
    let tree = try ClusterTree([Coordinate(longitude: 1, latitude: 2)], options: badges)
    func message(_ body: () throws -> Void) -> String {
      do { try body() } catch { return error.localizedDescription }
      return ""
    }
    let spaced = message { _ = try tree.clusters(.spacing(44), in: .everything(zoom: 3)) }
    #expect(spaced.contains("a tree that was grown for badges") && spaced.contains("supporting: .spacing"))
    let plain = try ClusterTree([Coordinate(longitude: 1, latitude: 2)])
    let bare = message { _ = try plain.clusters(.spacing(44), in: .everything(zoom: 3)) }
    #expect(bare.contains("a tree without separations") && bare.contains("supporting: .spacing"))
    let center = Coordinate(longitude: 1, latitude: 2)
    let flat = message { _ = try tree.pointCount(in: Viewport(center: center, zoom: 3, width: 0, height: 1)) }
    #expect(flat.contains("a finite width above 0 pixels, found 0"))
  }

  @Test func coordinatesAreSpelledAsTheyAreWritten() {
    let found = Coordinate(longitude: 181, latitude: 0.5)
    #expect(
      BuildError.invalidCoordinate(row: 3, found: found, projection: .webMercator).description
        == "row 3: expected a longitude from -180 to 180 and a latitude from -90 to 90, "
        + "found longitude 181 and latitude 0.5")
    let message = QueryError.notACoordinate(found: found, projection: .webMercator).description
    #expect(message.hasSuffix("found longitude 181 and latitude 0.5"))
    #expect("\(BoundingBox(west: -180, south: 0, east: 0.25, north: 90))" == "-180,0,0.25,90")
  }
}
