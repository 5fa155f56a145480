import Foundation
import Testing
import Treeline
import TreelineBuilder

/// Runs the example of the README exactly as it is printed there. `scripts/test docs` runs the examples of all other
/// pages.
@Suite struct ReadmeExampleTests {
  struct Hotel: Sendable {
    var name: String
    var coordinate: Coordinate
  }

  let hotels = [
    Hotel(name: "Ritz", coordinate: Coordinate(longitude: 2.3285, latitude: 48.8681)),
    Hotel(name: "Meurice", coordinate: Coordinate(longitude: 2.3280, latitude: 48.8651)),
    Hotel(name: "Savoy", coordinate: Coordinate(longitude: -0.1205, latitude: 51.5101)),
  ]

  @Test func exampleRuns() throws {
    var lines: [String] = []
    func print(_ items: Any...) {
      lines.append(items.map { "\($0)" }.joined(separator: " "))
    }

    // Build a map once. Query it as often as you like, from any thread.
    let map = try ClusterMap(hotels, at: \.coordinate, supporting: .spacing)
    let louvre = Coordinate(longitude: 2.3376, latitude: 48.8606)
    let view = Viewport(center: louvre, zoom: 12, width: 1024, height: 768)
    let shown = try map.clusters(.spacing(44), in: view)
    for result in shown {
      let first = result.members[0].name
      print(result.isSingle ? first : "\(result.count) hotels, such as \(first)")
    }

    // A transition: what to animate when the user zooms in.
    let closer = Viewport(center: louvre, zoom: 15, width: 1024, height: 768)
    let change = map.transition(from: shown, to: try map.clusters(.spacing(44), in: closer))
    for split in change.splits {
      print(split.whole.count, "hotels split into", split.parts.count)
    }

    #expect(lines == ["2 hotels, such as Ritz", "2 hotels split into 2"])
  }

  /// Checks that any other cut may replace the spacing, as the README says.
  @Test(arguments: [
    (Cut.spacing(4), ["Ritz", "Meurice"]), (.detail(20), ["2 such as Ritz"]), (.limit(1), ["2 such as Ritz"]),
    (.limit(20), ["Ritz", "Meurice"]),
  ])
  func anyCutStandsInTheExample(_ cut: Cut, expected: [String]) throws {
    let map = try ClusterMap(hotels, at: \.coordinate, supporting: .spacing)
    let louvre = Coordinate(longitude: 2.3376, latitude: 48.8606)
    let view = Viewport(center: louvre, zoom: 12, width: 1024, height: 768)
    let lines = try map.clusters(cut, in: view).map { result in
      result.value?.name ?? "\(result.count) such as \(result.members[0].name)"
    }
    #expect(lines == expected)
  }

  @Test func readmeHasThisExample() throws {
    let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let readme = try String(contentsOf: repository.appendingPathComponent("README.md"), encoding: .utf8)
    let source = try String(contentsOf: URL(fileURLWithPath: #filePath), encoding: .utf8)
    let block = try #require(
      readme.components(separatedBy: "```swift\n").dropFirst().first?.components(separatedBy: "```").first)
    // Takes the statements from the first comment up to the last comment. The hotels are declared before them, and the
    // statements after the last comment write a file.
    let statements = block.components(separatedBy: "\n// ").dropFirst().dropLast().map { "// " + $0 }.joined(
      separator: "\n")
    let indented = statements.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.isEmpty ? "" : "    " + $0 }.joined(separator: "\n")
    #expect(statements.contains("ClusterMap"))
    #expect(source.contains(indented), "The README's first Swift block is not the one that this test runs")
  }
}
