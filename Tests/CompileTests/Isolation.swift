// Maps are built, filtered and edited in every place where an app does so. All of it must compile without a warning.

import Treeline
import TreelineBuilder

struct Stop: Sendable, Identifiable {
  var id: Int
  var coordinate: Coordinate
  var lines: Int
  var price: Double?
}

@MainActor final class StopsModel {
  private(set) var map: ClusterMap<Stop>?
  private(set) var fraction = 0.0
  private let offset = 0.5

  func load(_ stops: [Stop]) async throws {
    map = try await ClusterMap.build(stops, at: \.coordinate, columns: .number(\.lines), .number(\.price))
  }

  func loadShifted(_ stops: [Stop]) async throws {
    let offset = offset
    map = try await ClusterMap.build(stops) { stop in
      Coordinate(longitude: stop.coordinate.longitude + offset, latitude: stop.coordinate.latitude)
    } progress: { progress in
      Task { @MainActor in self.fraction = progress.fraction }
    }
  }

  func loadNow(_ stops: [Stop]) throws {
    map = try ClusterMap(stops, at: \.coordinate, columns: .number(\.lines), .number(\.price, name: "cost"))
    map = try ClusterMap(stops) { $0.coordinate }
  }

  func insert(_ stop: Stop) throws { map = try map?.updating(inserting: [stop]) }

  func follow(_ live: LiveMap<Stop>) async throws {
    try await live.update(moving: [])
    for await next in live { map = next }
  }
}

actor StopsStore {
  private var map: ClusterMap<Stop>?

  func load(_ stops: [Stop]) async throws {
    map = try await ClusterMap.build(stops, at: \.coordinate, columns: .number(\.lines))
    map = try await ClusterMap.build(stops, at: { $0.coordinate }, columns: .number(\.lines))
    map = try ClusterMap(stops, at: \.coordinate)
  }
}

func loadInTasks(_ stops: [Stop]) async throws -> [ClusterMap<Stop>] {
  let first = Task { @MainActor in try await ClusterMap.build(stops, at: \.coordinate, columns: .number(\.price)) }
  let second = Task.detached { try await ClusterMap.build(stops, at: { $0.coordinate }) }
  async let third = ClusterMap.build(stops, at: \.coordinate)
  return try await [first.value, second.value, third]
}

extension StopsModel {
  func filter(below limit: Double) throws -> [Double?] {
    let cheap = try map?.filtered(by: \.price < limit && \.lines > 1)
    guard let cheap else { return [] }
    let shown = try cheap.clusters(.limit(5), in: .everything)
    return try cheap.values(of: .mean(\.price), for: shown)
  }
}
