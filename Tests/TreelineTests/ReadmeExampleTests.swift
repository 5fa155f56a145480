import Foundation
import Testing
import Treeline
import TreelineBuilder

/// The README's example, compiled and run as it stands there.
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

    let map = try ClusterMap(hotels, at: \.coordinate)
    let louvre = Coordinate(longitude: 2.3376, latitude: 48.8606)
    let view = Viewport(center: louvre, zoom: 12, width: 1024, height: 768)
    for result in try map.clusters(.limit(20), in: view) {
      switch result {
      case .single(let hotel, _): print(hotel.name)
      case .cluster(let cluster, let members): print(cluster, "such as", members.first!.name)
      }
    }

    #expect(lines == ["Ritz", "Meurice"])
  }

  /// As the README says, any other cut may stand where the limit does.
  @Test(arguments: [
    (Cut.spacing(44), ["2 points at (2.32825, 48.8666) such as Ritz"]), (.spacing(4), ["Ritz", "Meurice"]),
    (.detail(20), ["2 points at (2.32825, 48.8666) such as Ritz"]),
    (.limit(1), ["2 points at (2.32825, 48.8666) such as Ritz"]),
  ])
  func anyCutStandsInTheExample(_ cut: Cut, expected: [String]) throws {
    let map = try ClusterMap(hotels, at: \.coordinate)
    let louvre = Coordinate(longitude: 2.3376, latitude: 48.8606)
    let view = Viewport(center: louvre, zoom: 12, width: 1024, height: 768)
    let lines = try map.clusters(cut, in: view).map { result in
      switch result {
      case .single(let hotel, _): hotel.name
      case .cluster(let cluster, let members): "\(cluster) such as \(members.first!.name)"
      }
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
    let indented = block.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n")
    #expect(source.contains(indented), "The README's first Swift block is not the one that this test runs")
  }
}
