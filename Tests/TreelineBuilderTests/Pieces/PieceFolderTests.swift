import Foundation
import PointSets
import Testing
import Treeline
import TreelineBuilder

/// Runs the steps of a build in pieces as users run them, with the pieces in a folder.
@Suite struct PieceFolderTests {
  private let set = PointSet.nullIsland(stack: 300, noise: 900, seed: 4)

  private func survey() throws -> PointSurvey {
    var survey = PointSurvey(projection: .webMercator)
    try survey.add(set.coordinates)
    return survey
  }

  private func plan(_ points: [PlanePoint]) throws -> PiecePlan {
    var plan = try BuildPlan(rule: .mean, pieceSize: 100)
    while let round = plan.nextRound() {
      var answers = PlanAnswers(to: round)
      answers.add(points)
      try plan.take(answers)
    }
    return plan.pieces
  }

  /// Runs a test with an empty folder.
  private func withFolder(_ body: (PieceFolder) throws -> Void) throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("pieces-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: path) }
    try body(PieceFolder(path))
  }

  @Test func piecesInAFolderAreTheIndexOfABuildInMemory() throws {
    let survey = try survey()
    let points = set.coordinates.map(survey.plane.point(at:))
    let plan = try plan(points)
    let numbers = plan.pieces(of: points)
    try withFolder { folder in
      // Builds the pieces from the last to the first, and each piece twice, as if a machine had been lost.
      for task in (plan.pieces + plan.pieces).reversed() {
        let rows = points.indices.filter { numbers[$0] == task.number }
        #expect(rows.count <= 100 || task.isStack)
        try folder.write(try task.build(rows.map { points[$0] }, rows: rows, threads: 2))
      }
      let index = folder.path + "/index"
      try IndexAssembly(of: plan, survey).write(to: IndexDestination(index), piecesFrom: folder)
      #expect(try [UInt8](Data(contentsOf: URL(fileURLWithPath: index))) == set.indexBytes())
      // The folder contains only the pieces and the index.
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == plan.pieces.count + 1)
    }
  }

  @Test func otherPointsThanWerePlannedAreRefused() throws {
    let survey = try survey()
    let plan = try plan(set.coordinates.map(survey.plane.point(at:)))
    let task = try #require(plan.pieces.first { $0.pointCount > 10 && !$0.isStack })
    let points = [PlanePoint](repeating: PlanePoint(x: 1, y: 2), count: task.pointCount)
    let rows = Array(points.indices)
    #expect(throws: PieceError.self) { try task.build(Array(points.dropLast()), rows: Array(rows.dropLast())) }
    #expect(throws: PieceError.self) { try task.build(points, rows: rows.map { min($0, 3) }) }
    #expect(throws: PieceError.self) { try task.build(points, rows: rows.map { $0 + 1 << 53 }) }
  }

  @Test func piecesThatAreMissingAreAnError() throws {
    let survey = try survey()
    let plan = try plan(set.coordinates.map(survey.plane.point(at:)))
    try withFolder { folder in
      let destination = try IndexDestination(folder.path + "/index")
      #expect(throws: PieceError.self) {
        try IndexAssembly(of: plan, survey).write(to: destination, piecesFrom: folder)
      }
      #expect(!FileManager.default.fileExists(atPath: folder.path + "/index"))
      let elsewhere = PieceFolder(folder.path + "/none")
      let task = try #require(plan.pieces.first { $0.isStack })
      let stack = try task.build(
        [PlanePoint](repeating: survey.plane.point(at: Coordinate(longitude: 0, latitude: 0)), count: task.pointCount),
        rows: Array(0..<task.pointCount))
      #expect(throws: PieceError.self) { try elsewhere.write(stack) }
    }
  }
}
