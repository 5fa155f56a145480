import Foundation
import PointSets
import TestSupport
import Testing
import Treeline
import TreelineBuilder
@testable import TreelineMap

/// A series of changes, and the badges that are drawn at some moments: `Fixtures/golden/map/frames.json`.
/// `test_changes.py` plays the file to the server's map, too, so both maps move by the same rules. `scripts/bless`
/// rewrites the file.
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

  /// Writes many more films to play to the server's map by hand: `TREELINE_FILMS=FOLDER`.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["TREELINE_FILMS"] != nil)) func filmsAreMade() throws {
    let folder = URL(fileURLWithPath: ProcessInfo.processInfo.environment["TREELINE_FILMS"]!)
    for seed in 0..<20 as Range<UInt64> {
      try Film(seed: seed, steps: 200).write(to: folder.appendingPathComponent("\(seed).json"))
    }
  }
}

/// Answers as the server gives them, and the badges that a map draws for them.
struct Film: Codable {
  struct Replacement: Codable, Equatable {
    var whole: UInt64
    var parts: [UInt64]
  }

  struct Step: Codable, Equatable {
    /// Time in milliseconds.
    var at: Double
    var isInstant: Bool
    /// Id, first point, number of points, x, y and radius of each cluster, as numbers.
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
    /// For each badge its cluster's id, x, y, size and opacity in thousandths, and whether its label is drawn. Badges
    /// that are not drawn are left out. In ascending order.
    var badges: [[Int]]
  }

  var steps: [Step] = []

  /// - Parameter seed: Seed of a random walk over random points.
  init(seed: UInt64, steps count: Int) throws {
    var random = SplitMix64(seed: seed)
    let coordinates = MapSceneTests.points(300, &random)
    let tree = try ClusterTree(coordinates, options: BuildOptions(computesSeparations: true))
    var (views, scene, previous) = (RandomViews(around: coordinates), MapScene(), tree.noClusters)
    var milliseconds = 1000.0
    for number in 0..<count {
      let query = Query(.limit(10), in: views.next(&random))
      let clusters = try tree.clusters(query)
      // The golden frames are from the server's map, where clusters stand at their means whatever is in view.
      let answer = try MapAnswer(clusters, of: Query(.limit(10), in: .everything))
      let isInstant = number % 13 == 12
      _ = scene.show(answer, at: milliseconds / 1000, isInstant: isInstant)
      let change = Transition(from: previous, to: clusters)
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
        // Times are random, so that no frame is at the moment of a takeover, which the two maps may draw before or
        // after it.
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
  init(_ replacement: Transition.Replacement) {
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
