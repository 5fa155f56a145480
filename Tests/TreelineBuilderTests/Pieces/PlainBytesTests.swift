import PointSets
import TestSupport
import Testing
import Treeline
@testable import TreelineBuilder

/// Checks the bytes that one step of a build in pieces passes to the next. On the way, they may be truncated or
/// changed.
@Suite struct PlainBytesTests {
  private static let set = PointSet.cities(600, seed: 3)

  private func points() throws -> (survey: PointSurvey, points: [PlanePoint]) {
    var survey = PointSurvey(projection: .webMercator)
    try Self.set.coordinates.withUnsafeBufferPointer { try survey.add($0) }
    return (survey, Self.set.coordinates.map(survey.plane.point(at:)))
  }

  @Test(arguments: [SplitRule.mean, .leastScatter]) func damagedBytesAreAnErrorOrAValue(_ rule: SplitRule) throws {
    let (survey, points) = try points()
    var plan = try BuildPlan(rule: rule, pieceSize: 100)
    damage(survey.bytes) { try PointSurvey(bytes: $0) }
    while let round = plan.nextRound() {
      var answers = PlanAnswers(to: round)
      points.withUnsafeBufferPointer { answers.add($0) }
      damage(round.bytes) { bytes in
        let damaged = try PlanRound(bytes: bytes)
        var answers = PlanAnswers(to: damaged)
        points.withUnsafeBufferPointer { answers.add($0) }
      }
      damage(answers.bytes) { try PlanAnswers(to: round, bytes: $0) }
      try plan.take(answers)
    }
    let pieces = plan.pieces
    #expect(pieces.pieces.count > 6)
    damage(pieces.bytes) { _ = try PiecePlan(bytes: $0).pieces(of: points) }
    damage(PiecePlan(ofMergedTree: 100, pieceSize: 30).bytes) { _ = try PiecePlan(bytes: $0).pieces(of: points) }
    for task in pieces.pieces { damage(task.bytes) { try PieceTask(bytes: $0) } }
  }

  /// Reads bytes after changing them. Reading must end in a value or in an error.
  private func damage<Value>(_ bytes: [UInt8], _ read: ([UInt8]) throws -> Value) {
    var random = SplitMix64(seed: UInt64(bytes.count))
    for _ in 0..<Trials.count(60) {
      var damaged = bytes
      if random.index(below: 2) == 0 {
        damaged.removeLast(1 + random.index(below: bytes.count))
        #expect(throws: PieceError.self) { try read(damaged) }
      } else {
        for _ in 0...random.index(below: 3) {
          damaged[random.index(below: bytes.count)] ^= 1 << UInt8(random.index(below: 8))
        }
        _ = try? read(damaged)
      }
    }
    #expect(throws: PieceError.self) { try read(bytes + [0]) }
  }

  @Test func damagedColumnsAreAnErrorOrAValue() throws {
    for column in TestColumn.all(seed: 6) {
      var values = ColumnValues()
      for point in 0..<300 { values.append(column.value(point)) }
      var survey = ColumnSurvey(of: column.purpose, name: column.name)
      survey.add(values, firstPoint: 0)
      let encoding = try survey.encoding()
      damage(values.bytes) { try ColumnValues(bytes: $0) }
      damage(survey.bytes) { bytes in
        let survey = try ColumnSurvey(bytes: bytes)
        if try !survey.needsGathering() { _ = try survey.encoding().bytes }
      }
      damage(encoding.bytes) { try ColumnEncoding(bytes: $0) }
    }
  }

  @Test(arguments: [[], TestColumn.all(seed: 2)]) func piecesThatAreDamagedAreFound(_ columns: [TestColumn]) throws {
    let build = PiecewiseBuild(set: Self.set, pieceSize: 100, columns: columns)
    var random = SplitMix64(seed: 8)
    for _ in 0..<Trials.count(40) {
      let seed = random.next()
      #expect(throws: PieceError.self) {
        try build.run { piece, bytes in
          if piece == 2 { bytes[Int(seed % UInt64(bytes.count))] ^= 1 << UInt8(seed % 7) }
        }
      }
    }
    #expect(throws: PieceError.self) { try build.run { piece, bytes in if piece == 1 { bytes.removeLast() } } }
  }

  @Test func whatNoPieceHoldsIsRefused() throws {
    #expect(throws: PieceError.self) { try BuildPlan(rule: SplitRule("gamma:2")!, pieceSize: 100) }
    var survey = PointSurvey(projection: .webMercator)
    let bad = [Coordinate(longitude: 1, latitude: 2), Coordinate(longitude: .nan, latitude: 2)]
    // NaN is not equal to itself, so an error that contains NaN cannot be compared with an expected error.
    let error = #expect(throws: PieceError.self) {
      try bad.withUnsafeBufferPointer { try survey.add($0, firstRow: 7) }
    }
    if case .invalid(.invalidCoordinate(8, _, .webMercator)) = error { return }
    Issue.record("expected an invalid coordinate of row 8, found \(String(describing: error))")
  }
}
