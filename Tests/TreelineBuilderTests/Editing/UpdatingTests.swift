import PointSets
import TestSupport
import Testing
import Treeline

@testable import TreelineBuilder

/// Edits maps and compares the results with maps that are built from the same values.
@Suite struct UpdatingTests {
  @Test(arguments: MergeHistoryTests.sets.indices.map { UInt64($0) }) func editsMakeTheMapOfABuild(seed: UInt64) throws
  {
    let set = MergeHistoryTests.sets[Int(seed)]
    for (index, options) in Self.options.enumerated() {
      // Trees that are split are always built again.
      let count = options.growth.mergeMetric == nil ? 20 : 250
      var edited = try EditedMap(set, options, seed: seed)
      for edit in 0..<Trials.count(count, atLeast: 5, seed: seed) {
        let change = try edited.editAtRandom(most: edit % 10 == 9 ? 20 : 1)
        let expected = try edited.build()
        guard edited.map.values == expected.values, edited.map.tree.isEqual(to: expected.tree) else {
          Issue.record("\(set), options \(index), seed \(seed), edit \(edit): \(change)")
          break
        }
      }
    }
  }

  private static let options: [BuildOptions] = {
    var local = BuildOptions(growth: .merging(by: .badges), threads: 1)
    local.pointsPerChange = 0
    var members = local
    (members.growth, members.anchor) = (.merging(by: .distance), .member)
    return [local, members, BuildOptions(threads: 1)]
  }()

  /// Checks that all versions of a map can be edited, in any order.
  @Test func earlierVersionsCanBeEdited() throws {
    let set = PointSet.cities(300, seed: 621)
    var first = try EditedMap(set, Self.options[0], seed: 1)
    _ = try first.editAtRandom(most: 1)
    var second = first
    for _ in 0..<3 {
      _ = try first.editAtRandom(most: 1)
      _ = try second.editAtRandom(most: 4)
      for edited in [first, second] { #expect(try edited.map.tree.isEqual(to: edited.build().tree)) }
    }
  }

  @Test func mapsOfUnsortedValuesAreSorted() throws {
    let pins = [5, 3, 9, 1].map { Pin(id: $0, at: Coordinate(longitude: Double($0), latitude: 1)) }
    let map = try ClusterMap(pins, at: \.at, options: Self.options[0])
    let moved = Pin(id: 3, at: Coordinate(longitude: 50, latitude: 1))
    let edited = try map.updating(inserting: [Pin(id: 4, at: pins[0].at)], removing: [9], moving: [moved])
    #expect(edited.values.map(\.id) == [1, 3, 4, 5] && edited.values[1] == moved)
    #expect(map.values == pins && map.tree.pointCount == 4)
    #expect(try edited.tree.isEqual(to: ClusterMap(edited.values, at: \.at, options: Self.options[0]).tree))
    let byLongitude = try map.updating(by: \.at.longitude, removing: [5.0])
    #expect(byLongitude.values.map(\.id) == [1, 3, 9])
  }

  @Test func columnsAreEncodedAgain() throws {
    let pins = (0..<50).map { Pin(id: $0, at: Coordinate(longitude: Double($0 % 7), latitude: Double($0))) }
    let map = try ClusterMap(pins, at: \.at, columns: .number(\.id, name: "number"), options: Self.options[0])
    let edited = try map.updating(removing: [49, 0]).updating(inserting: [Pin(id: 70, at: pins[3].at)])
    let built = try ClusterMap(
      edited.values, at: \.at, columns: .number(\.id, name: "number"), options: Self.options[0])
    let sums = try [edited, built].map { try $0.values(of: .sum(\.id), for: $0.clusters(.limit(3), in: .everything)) }
    #expect(sums[0] == sums[1] && sums[0].count == 3)
  }

  @Test func mistakesAreReported() throws {
    let pins = (0..<5).map { Pin(id: $0, at: Coordinate(longitude: Double($0), latitude: 0)) }
    let map = try ClusterMap(pins, at: \.at, options: Self.options[0])
    let far = Pin(id: 9, at: Coordinate(longitude: 181, latitude: 0))
    #expect(throws: EditError.keyExists("3")) { try map.updating(inserting: [pins[3]]) }
    #expect(throws: EditError.noSuchKey("7")) { try map.updating(removing: [7]) }
    #expect(throws: EditError.noSuchKey("9")) { try map.updating(moving: [far]) }
    #expect(throws: EditError.keyTwice("2")) { try map.updating(removing: [2], moving: [pins[2]]) }
    #expect(throws: EditError.invalidCoordinate(key: "9", found: far.at, projection: .webMercator)) {
      try map.updating(inserting: [far])
    }
    #expect(
      "\(EditError.invalidCoordinate(key: "9", found: far.at, projection: .webMercator))"
        == "value 9: expected a longitude from -180 to 180 and a latitude from -90 to 90, "
        + "found longitude 181 and latitude 0")
    #expect(throws: EditError.notBuilt) { try ClusterMap(pins, at: \.at, on: map.tree).updating(removing: [1]) }
    let groups = try PointGroups(pins.map { _ in .named("a") })
    #expect(throws: EditError.grouped) { try ClusterMap(pins, at: \.at, groupedBy: groups).updating(removing: [1]) }
    #expect(throws: EditError.sharedKey("0")) { try ClusterMap(pins + pins, at: \.at).updating(removing: [1]) }
    #expect(try map.updating(removing: [1]).values.count == 4)
  }

  /// NaN equals no key, and has no place in the order of keys.
  @Test func keysThatDoNotEqualThemselvesAreRefused() throws {
    struct Reading {
      var key: Double
      var at = Coordinate(longitude: 1, latitude: 2)
    }
    let bad = Reading(key: .nan)
    for keys in [[Double.nan], [.nan, 1, 2], [1, .nan, 2]] {
      let map = try ClusterMap(keys.map { Reading(key: $0) }, at: \.at, options: Self.options[0])
      #expect(throws: EditError.unequalKey) { try map.updating(by: \.key, inserting: [Reading(key: 3)]) }
    }
    let map = try ClusterMap([3, 1, 2].map { Reading(key: $0) }, at: \.at, options: Self.options[0])
    #expect(throws: EditError.unequalKey) { try map.updating(by: \.key, inserting: [bad]) }
    #expect(throws: EditError.unequalKey) { try map.updating(by: \.key, removing: [.nan]) }
    #expect(throws: EditError.unequalKey) { try map.updating(by: \.key, moving: [bad]) }
    #expect("\(EditError.unequalKey)".contains("a key that does not equal itself, such as NaN"))
  }
}

/// A value with a key.
struct Pin: Identifiable, Hashable, Sendable {
  var id: Int
  var at: Coordinate
}

extension ClusterTree {
  fileprivate func isEqual(to other: ClusterTree) -> Bool {
    hasSameContent(as: other) && plane == other.plane && clippedPointCount == other.clippedPointCount
      && withStorage { $0.mergeTraits } == other.withStorage { $0.mergeTraits }
  }
}

/// A map that a test edits, and its current values.
private struct EditedMap {
  private(set) var map: ClusterMap<Pin>
  private var pins: [Int: Pin] = [:]
  private let options: BuildOptions
  private let projection: Plane.Projection
  private var random: SplitMix64

  init(_ set: PointSet, _ options: BuildOptions, seed: UInt64) throws {
    (self.options, projection, random) = (options, set.projection, SplitMix64(seed: seed))
    let values = set.coordinates.enumerated().map { Pin(id: 10 * $0, at: $1) }
    for pin in values { pins[pin.id] = pin }
    map = try ClusterMap(values, at: \.at, as: projection, options: options)
  }

  /// Builds a map of the current values.
  func build() throws -> ClusterMap<Pin> {
    try ClusterMap(pins.values.sorted { $0.id < $1.id }, at: \.at, as: projection, options: options)
  }

  /// Inserts, removes or moves a few values.
  mutating func editAtRandom(most: Int) throws -> String {
    var (inserted, removed, moved) = ([Int: Pin](), Set<Int>(), [Int: Pin]())
    for _ in 0...random.index(below: most) {
      let (kind, id) = (random.index(below: 3), random.index(below: 10 * pins.count + 20))
      let known = map.values.isEmpty ? nil : map.values[random.index(below: map.values.count)].id
      if kind == 0 {
        if pins[id] == nil { inserted[id] = Pin(id: id, at: randomCoordinate(near: nil)) }
      } else if let known, moved[known] == nil, !removed.contains(known) {
        if kind == 1 {
          removed.insert(known)
        } else {
          moved[known] = Pin(id: known, at: randomCoordinate(near: pins[known]!.at))
        }
      }
    }
    for id in removed { pins[id] = nil }
    for pin in [Pin](moved.values) + inserted.values { pins[pin.id] = pin }
    map = try map.updating(
      inserting: Array(inserted.values), removing: Array(removed), moving: Array(moved.values))
    return "inserting \(inserted), removing \(removed), moving \(moved)"
  }

  /// Returns a random coordinate: at another value, near one, or anywhere, even where the plane must change.
  private mutating func randomCoordinate(near coordinate: Coordinate?) -> Coordinate {
    let kind = random.index(below: 8)
    let other = map.values.isEmpty ? nil : map.values[random.index(below: map.values.count)].at
    guard kind > 0, let start = coordinate ?? other else {
      return projection == .webMercator
        ? Coordinate(longitude: random.number(from: -180, to: 180), latitude: random.number(from: -90, to: 90))
        : Coordinate(x: random.number(from: -0.5, to: 1.5), y: random.number(from: -0.5, to: 1.5))
    }
    if kind < 3 { return start }
    let width = projection == .webMercator ? 5.0 : 0.01
    let (dx, dy) = (random.number(from: -width, to: width), random.number(from: -width, to: width))
    if projection == .planar { return Coordinate(x: start.x + dx, y: start.y + dy) }
    return Coordinate(
      longitude: min(max(start.longitude + dx, -180), 180), latitude: min(max(start.latitude + dy, -90), 90))
  }
}
