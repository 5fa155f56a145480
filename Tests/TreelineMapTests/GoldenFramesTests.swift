import Foundation
import PointSets
import TestSupport
import Testing
import Treeline
import TreelineBuilder
@testable import TreelineMap

/// Checks a series of changes, and the badges that are drawn at certain times, against
/// `Fixtures/golden/map/frames.json`. `test_changes.py` checks the server's map against the same file, so both maps
/// move by the same rules. `scripts/bless` rewrites the file.
@Suite struct GoldenFramesTests {
  static let path = "Fixtures/golden/map/frames.json"
  static let isBlessing = ProcessInfo.processInfo.environment["TREELINE_BLESS"] != nil

  @Test func framesAreThoseOfTheServersMap() throws {
    let played = try Film(seed: 11, steps: 60)
    let file = URL(fileURLWithPath: Repository.path(Self.path))
    if Self.isBlessing {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try played.write(to: file)
    }
    let golden = try JSONDecoder().decode(Film.self, from: Data(contentsOf: file))
    #expect(golden.steps.count == played.steps.count)
    for (step, (expected, found)) in zip(golden.steps, played.steps).enumerated() {
      #expect(expected == found, "step \(step)")
    }
  }

  /// Writes many more films to the folder `TREELINE_FILMS`. They can be played by hand on the server's map.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["TREELINE_FILMS"] != nil)) func filmsAreMade() throws {
    let folder = URL(fileURLWithPath: ProcessInfo.processInfo.environment["TREELINE_FILMS"]!)
    for seed in 0..<20 as Range<UInt64> {
      try Film(seed: seed, steps: 200).write(to: folder.appendingPathComponent("\(seed).json"))
    }
  }
}

/// A series of answers in the form in which the server gives them, and the badges that a map draws for them.
struct Film: Codable {
  struct Replacement: Codable, Equatable {
    var whole: UInt64
    var parts: [UInt64]
  }

  struct Step: Codable, Equatable {
    /// Time in milliseconds.
    var at: Double
    var isInstant: Bool
    /// Six numbers for each cluster: its id, its first point, its number of points, x, y and the radius.
    var clusters: [[Double]]
    var kept: [UInt64]
    var splits: [Replacement]
    var merges: [Replacement]
    var entered: [UInt64]
    var left: [UInt64]
    var frames: [Frame]
  }

  struct Frame: Codable, Equatable {
    /// Time in milliseconds.
    var at: Double
    /// The badges that are drawn, in ascending order. For each badge: the id of its cluster, x, y, size and opacity in
    /// thousandths, and whether its label is drawn.
    var badges: [[Int]]
  }

  var steps: [Step] = []

  /// - Parameter seed: Seed of the random points and of the random moves of the map.
  init(seed: UInt64, steps count: Int) throws {
    var random = SplitMix64(seed: seed)
    let coordinates = MapSceneTests.points(300, &random)
    let tree = try ClusterTree(coordinates)
    var (views, scene, previous) = (RandomViews(around: coordinates), MapScene(), tree.noClusters)
    var milliseconds = 1000.0
    for number in 0..<count {
      let query = Query(.limit(10), in: views.next(&random))
      let clusters = try tree.clusters(query)
      // The golden frames are those of the server's map. On this map, a cluster is always drawn at its mean, whatever
      // is in view.
      let answer = try MapAnswer(clusters, of: Query(.limit(10), in: .everything))
      let isInstant = number % 13 == 12
      _ = scene.show(answer, at: milliseconds / 1000, isInstant: isInstant)
      let change = ClusterTransition(from: previous, to: clusters)
      var step = Step(
        at: milliseconds, isInstant: isInstant,
        clusters: answer.shown.map {
          [
            Double($0.cluster.id.rawValue), Double($0.cluster.range.lowerBound), Double($0.cluster.pointCount),
            $0.place.x, $0.place.y, $0.diameter / 2,
          ]
        },
        kept: change.kept.map(\.id.rawValue), splits: change.splits.map(Replacement.init),
        merges: change.merges.map(Replacement.init), entered: change.entered.map(\.id.rawValue),
        left: change.exited.map(\.id.rawValue), frames: [])
      for _ in 0..<2 {
        step.frames.append(Frame(of: scene, at: milliseconds))
        // Times are random, so that no frame is at the very moment at which a badge takes over from another. The two
        // maps may draw that moment differently.
        milliseconds += random.fraction() * (number % 5 == 0 ? 1500 : 150)
        _ = scene.advance(to: milliseconds / 1000)
      }
      steps.append(step)
      previous = clusters
    }
  }

  func write(to file: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    try encoder.encode(self).write(to: file)
  }
}

extension Film.Replacement {
  init(_ replacement: ClusterTransition.Replacement) {
    self.init(whole: replacement.whole.id.rawValue, parts: replacement.parts.map(\.id.rawValue))
  }
}

extension Film.Frame {
  init(of scene: MapScene, at milliseconds: Double) {
    at = milliseconds
    badges = scene.badges.filter(\.appearance.isVisible).map { badge in
      let place = badge.appearance.place
      let numbers = [place.x, place.y, place.scale, place.opacity].map { Int(($0 * 1000).rounded()) }
      return [Int(badge.cluster.id.rawValue)] + numbers + [badge.appearance.showsCount ? 1 : 0]
    }
    badges.sort { $0.lexicographicallyPrecedes($1) }
  }
}
