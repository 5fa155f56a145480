import CTreeline
@_spi(Server) import Treeline
import TreelineBuilder

// The first steps of a build in pieces: the survey of the points, and the plan that divides them into pieces.

/// Bytes that C passes from one step of a build in pieces to another.
final class BytesObject {
  let block: Block
  let count: Int

  init(_ bytes: [UInt8]) { (block, count) = (Block(bytes), bytes.count) }
}

/// Returns bytes as an object for C. Returns NULL if the bytes are nil.
func lent(_ bytes: [UInt8]?) -> OpaquePointer? { bytes.map { OpaquePointer(owning: BytesObject($0)) } }

/// Returns the bytes that C passes; empty if C passes NULL.
///
/// - Throws: `ArgumentError` if the bytes would not fit into memory.
func bytes(_ start: UnsafeRawPointer?, _ count: Int) throws -> [UInt8] {
  guard let start = start?.assumingMemoryBound(to: UInt8.self) else { return [] }
  return Array(try array(start, count, of: "bytes"))
}

@_cdecl("treeline_bytes_start")
public func bytesStart(_ bytes: OpaquePointer?, _ count: UnsafeMutablePointer<Int>?) -> UnsafeRawPointer? {
  let object = bytes.objectIfAny(BytesObject.self)
  count?.pointee = object?.count ?? 0
  return object?.block.start
}

@_cdecl("treeline_bytes_free") public func freeBytes(_ bytes: OpaquePointer?) { bytes?.release() }

// MARK: - Survey

final class SurveyObject: CObject {
  static let noun = "a survey"
  var survey: PointSurvey

  init(_ survey: PointSurvey) { self.survey = survey }
}

@_cdecl("treeline_survey_create")
public func createSurvey(_ isPlanar: Bool) -> OpaquePointer {
  OpaquePointer(owning: SurveyObject(PointSurvey(projection: isPlanar ? .planar : .webMercator)))
}

@_cdecl("treeline_survey_read")
public func readSurvey(_ start: UnsafeRawPointer?, _ count: Int, _ error: ErrorPlace) -> OpaquePointer? {
  attemptObject(error) { SurveyObject(try PointSurvey(bytes: bytes(start, count))) }
}

@_cdecl("treeline_survey_add_points")
public func addPointsToSurvey(
  _ survey: OpaquePointer?, _ points: UnsafePointer<treeline_points>?, _ refused: UnsafeMutablePointer<UInt8>?,
  _ error: ErrorPlace
) -> Bool {
  attempt(error) { () -> Void in
    let object = try survey.object(SurveyObject.self)
    var coordinates = try given(points, "points").pointee.coordinates
    if let refused { coordinates = coordinates.removing(notOn: object.survey.projection, noting: refused) }
    try object.survey.add(coordinates)
  } != nil
}

extension [Coordinate] {
  /// Returns the coordinates that are valid in a projection. On the sphere, longitudes from -180 to 180 and latitudes
  /// from -90 to 90 are valid. Without a map projection, x and y are valid up to a maximum magnitude.
  ///
  /// - Parameter refused: Receives 0 for each valid coordinate and 1 for each invalid coordinate.
  func removing(notOn projection: Plane.Projection, noting refused: UnsafeMutablePointer<UInt8>) -> [Coordinate] {
    var areAllOn = true
    for index in indices {
      let isOn = projection.holds(self[index])
      refused[index] = isOn ? 0 : 1
      areAllOn = areAllOn && isOn
    }
    return areAllOn ? self : indices.filter { refused[$0] == 0 }.map { self[$0] }
  }
}

@_cdecl("treeline_survey_add_survey")
public func addSurveyToSurvey(
  _ survey: OpaquePointer?, _ start: UnsafeRawPointer?, _ count: Int, _ error: ErrorPlace
) -> Bool {
  attempt(error) { () -> Void in
    let object = try survey.object(SurveyObject.self)
    let other = try PointSurvey(bytes: bytes(start, count))
    guard other.projection == object.survey.projection else {
      throw ArgumentError("the surveys have different projections; create both with the same value of is_planar")
    }
    guard object.survey.pointCount + other.pointCount <= IndexHeader.maximumPointCount else {
      throw BuildError.tooManyPoints(found: object.survey.pointCount + other.pointCount)
    }
    object.survey.add(other)
  } != nil
}

@_cdecl("treeline_survey_bytes")
public func surveyBytes(_ survey: OpaquePointer?) -> OpaquePointer? {
  lent(survey.objectIfAny(SurveyObject.self)?.survey.bytes)
}

@_cdecl("treeline_survey_facts")
public func surveyFacts(_ survey: OpaquePointer?, _ facts: UnsafeMutablePointer<treeline_extent_facts>?) {
  let survey = survey.objectIfAny(SurveyObject.self)?.survey
  facts?.pointee = treeline_extent_facts(
    point_count: survey?.pointCount ?? 0, clipped_point_count: survey?.clippedPointCount ?? 0,
    seam: survey?.plane.seam ?? 0)
}

@_cdecl("treeline_survey_free") public func freeSurvey(_ survey: OpaquePointer?) { survey?.release() }

@_cdecl("treeline_project")
public func project(
  _ survey: OpaquePointer?, _ points: UnsafePointer<treeline_points>?, _ positions: UnsafeMutablePointer<UInt32>?,
  _ error: ErrorPlace
) -> Bool {
  attempt(error) { () -> Void in
    let survey = try survey.object(SurveyObject.self).survey
    let plane = survey.plane
    let coordinates = try given(points, "points").pointee.coordinates
    guard !coordinates.isEmpty else { return }
    let positions = try given(positions, "memory for positions")
    for (row, coordinate) in coordinates.enumerated() {
      guard plane.projection.holds(coordinate) else {
        throw BuildError.invalidCoordinate(row: row, found: coordinate, projection: plane.projection)
      }
      guard survey.mayHold(coordinate) else {
        throw ArgumentError(
          "row \(row): the point \(coordinate) lies outside the survey's bounds; add the point to the survey first")
      }
      let point = plane.point(at: coordinate)
      positions[2 * row] = point.x
      positions[2 * row + 1] = point.y
    }
  } != nil
}

// MARK: - Plan

final class PlanObject: CObject {
  static let noun = "a plan"
  var plan: BuildPlan
  /// The open round of the plan. Its questions have been asked, but not answered yet. Nil if no round is open.
  var round: PlanRound?

  init(_ plan: BuildPlan) { self.plan = plan }
}

@_cdecl("treeline_plan_create")
public func createPlan(_ options: UnsafePointer<CChar>?, _ error: ErrorPlace) -> OpaquePointer? {
  attemptObject(error) {
    let options = try read(options) { parameters in
      (
        rule: parameters.splitRule, pieceSize: parameters.integer("piece-size", in: BuildPlan.leastPieceSize...1 << 31),
        mostBins: parameters.integer("most-bins", in: 64...1 << 24)
      )
    }
    var plan = try BuildPlan(rule: options.rule ?? .standard, pieceSize: options.pieceSize ?? 1_000_000)
    if let mostBins = options.mostBins { plan.mostBins = mostBins }
    return PlanObject(plan)
  }
}

extension QueryParameters {
  /// The split rule in the parameter `split`; nil if there is no such parameter.
  var splitRule: SplitRule? {
    mutating get {
      guard let text = text("split") else { return nil }
      let rule = SplitRule(text)
      if rule == nil { refuse("split", expected: SplitRule.expectation, found: text) }
      return rule
    }
  }
}

@_cdecl("treeline_plan_round")
public func nextRound(_ plan: OpaquePointer?) -> OpaquePointer? {
  guard let object = plan.objectIfAny(PlanObject.self) else { return nil }
  if object.round == nil { object.round = object.plan.nextRound() }
  return object.round.map { OpaquePointer(owning: BytesObject($0.bytes)) }
}

@_cdecl("treeline_plan_take")
public func takeAnswers(_ plan: OpaquePointer?, _ start: UnsafeRawPointer?, _ count: Int, _ error: ErrorPlace) -> Bool {
  attempt(error) { () -> Void in
    let object = try plan.object(PlanObject.self)
    guard let round = object.round else {
      throw ArgumentError("no round is open; call treeline_plan_round before treeline_plan_take")
    }
    try object.plan.take(PlanAnswers(to: round, bytes: bytes(start, count)))
    object.round = nil
  } != nil
}

@_cdecl("treeline_plan_pieces")
public func planPieces(_ plan: OpaquePointer?, _ error: ErrorPlace) -> OpaquePointer? {
  attemptObject(error) {
    let object = try plan.object(PlanObject.self)
    if object.round == nil { object.round = object.plan.nextRound() }
    guard object.round == nil else {
      throw ArgumentError("a round is still open; call treeline_plan_take with the answers of this round")
    }
    return BytesObject(object.plan.pieces.bytes)
  }
}

@_cdecl("treeline_plan_free") public func freePlan(_ plan: OpaquePointer?) { plan?.release() }

// MARK: - Answers to a round

final class RoundObject: CObject {
  static let noun = "a round"
  let round: PlanRound
  var answers: PlanAnswers

  init(_ round: PlanRound) { (self.round, answers) = (round, PlanAnswers(to: round)) }
}

@_cdecl("treeline_round_read")
public func readRound(_ start: UnsafeRawPointer?, _ count: Int, _ error: ErrorPlace) -> OpaquePointer? {
  attemptObject(error) { RoundObject(try PlanRound(bytes: bytes(start, count))) }
}

@_cdecl("treeline_round_add_points")
public func addPointsToRound(_ round: OpaquePointer?, _ positions: UnsafePointer<UInt32>?, _ count: Int) {
  guard let positions = try? planePoints(positions, count) else { return }
  round.objectIfAny(RoundObject.self)?.answers.add(positions)
}

/// Returns the positions that C passes. A position consists of x and y.
///
/// - Throws: `ArgumentError` if C passes NULL and the count is not 0, or if the positions would not fit into memory.
func planePoints(_ positions: UnsafePointer<UInt32>?, _ count: Int) throws -> UnsafeBufferPointer<PlanePoint> {
  try array(UnsafeRawPointer(positions)?.assumingMemoryBound(to: PlanePoint.self), count, of: "positions")
}

@_cdecl("treeline_round_add_answers")
public func addAnswersToRound(
  _ round: OpaquePointer?, _ start: UnsafeRawPointer?, _ count: Int, _ error: ErrorPlace
) -> Bool {
  attempt(error) { () -> Void in
    let object = try round.object(RoundObject.self)
    object.answers.add(try PlanAnswers(to: object.round, bytes: bytes(start, count)))
  } != nil
}

@_cdecl("treeline_round_answers")
public func roundAnswers(_ round: OpaquePointer?) -> OpaquePointer? {
  lent(round.objectIfAny(RoundObject.self)?.answers.bytes)
}

@_cdecl("treeline_round_free") public func freeRound(_ round: OpaquePointer?) { round?.release() }
