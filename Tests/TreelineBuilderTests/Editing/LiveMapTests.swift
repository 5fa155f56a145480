import PointSets
import TestSupport
import Testing
import Treeline

@testable import TreelineBuilder

/// Edits live maps from several tasks.
@Suite struct LiveMapTests {
  private static let options: BuildOptions = {
    var options = BuildOptions(growth: .merging(by: .badges), threads: 1)
    options.pointsPerChange = 0
    return options
  }()

  private static func pins(_ ids: some Sequence<Int>) -> [Pin] {
    ids.map { Pin(id: $0, at: Coordinate(longitude: Double($0 % 83), latitude: Double($0 % 71))) }
  }

  private static func live(_ ids: Range<Int>) throws -> LiveMap<Pin> {
    LiveMap(try ClusterMap(pins(ids), at: \.at, options: options))
  }

  private static func expectBuilt(_ map: ClusterMap<Pin>, _ ids: some Sequence<Int>) throws {
    let built = try ClusterMap(pins(ids), at: \.at, options: options)
    #expect(map.values == built.values && map.tree.hasSameContent(as: built.tree))
  }

  @Test func editsFromManyTasksAreAllOnTheMap() async throws {
    let live = try Self.live(0..<100)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for id in 100..<200 {
        group.addTask {
          let map = try await live.update(inserting: Self.pins([id]))
          #expect(map.values.contains { $0.id == id })
          if id % 2 == 0 { try await live.update(removing: [id - 100]) }
        }
      }
      try await group.waitForAll()
    }
    try Self.expectBuilt(live.map, (0..<200).filter { $0 >= 100 || $0 % 2 == 1 })
  }

  @Test func anEditUndoesAnother() async throws {
    let live = try Self.live(0..<50)
    // Sorts the values.
    try await live.update()
    var maps = live.makeAsyncIterator()
    _ = await maps.next()
    let moved = Pin(id: 3, at: Coordinate(longitude: 44, latitude: 4))
    try await live.update(inserting: Self.pins([60]))
    try await live.update(removing: [60, 7], moving: [moved])
    try await live.update(inserting: Self.pins([7]), moving: Self.pins([3]))
    try Self.expectBuilt(try #require(await maps.next()), 0..<50)
    try Self.expectBuilt(live.map, 0..<50)
  }

  @Test func anEditThatFailsChangesNothing() async throws {
    let live = try Self.live(0..<50)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for id in 0..<40 {
        group.addTask {
          if id % 4 == 0 {
            await #expect(throws: EditError.noSuchKey("\(1000 + id)")) {
              try await live.update(inserting: Self.pins([500 + id]), removing: [1000 + id])
            }
          } else {
            try await live.update(inserting: Self.pins([100 + id]))
          }
        }
      }
      try await group.waitForAll()
    }
    try Self.expectBuilt(live.map, Array(0..<50) + (100..<140).filter { $0 % 4 != 0 })
  }

  /// A cancellation does not undo an edit, and does not make the call fail.
  @Test func anEditOfACancelledTaskIsApplied() async throws {
    let live = try Self.live(0..<50)
    let map = try await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await live.update(inserting: Self.pins([50]))
    }.value
    try Self.expectBuilt(map, 0..<51)
    try Self.expectBuilt(live.map, 0..<51)
  }

  private struct Event: Identifiable {
    var id: String
    var at: Coordinate
    var start: Instant
  }

  /// The row of an unsuitable value is a number that only the map knows. So the error names the key of the value.
  @Test func aValueThatAColumnCannotStoreIsNamedByItsKey() async throws {
    func event(_ id: String, _ seconds: Int64) -> Event {
      Event(
        id: id, at: Coordinate(longitude: Double(seconds % 50), latitude: 0),
        start: Instant(seconds: seconds, nanoseconds: 1))
    }
    let events = (1000..<1100).map { event("e\($0)", $0) }
    let map = try ClusterMap(events, at: \.at, columns: .time(\.start, name: "from"), options: Self.options)
    let late = event("e1050b", 32_503_680_000)
    let errors = [
      await #expect(throws: EditError.self) { try await LiveMap(map).update(inserting: [late]) },
      #expect(throws: EditError.self) { try map.updating(inserting: [late], removing: ["e1000"]) },
    ]
    for error in errors {
      #expect(
        error?.description
          == "value e1050b, column \"from\": expected a time that can be stored in 64 bits as seconds with 9 decimals, "
          + "found 3000-01-01T00:00:00.000000001Z; give times with fewer decimals, declare the column as category or "
          + "text, or leave the value out")
    }
  }

  @Test func readersGetTheNewestMapAndTheEnd() async throws {
    var live: LiveMap<Pin>? = try Self.live(0..<50)
    let (first, second) = (live!.makeAsyncIterator(), live!.makeAsyncIterator())
    var readers = [first, second]
    for id in 50..<60 { try await live!.update(inserting: Self.pins([id])) }
    for index in readers.indices { #expect(await readers[index].next()?.values.count == 60) }
    live = nil
    for index in readers.indices { #expect(await readers[index].next() == nil) }
  }
}
