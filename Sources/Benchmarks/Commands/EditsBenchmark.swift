import ArgumentParser
import Foundation
import PointSets
import Treeline
import TreelineBuilder
import TreelineMap

/// Times edits of a map, and counts the badges that the edits do not change.
struct EditsBenchmark: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edits", abstract: "Times edits of a map, and counts the badges that do not change.",
    discussion: """
      'first' is the time of the first edit, which reads the history of the tree. 'insert', 'remove' and 'move' are \
      the median times of later edits of one value. 'p95' is the 95th percentile of the times of all these later \
      edits, and 'processor' is the median of their processor times. 'fleet' is the median time of steps that move \
      many values a little. 'plane' is the median time of edits that change the plane: a value moves to where the map \
      is cut open, or away from there. 'kept' is the share of the badges in view that keep their points; the badge of \
      the edited value does not count. 'show' is the median time that a step of the fleet takes on the main thread, \
      and 'frame' is the greatest time that a frame takes. All times are in seconds.
      """)

  @OptionGroup var build: BuildArguments

  @Option(help: "Number of timed edits.") var edits = 300

  @Option(help: "Number of values that move in each step.") var fleet = 1000

  @Option(help: "Number of timed steps.") var steps = 7

  private struct Vehicle: Identifiable, Sendable {
    var id: Int
    var coordinate: Coordinate
  }

  func run() throws {
    let coordinates = try build.points.read()
    let options = build.options
    var random = SplitMix64(seed: 1)
    let vehicles = coordinates.enumerated().map { Vehicle(id: 2 * $0, coordinate: $1) }
    var map = try ClusterMap(vehicles, at: \.coordinate, options: options)
    let moved = Self.moved(map.values[0], &random)
    let first = try seconds { map = try map.updating(moving: [moved]) }
    var (times, processorTimes, kept, others) = ([[Double](), [], []], [Double](), 0, 0)
    for edit in 0..<edits {
      let (kind, before) = (edit % 3, map)
      let value = map.values[random.index(below: map.values.count)]
      var new = Self.moved(value, &random)
      if kind == 0 { new.id |= 1 }
      if kind == 0 && map.values.contains(where: { $0.id == new.id }) { continue }
      let start = Self.processorTime
      times[kind].append(
        try seconds {
          map = try map.updating(
            inserting: kind == 0 ? [new] : [], removing: kind == 1 ? [value.id] : [], moving: kind == 2 ? [new] : [])
        })
      processorTimes.append(Self.processorTime - start)
      let view = Viewport(
        center: value.coordinate, zoom: random.number(from: 3, to: 14), width: 1180, height: 820)
      let shares = try Self.kept(before, map, value.coordinate, view)
      (kept, others) = (kept + shares.kept, others + shares.others)
    }
    var fields: [String: any Encodable] = [
      "points": coordinates.count, "first": first, "insert": median(times[0]), "remove": median(times[1]),
      "move": median(times[2]), "processor": median(processorTimes),
      "p95": times.joined().sorted()[times.joined().count * 95 / 100],
      "kept": Double(kept) / Double(max(others, 1)), "badges": others,
    ]
    let fleet = try fleetTimes(map, &random)
    fields["plane"] = median(try planeTimes(map))
    fields.merge(["fleet": median(fleet.steps), "show": median(fleet.shows), "frame": fleet.frames.max()!]) { $1 }
    try printJSON(fields)
  }

  /// Processor time of this thread, in seconds. If an edit merges only locally, it runs on one thread. So this time
  /// includes all work of such an edit.
  private static var processorTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  /// Returns a copy of a value at a random place nearby.
  private static func moved(_ value: Vehicle, _ random: inout SplitMix64) -> Vehicle {
    let (dx, dy) = (random.number(from: -0.01, to: 0.01), random.number(from: -0.01, to: 0.01))
    return Vehicle(
      id: value.id,
      coordinate: Coordinate(
        longitude: min(max(value.coordinate.longitude + dx, -180), 180),
        latitude: min(max(value.coordinate.latitude + dy, -90), 90)))
  }

  /// Counts the badges that do not contain the edited value. Returns the number of these badges that stay the same
  /// after the edit, and the number of all these badges.
  private static func kept(
    _ before: ClusterMap<Vehicle>, _ after: ClusterMap<Vehicle>, _ edited: Coordinate, _ view: Viewport
  ) throws -> (kept: Int, others: Int) {
    let answers = try [before, after].map { try $0.tree.clusters(.badges(), in: view) }
    let transition = VersionTransition(from: answers[0], to: answers[1])!
    func isOther(_ cluster: Cluster) -> Bool {
      before.result(for: cluster).members.allSatisfy { $0.coordinate != edited }
    }
    return (transition.keptBefore.count(where: isOther), answers[0].count(where: isOther))
  }

  /// Times edits that change the plane, so that the whole map is built again. The seam lies in the widest gap between
  /// the longitudes of points. A value moves to a place near the seam, or back to its old place.
  private func planeTimes(_ map: ClusterMap<Vehicle>) throws -> [Double] {
    let value = map.values[0]
    let seam = Double(map.tree.plane.seam) / 0x1p32 * 360 - 180
    var times: [Double] = []
    for offset in [0.1, -0.1, 1, -1, 5, -5] {
      let longitude = (seam + offset + 540).truncatingRemainder(dividingBy: 360) - 180
      let moved = Vehicle(id: value.id, coordinate: Coordinate(longitude: longitude, latitude: 0))
      var edited = map
      for new in [moved, value] {
        let plane = edited.tree.plane
        let time = try seconds { edited = try edited.updating(moving: [new]) }
        if edited.tree.plane != plane { times.append(time) }
      }
    }
    require(!times.isEmpty, "no edit changed the plane")
    return times
  }

  /// Times steps in which some values move. For each step, also times the work of a map view on the main thread.
  private func fleetTimes(
    _ map: ClusterMap<Vehicle>, _ random: inout SplitMix64
  ) throws -> (steps: [Double], shows: [Double], frames: [Double]) {
    var map = map
    var (scene, steps, shows, frames) = (MapScene(), [Double](), [Double](), [Double]())
    let query = Query(.badges(), in: Viewport(center: map.values[0].coordinate, zoom: 9, width: 1180, height: 820))
    for step in 0...self.steps {
      var moved: [Int: Vehicle] = [:]
      while moved.count < min(fleet, map.values.count / 2) {
        let value = map.values[random.index(below: map.values.count)]
        moved[value.id] = Self.moved(value, &random)
      }
      let time = try seconds { map = try map.updating(moving: Array(moved.values)) }
      let answer = try MapAnswer(map.tree.clusters(query), of: query)
      let start = Double(step) * 10
      let show = seconds { blackHole(scene.show(answer, at: start)) }
      let frame = (1...30).map { number in seconds { blackHole(scene.advance(to: start + Double(number) / 60)) } }
      if step == 0 { continue }
      steps.append(time)
      shows.append(show)
      frames += frame + [show]
    }
    return (steps, shows, frames)
  }
}
