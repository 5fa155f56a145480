import Foundation
import PointSets
import Testing
import Treeline
@testable import TreelineBuilder

/// Damages or forges the bytes that one step of a build in pieces passes to the next. Reading the bytes and all later
/// steps must end. Damaged bytes must lead to an error. Forged bytes, whose checksums match, may also lead to a value.
@Suite struct DamagedStepsTests {
  /// Number of damaged inputs. `TREELINE_MUTATIONS` overrides it.
  private static let count = ProcessInfo.processInfo.environment["TREELINE_MUTATIONS"].flatMap(Int.init) ?? 1500
  private static let seed = ProcessInfo.processInfo.environment["TREELINE_SEED"].flatMap(UInt64.init) ?? 20_260_501

  @Test(arguments: [SplitRule.mean, .leastScatter]) func damagedBytesAreAnError(_ rule: SplitRule) throws {
    let steps = try Steps(rule)
    var random = SplitMix64(seed: Self.seed)
    for number in 0..<Self.count {
      let step = steps.all[random.index(below: steps.all.count)]
      let damaged = random.damaged(step.bytes)
      let isRefused: Bool
      do {
        try step.proceed(damaged)
        isRefused = false
      } catch { isRefused = error is PieceError }
      #expect(isRefused != (damaged == step.bytes), "seed \(Self.seed), \(number), \(step.kind)")
    }
  }

  /// Checks forged bytes: damaged content with matching checksums.
  @Test(arguments: [SplitRule.mean, .leastScatter]) func madeUpBytesAreAnErrorOrAValue(_ rule: SplitRule) throws {
    let steps = try Steps(rule)
    var random = SplitMix64(seed: Self.seed)
    var refusedCount = 0
    for number in 0..<Self.count {
      let step = steps.all[random.index(below: steps.all.count)]
      let content = random.damaged(Array(step.bytes.dropLast(8)))
      do { try step.proceed(PlainBytes(content).sealed(as: step.kind)) } catch {
        refusedCount += 1
        #expect(error is PieceError || error is ColumnError, "seed \(Self.seed), \(number), \(step.kind): \(error)")
      }
    }
    #expect(refusedCount > Self.count / 4)
  }

  @Test func answersOfOthersAreRefused() throws {
    let points = PointSet.cities(900, seed: 3).planePoints
    var plan = try BuildPlan(rule: .mean, pieceSize: 100)
    var next = plan.nextRound()
    let first = try #require(next)
    var (all, some) = (PlanAnswers(to: first), PlanAnswers(to: first))
    all.add(points)
    try plan.take(all)
    next = plan.nextRound()
    let second = try #require(next)
    some.add(Array(points.dropLast()))
    #expect(throws: PieceError.self) { try PlanAnswers(to: second, bytes: all.bytes) }
    // Answers of only some points are refused. Afterwards the plan still accepts the answers of all points.
    some = PlanAnswers(to: second)
    some.add(Array(points.dropLast()))
    #expect(throws: PieceError.self) { try plan.take(some) }
    all = PlanAnswers(to: second)
    all.add(points)
    try plan.take(all)
    next = plan.nextRound()
    #expect(next != nil)
  }

  @Test func pointsOfAnotherPieceAreRefused() throws {
    let points = PointSet.cities(900, seed: 3).planePoints
    let pieces = try BuildPlan.pieces(of: points, .leastScatter)
    let numbers = pieces.pieces(of: points)
    for task in pieces.pieces where !task.isStack {
      var own = points.indices.filter { numbers[$0] == task.number }
      own[0] = try #require(points.indices.first { numbers[$0] != task.number })
      #expect(throws: PieceError.self) { try task.build(own.map { points[$0] }, rows: own) }
    }
  }

  @Test(arguments: [
    ("260", false), ("-1", false), ("0.5", false), ("9223372036854775807", false), ("1e999", false), ("254", true),
    ("6", true),
  ])
  func numbersBeyondTheSurveyHaveNoCode(_ number: String, _ hasCode: Bool) throws {
    let encoding = try ColumnEncoding.surveying([0, 1, 6].map { .number("\($0)") }, as: .number)
    #expect(try encoding.code(of: .number(number)) == (hasCode ? UInt64(number) : nil))
  }

  @Test func valuesThatWereNotSurveyedHaveNoCode() throws {
    let texts: [AttributeValue] = ["a", "b"].map { .string($0) }
    let kinds: [(IndexColumn.Kind?, [AttributeValue], AttributeValue)] = [
      (.category, texts, .string("c")), (.text, texts, .string("c")), (.text, texts, .null), (nil, texts, .string("")),
      (.boolean, [.bool(true)], .string("perhaps")), (.number, [.number("1.5e300")], .number("1e999")),
      (.number, [.number("1")], .string("one")), (.time, [.string("2024-05-01")], .string("2024-05-01T01:00:00Z")),
      (.time, [.string("2024-05-01T01:00:00Z")], .string("2024-05-01T01:00:00.5Z")),
      (.time, [.string("2024-05-01T01:00:00Z")], .string("2023-05-01T01:00:00Z")),
      (.category, (0..<256).map { .string("\($0)") }, .null),
    ]
    for (kind, surveyed, other) in kinds {
      let encoding = try ColumnEncoding.surveying(surveyed, as: kind)
      #expect(try encoding.code(of: other) == nil, "\(String(describing: kind)), \(other)")
      #expect(try encoding.code(of: surveyed[0]) != nil)
    }
  }
}

/// The bytes that the steps of a build pass on. `proceed` runs the rest of the build with other bytes in their place.
private struct Steps {
  struct Step {
    /// Kind of the bytes. The checksum covers the kind, too.
    let kind: String
    let bytes: [UInt8]
    let proceed: ([UInt8]) throws -> Void
  }

  private(set) var all: [Step] = []
  private let points = PointSet.nullIsland(stack: 130, noise: 500, seed: 4).planePoints

  init(_ rule: SplitRule) throws {
    var survey = PointSurvey(projection: .webMercator)
    try survey.add(PointSet.nullIsland(stack: 130, noise: 500, seed: 4).coordinates)
    var planar = PointSurvey(projection: .planar)
    try planar.add([Coordinate(longitude: 1, latitude: 5), Coordinate(longitude: 7, latitude: -2)])
    for survey in [survey, planar] {
      add(survey) { found in
        var all = survey
        if found.projection == all.projection { all.add(found) }
        _ = all.plane.point(at: Coordinate(longitude: 3, latitude: 3))
      }
    }
    let encodings = try addColumns()
    let (points, columns) = (points, encodings)
    try addRounds(rule)
    let pieces = try BuildPlan.pieces(of: points, rule)
    add(pieces) { try $0.assemble(points, survey, columns) }
    for task in pieces.pieces.prefix(3) {
      add(task) { found in
        let rows = points.indices.filter { pieces.pieces(of: [points[$0]]) == [task.number] }
        let codes = [UInt8](repeating: 0, count: rows.count * columns.reduce(0) { $0 + $1.width })
        _ = try found.build(rows.map { points[$0] }, rows: rows, columns: columns, codes: codes)
      }
    }
  }

  private mutating func add<Value: BinaryCodable>(_ value: Value, _ proceed: @escaping (Value) throws -> Void) {
    all.append(Step(kind: "\(Value.self)", bytes: value.plainBytes) { try proceed(Value(plainBytes: $0)) })
  }

  /// Adds rounds with all kinds of questions, and the answers to these rounds.
  private mutating func addRounds(_ rule: SplitRule) throws {
    let points = points
    var plan = try BuildPlan(rule: rule, pieceSize: 100)
    plan.mostBins = 200
    while let round = plan.nextRound() {
      var answers = PlanAnswers(to: round)
      answers.add(points)
      add(round) { found in
        var others = PlanAnswers(to: found)
        others.add(points)
        _ = others.bytes
      }
      let asking = plan
      all.append(
        Step(kind: PlanAnswers.kind(to: round), bytes: answers.bytes) { bytes in
          var (plan, found) = (asking, try PlanAnswers(to: round, bytes: bytes))
          try plan.take(found)
          // Answers all later rounds correctly, so that one of them finds any inconsistency.
          for _ in 0..<200 {
            guard let round = plan.nextRound() else { break }
            found = PlanAnswers(to: round)
            found.add(points)
            try plan.take(found)
          }
          if plan.nextRound() == nil { _ = try PiecePlan(bytes: plan.pieces.bytes) }
        })
      try plan.take(answers)
    }
  }

  /// - Returns: The encoding of each column.
  private mutating func addColumns() throws -> [ColumnEncoding] {
    let count = points.count
    return try TestColumn.all(seed: 6).map { column in
      var values = ColumnValues()
      for point in 0..<count { values.append(column.value(point)) }
      var survey = ColumnSurvey(of: column.purpose, name: column.name)
      survey.add(values, firstPoint: 0)
      let (encoding, entries) = (try survey.encoding(), GatheredColumnsTests.entries(of: values, survey))
      func encode(_ values: ColumnValues, _ encoding: ColumnEncoding) throws {
        var codes = [UInt8](repeating: 0, count: encoding.width * values.count + 1)
        try codes.withUnsafeMutableBytes {
          _ = try encoding.encode(values, to: $0.baseAddress!, stride: encoding.width)
        }
      }
      add(values) { try encode($0, encoding) }
      add(survey) { found in
        var all = try found.numbered(from: 5)
        if all.purpose == survey.purpose { all.add(survey) }
        if try !all.needsGathering() { try encode(values, all.encoding()) }
      }
      add(entries) { found in
        var all = entries
        all.add(found)
        if try survey.needsGathering() { try encode(values, survey.encoding(gathered: all)) }
      }
      add(encoding) { try encode(values, $0) }
      return encoding
    }
  }
}

private enum GatheredColumnsTests {
  static func entries(of values: ColumnValues, _ survey: ColumnSurvey) -> ColumnEntries {
    var entries = ColumnEntries()
    entries.add(values, of: survey)
    return entries
  }
}

extension PointSet {
  fileprivate var planePoints: [PlanePoint] {
    var survey = PointSurvey(projection: projection)
    do { try survey.add(coordinates) } catch { Issue.record(error) }
    return coordinates.map(survey.plane.point(at:))
  }
}

extension BuildPlan {
  fileprivate static func pieces(of points: [PlanePoint], _ rule: SplitRule) throws -> PiecePlan {
    var plan = try BuildPlan(rule: rule, pieceSize: 100)
    while let round = plan.nextRound() {
      var answers = PlanAnswers(to: round)
      answers.add(points)
      try plan.take(answers)
    }
    return plan.pieces
  }
}

extension PiecePlan {
  /// Builds all pieces and assembles them.
  fileprivate func assemble(_ points: [PlanePoint], _ survey: PointSurvey, _ columns: [ColumnEncoding]) throws {
    guard pointCount == survey.pointCount else { throw PieceError.damaged(what: "", expected: "", found: "") }
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("damaged-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let (folder, numbers) = (PieceFolder(path), pieces(of: points))
    for task in pieces {
      let rows = points.indices.filter { numbers[$0] == task.number }
      let codes = [UInt8](repeating: 0, count: rows.count * columns.reduce(0) { $0 + $1.width })
      try folder.write(task.build(rows.map { points[$0] }, rows: rows, columns: columns, codes: codes))
    }
    let assembly = IndexAssembly(of: self, survey, columns: columns)
    try assembly.write(to: IndexDestination(path + "/index"), piecesFrom: folder)
  }
}

extension ColumnEncoding {
  fileprivate static func surveying(_ values: [AttributeValue], as kind: IndexColumn.Kind?) throws -> ColumnEncoding {
    var all = ColumnValues()
    for value in values { all.append(value) }
    var survey = ColumnSurvey(of: .typed(kind), name: "v")
    survey.add(all, firstPoint: 0)
    return try ColumnEncoding(bytes: survey.encoding().bytes)
  }

  /// Returns the code of a value; nil if encoding the value throws an error.
  fileprivate func code(of value: AttributeValue) throws -> UInt64? {
    var values = ColumnValues()
    values.append(value)
    var code: UInt64 = 0
    do { try withUnsafeMutableBytes(of: &code) { _ = try encode(values, to: $0.baseAddress!, stride: 8) } } catch {
      #expect(error is ColumnError)
      return nil
    }
    return code
  }
}

extension SplitMix64 {
  /// Returns the bytes after some of them were changed, removed or repeated.
  fileprivate mutating func damaged(_ bytes: [UInt8]) -> [UInt8] {
    var damaged = bytes
    for _ in 0...index(below: 3) where !damaged.isEmpty {
      let place = index(below: damaged.count)
      switch index(below: 8) {
      case 0: damaged.removeSubrange(place...)
      case 1: damaged.removeSubrange(place..<min(place + 1 + index(below: 16), damaged.count))
      case 2: damaged.insert(contentsOf: damaged[place..<min(place + 8, damaged.count)], at: place)
      case 3, 4:
        // Replaces a value by a number that often crashes programs.
        let values: [UInt64] = [
          0, 1, .max, 1 << 31, 1 << 32, 1 << 53, 1 << 62, 1 << 63, (1 << 63) - 1, Double.nan.bitPattern,
          Double.infinity.bitPattern,
        ]
        let value = values[index(below: values.count)]
        for byte in 0..<8 where place + byte < damaged.count {
          damaged[place + byte] = UInt8(truncatingIfNeeded: value >> UInt64(8 * byte))
        }
      default: damaged[place] ^= 1 << UInt8(index(below: 8))
      }
    }
    return damaged
  }
}
