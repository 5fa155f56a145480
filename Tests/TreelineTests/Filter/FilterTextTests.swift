import Foundation
import PointSets
import TestSupport
import Testing

@_spi(Server) @testable import Treeline

@Suite struct FilterTextTests {
  @Test(arguments: [Int64.min, Int64.min + 30_000, 1_714_521_600, Int64.max - 55_807, Int64.max])
  func intervalsOfTheFirstAndTheLastDaysAreWritten(seconds: Int64) {
    let moment = Instant(seconds: seconds)
    for interval in [TimeInterval(nil, moment), TimeInterval(moment, nil), TimeInterval(ofDay: moment)] {
      #expect("\(Filter(.temporal("t", .isDuring, interval)))".contains("INTERVAL"), "\(seconds)")
    }
  }

  @Test(arguments: [
    ("kind = 'hotel'", Filter.where("kind", .equals, "hotel")),
    ("KIND = 'it''s'", .where("KIND", .equals, "it's")),
    ("\"my kind\" <> 'a'", .where("my kind", .isNot, "a")),
    ("price < 120.50", .where("price", .isLess, 120.5)),
    ("120 > price", .where("price", .isLess, 120)),
    ("price >= -1e3", .where("price", .isAtLeast, -1000)),
    ("open = TRUE and not kind in ('a','b')", .where("open", .equals, true) && !.where("kind", in: ["a", "b"])),
    ("kind NOT IN ('a')", !.where("kind", in: ["a"])),
    ("kind IN ()", .where("kind", in: [])),
    ("NOT (kind NOT IN ( ) OR a = 1)", !(!.where("kind", in: []) || .where("a", .equals, 1))),
    ("price BETWEEN 1 AND 2", .where("price", isFrom: 1, to: 2)),
    ("price not between 1 and 2 or kind is null", !.where("price", isFrom: 1, to: 2) || .whereMissing("kind")),
    ("kind IS NOT NULL", !.whereMissing("kind")),
    ("name LIKE 'h%'", .where("name", isLike: "h%")),
    ("größe = 1", .where("größe", .equals, 1)),
    ("a = 1 AND b = 2 AND c = 3", .where("a", .equals, 1) && .where("b", .equals, 2) && .where("c", .equals, 3)),
    (
      "opened > DATE('2024-05-01')",
      Filter(.comparison("opened", .isGreater, FilterValue(.date(Instant("2024-05-01")!))))
    ),
    (
      "opened = TIMESTAMP('2024-05-01T10:00:00Z')",
      .where("opened", .equals, .instant(Instant("2024-05-01T10:00:00Z")!))
    ),
    (
      "T_AFTER(opened, DATE('2024-05-01'))",
      Filter(.temporal("opened", .isAfter, TimeInterval(ofDay: Instant("2024-05-01")!)))
    ),
    (
      "t_during(opened, INTERVAL('2024-05-01', '..'))",
      Filter(.temporal("opened", .isDuring, TimeInterval(Instant("2024-05-01")!, nil)))
    ),
    (
      "S_INTERSECTS(geometry, BBOX(-10, 4.5, 20, 50))",
      .inside(BoundingBox(west: -10, south: 4.5, east: 20, north: 50))
    ),
    (
      "S_INTERSECTS(position, POLYGON((0 0, 1 0, 1 1, 0 0)))",
      .inside(polygon: [(0, 0), (1, 0), (1, 1), (0, 0)].map { Coordinate(x: $0, y: $1) })
    ),
  ]) func areRead(_ text: String, _ filter: Filter) throws {
    #expect(try Filter(text) == filter)
    #expect(try Filter(filter.description) == filter)
  }

  @Test(arguments: [
    ("", 0, "a condition"), ("kind", 4, "a comparison"), ("kind != 'a'", 5, "a comparison"),
    ("kind = hotel", 7, "a value"),
    ("kind = 'a' kind", 11, "'AND', 'OR' or the end"), ("kind = 'a", 7, "text in single quotes"),
    ("kind IS 'a'", 8, "'NULL'"), ("price BETWEEN 1", 15, "'AND'"), ("kind IN 'a'", 8, "'('"),
    ("(kind = 'a'", 11, "')'"),
    ("price = 1e99999", 8, "38 digits"), ("opened = DATE('2024-13-01')", 14, "a date"),
    ("T_MEETS(a, b)", 0, "'T_AFTER'"),
    ("S_WITHIN(geometry, BBOX(1,2,3,4))", 0, "'S_INTERSECTS'"), ("S_INTERSECTS(home, BBOX(1,2,3,4))", 13, "'geometry'"),
    ("S_INTERSECTS(geometry, BBOX(1,2,3))", 23, "4 edges"), ("kind NOT 'a'", 9, "'BETWEEN'"),
    ("'a' = 'b'", 6, "column"),
    ("price = 1 +", 10, "'AND'"), ("S_INTERSECTS(geometry, POLYGON((0 0, 1 0, 1 1)))", 31, "a ring"),
    ("kind = NULL", 7, "a value"),
    ("T_DURING(a, INTERVAL('2024-01-02', '2024-01-01'))", 12, "an interval"),
  ]) func areRefused(_ text: String, _ position: Int, _ expected: String) {
    let error = #expect(throws: FilterTextError.self) { try Filter(text) }
    #expect(error?.position == position)
    #expect(error?.expected.contains(expected) ?? false, "\(error.map(\.message) ?? "")")
  }

  /// A filter may be made from a ring without its last corner, but CQL2 needs this corner.
  @Test func ringsAreClosed() throws {
    let ring = [(0, 0), (1, 0), (1, 1)].map { Coordinate(x: $0, y: $1) }
    let filter = Filter.inside(polygon: ring, holes: [ring])
    #expect(filter.description == "S_INTERSECTS(geometry, POLYGON((0 0, 1 0, 1 1, 0 0), (0 0, 1 0, 1 1, 0 0)))")
    #expect(filter == .inside(polygon: ring + ring.prefix(1), holes: [ring + ring.prefix(1)]))
    #expect(try JSONDecoder().decode([Filter].self, from: JSONEncoder().encode([filter])) == [filter])
    let tree = try PointSet.one.tree()
    for corners in [[], Array(ring.prefix(1)), Array(ring.prefix(2))] {
      #expect(throws: FilterError.self) { try tree.filtered(by: .inside(polygon: corners)) }
    }
  }

  @Test func pointAtTheFault() {
    let error = #expect(throws: FilterTextError.self) { try Filter("kind != 'hotel'") }
    #expect(
      error?.description == """
        expected a comparison such as '=' or 'IN' after the column 'kind', found '!='; 'is not' is written '<>'
          kind != 'hotel'
               ^
        """)
  }

  @Test func areBounded() throws {
    let deep = String(repeating: "(", count: 64) + "a = 1" + String(repeating: ")", count: 64)
    _ = try Filter(deep)
    _ = try Filter(String(repeating: "NOT ", count: 64) + "a = 1")
    for text in [
      "(\(deep))", "NOT \(deep)", String(repeating: "(", count: 60_000), String(repeating: "NOT ", count: 10_000),
      Array(repeating: "a=1", count: 5000).joined(separator: " OR "),
      "a IN (" + Array(repeating: "1", count: 5000).joined(separator: ",") + ")",
      "a = '" + String(repeating: "x", count: 1 << 16) + "'",
    ] { #expect(throws: FilterTextError.self) { try Filter(text) } }
  }

  /// Checks that each filter can be read back from its text.
  @Test(arguments: Trials.seeds(100)) func areWrittenAsTheyAreRead(_ seed: UInt64) throws {
    var random = SplitMix64(seed: 50_000 + seed)
    let tree = try PointSet.random(seed: seed).tree()
    for _ in 0..<100 {
      let filter = Filter(FilterTests.expression(&random, depth: 4, around: tree))
      #expect(try Filter(filter.description) == filter, "seed \(seed), \(filter)")
      let decoded = try JSONDecoder().decode([Filter].self, from: JSONEncoder().encode([filter]))
      #expect(decoded == [filter])
    }
  }

  /// Any text must either be a filter or cause an error. The error must name a position in the text.
  @Test func mutatedTextsHaveAPlaceOfTheirFault() throws {
    var random = SplitMix64(seed: 51)
    let texts = [
      "kind = 'hotel' AND (price < 120.5 OR NOT open = TRUE)", "T_DURING(opened, INTERVAL('2024-05-01', '..'))",
      "S_INTERSECTS(geometry, MULTIPOLYGON(((0 0, 1 0, 1 1, 0 0))))", "\"a b\" NOT BETWEEN -1e3 AND +.5",
      "kind NOT IN ('a', 'b''c') OR name LIKE '%x_' AND opened <> DATE('2024-05-01')",
    ]
    let pieces: [Unicode.Scalar] = [
      "'", "\"", "(", ")", ",", " ", "=", "<", ">", "-", ".", "e", "9", "N", "é", "\u{0}", "\u{10FFFF}",
    ]
    let count = Trials.count(100_000)
    var readCount = 0
    for _ in 0..<count {
      var scalars = Array(texts[random.index(below: texts.count)].unicodeScalars)
      for _ in 0..<1 + random.index(below: 4) where !scalars.isEmpty {
        let position = random.index(below: scalars.count)
        switch random.index(below: 3) {
        case 0: scalars.remove(at: position)
        case 1: scalars.insert(pieces[random.index(below: pieces.count)], at: position)
        default: scalars[position] = pieces[random.index(below: pieces.count)]
        }
      }
      var text = String.UnicodeScalarView()
      text.append(contentsOf: scalars)
      do {
        let filter = try Filter(String(text))
        readCount += 1
        #expect((try? Filter(filter.description)) == filter, "\(String(text).debugDescription)")
      } catch let error as FilterTextError {
        #expect(0...scalars.count ~= error.position)
        _ = error.description
      }
    }
    #expect(readCount > count / 100)
  }
}
