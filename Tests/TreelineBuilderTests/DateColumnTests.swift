import Foundation
import Testing
import Treeline
import TreelineBuilder
import TreelineFoundation

/// Checks dates of Foundation as columns.
@Suite struct DateColumnTests {
  private struct Inn {
    var coordinate: Coordinate
    var opened: Date?
  }

  @Test func datesAreFilteredAndReturned() throws {
    let start = Date(timeIntervalSince1970: 1_700_000_000.123)
    let dates: [Date?] = [start, nil, start.addingTimeInterval(0.001), Date(timeIntervalSince1970: -0.5), .distantPast]
    let inns = dates.enumerated().map { Inn(coordinate: Coordinate(longitude: Double($0), latitude: 0), opened: $1) }
    let map = try ClusterMap(inns, at: \.coordinate, columns: .time(\.opened))
    func passing(_ filter: MapFilter<Inn>) throws -> [Date?] {
      let map = try map.filtered(by: filter)
      return try map.clusters(.limit(1), in: .everything).flatMap { $0.members.map(\.opened) }
    }
    #expect(try passing(\.opened > start) == [dates[2]])
    #expect(try passing(\.opened == start) == [start])
    #expect(try Set(passing(\.opened < Date(timeIntervalSince1970: 0))) == [dates[3], .distantPast])
    #expect(try passing(\.opened == nil) == [nil])
    let ends = try map.values(of: .min(\.opened), .max(\.opened), for: map.clusters(.limit(1), in: .everything))
    #expect(ends[0].0 == .distantPast && ends[0].1 == dates[2])
  }

  @Test func datesWithoutAStoredFormAreRefused() throws {
    let inn = Inn(coordinate: Coordinate(longitude: 1, latitude: 2), opened: Date(timeIntervalSince1970: .nan))
    let map = try ClusterMap([inn], at: \.coordinate, columns: .time(\.opened))
    for seconds in [Double.nan, .infinity, -1e300] {
      let date = Date(timeIntervalSince1970: seconds)
      let filters: [MapFilter<Inn>] = [\.opened > date, \.opened == date, .where(\.opened, in: [date])]
      for filter in filters {
        let error = #expect(throws: FilterError.self) { try map.filtered(by: filter) }
        #expect(error?.description.hasSuffix("found a time that is NaN or too far from 1970") ?? false)
      }
    }
    #expect(try map.filtered(by: \.opened == nil).tree.filteredPointCount == 1)
  }

  @Test func datesKeepTheirMicroseconds() {
    for seconds in [0, -1, 0.25, 1_700_000_000.123456, -62_135_596_800, 253_402_300_799.999] {
      let date = Date(timeIntervalSince1970: seconds)
      let restored = Date.stored(date).flatMap { Date.restored($0) }
      #expect(restored.map { abs($0.timeIntervalSince(date)) < 4e-5 } ?? false)
      #expect(restored.flatMap { Date.stored($0) } == Date.stored(date))
    }
    for seconds in [Double.infinity, .nan, 1e300, -1e300] {
      #expect(Date.stored(Date(timeIntervalSinceReferenceDate: seconds)) == nil)
    }
  }
}
