import Foundation
import PointSets
import TestSupport
import Testing
@testable import Treeline

@testable import TreelineBuilder

/// Checks transitions between versions against `Fixtures/golden/map/versions.json`. A test of the web package makes
/// the same edits and checks its transitions against the same file. `scripts/bless` rewrites the file.
@Suite struct GoldenVersionsTests {
  static let path = "Fixtures/golden/map/versions.json"

  @Test func transitionsAreThoseOfTheWebPackage() throws {
    let played = try Versions(seed: 47, stepCount: 24)
    let file = URL(fileURLWithPath: Repository.path(Self.path))
    if ProcessInfo.processInfo.environment["TREELINE_BLESS"] != nil {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys]
      try encoder.encode(played).write(to: file)
    }
    let golden = try JSONDecoder().decode(Versions.self, from: Data(contentsOf: file))
    #expect(golden.points == played.points && golden.steps.count == played.steps.count)
    for (number, (expected, found)) in zip(golden.steps, played.steps).enumerated() {
      #expect(expected == found, "step \(number)")
    }
  }
}

/// A series of edits, and the changes from answer to answer.
private struct Versions: Codable {
  struct Change: Codable, Equatable {
    /// Ids of clusters of both answers.
    var before: [UInt64]
    var after: [UInt64]
    /// Common, removed, inserted, left and joined points.
    var counts: [Int]
  }

  struct Step: Codable, Equatable {
    /// Points with their keys: key, longitude, latitude.
    var inserted: [[Double]]
    var removed: [Int]
    var moved: [[Double]]
    /// Longitude and latitude of the center of both views, their zoom for tiles of 256 px, then the zoom after the
    /// edit.
    var view: [Double]
    /// Ids of the same clusters in both answers.
    var kept: [[UInt64]]
    var changes: [Change]
    var entered: [UInt64]
    var exited: [UInt64]
  }

  var points: [[Double]]
  var steps: [Step] = []

  init(seed: UInt64, stepCount: Int) throws {
    var random = SplitMix64(seed: seed)
    let places = PointSet.cities(300, seed: seed).coordinates
    func place() -> Coordinate { places[random.index(below: places.count)] }
    let pins = places.enumerated().map { Pin(id: 10 * $0, at: $1) }
    func numbers(_ pin: Pin) -> [Double] { [Double(pin.id), pin.at.longitude, pin.at.latitude] }
    points = pins.map(numbers)
    let options = BuildOptions(growth: .merging(by: .badges), threads: 1)
    var map = try ClusterMap(pins, at: \.at, options: options)
    for _ in 0..<stepCount {
      let some = Array(Set((0..<6).map { _ in map.values[random.index(below: map.values.count)].id })).sorted()
      let moved = some.prefix(3).map { Pin(id: $0, at: place()) }
      let removed = Array(some.dropFirst(3))
      let known = Set(map.values.map(\.id))
      let new = Set((0..<3).map { _ in 10 * random.index(below: 300) + 1 + random.index(below: 9) }).subtracting(known)
      let inserted = new.sorted().map { Pin(id: $0, at: place()) }
      let next = try map.updating(inserting: inserted, removing: removed, moving: moved)
      let center = place()
      let zooms = [random.number(from: 0, to: 6), random.number(from: 0, to: 6)]
      func answer(_ map: ClusterMap<Pin>, _ zoom: Double) throws -> Clusters {
        try map.clusters(.badges(), in: Viewport(center: center, zoom: zoom, width: 800, height: 600)).clusters
      }
      let zoom = zooms[random.index(below: 2)]
      let (first, second) = (try answer(map, zooms[0]), try answer(next, zoom))
      let transition = try #require(VersionTransition(from: first, to: second))
      func ids(_ clusters: Clusters) -> [UInt64] { clusters.map(\.id.rawValue) }
      steps.append(
        Step(
          inserted: inserted.map(numbers), removed: removed, moved: moved.map(numbers),
          view: [center.longitude, center.latitude, zooms[0], zoom],
          kept: zip(transition.keptBefore, transition.kept).map { [$0.id.rawValue, $1.id.rawValue] },
          changes: transition.changes.map {
            Change(
              before: ids($0.before), after: ids($0.after),
              counts: [
                $0.commonPointCount, $0.removedPointCount, $0.insertedPointCount, $0.leftPointCount,
                $0.joinedPointCount,
              ])
          },
          entered: ids(transition.entered), exited: ids(transition.exited)))
      map = next
    }
  }
}
