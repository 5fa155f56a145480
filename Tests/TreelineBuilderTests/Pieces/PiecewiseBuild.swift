import Foundation
import PointSets
import Treeline
@testable import TreelineBuilder

/// A build in pieces whose steps are handed from one to the next as bytes, as if each ran on another machine.
struct PiecewiseBuild {
  let set: PointSet
  var rule = SplitRule.mean
  var pieceSize: Int
  /// How many parts of the points are surveyed, asked and partitioned apart.
  var parts = 3
  var threads = 1
  var principalLevels = TreeStorage.principalLevels
  /// In which order the points of a piece reach who builds it.
  var shufflesPieces = false

  /// The bytes of the index, and how many passes the plan took.
  ///
  /// - Parameter damage: What becomes of each built piece before they are put together.
  func run(damage: (_ piece: Int, inout [UInt8]) -> Void = { _, _ in }) throws -> (index: [UInt8], passCount: Int) {
    let survey = try survey()
    let points = set.coordinates.map(survey.plane.point(at:))
    let (plan, passCount) = try plan(points)
    var built = try build(plan, points)
    for piece in built.indices { damage(piece, &built[piece]) }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pieces-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try IndexAssembly(of: plan, survey).write(to: IndexDestination(folder.path), piecesFrom: MemoryPieces(built))
    return ([UInt8](try Data(contentsOf: folder)), passCount)
  }

  private func chunks(_ count: Int) -> [Range<Int>] {
    (0..<parts).map { count * $0 / parts..<count * ($0 + 1) / parts }
  }

  private func survey() throws -> PointSurvey {
    var all = PointSurvey(projection: set.projection)
    for chunk in chunks(set.coordinates.count).reversed() {
      var part = PointSurvey(projection: set.projection)
      try set.coordinates[chunk].withUnsafeBufferPointer { try part.add($0, firstRow: chunk.lowerBound) }
      all.add(try PointSurvey(bytes: part.bytes))
    }
    return try PointSurvey(bytes: all.bytes)
  }

  private func plan(_ points: [PlanePoint]) throws -> (PiecePlan, passCount: Int) {
    var plan = try BuildPlan(rule: rule, pieceSize: pieceSize, principalLevels: principalLevels)
    while let round = plan.nextRound() {
      let sent = try PlanRound(bytes: round.bytes)
      var all = PlanAnswers(to: round)
      for chunk in chunks(points.count).reversed() {
        var part = PlanAnswers(to: sent)
        points[chunk].withUnsafeBufferPointer { part.add($0) }
        all.add(try PlanAnswers(to: round, bytes: part.bytes))
      }
      plan.take(all)
    }
    return (try PiecePlan(bytes: plan.pieces.bytes), plan.passCount)
  }

  private func build(_ plan: PiecePlan, _ points: [PlanePoint]) throws -> [[UInt8]] {
    var members = [[Int]](repeating: [], count: plan.pieces.count)
    for (row, piece) in plan.pieces(of: points).enumerated() { members[piece].append(row) }
    var random = SplitMix64(seed: 7)
    return try plan.pieces.map { task in
      let rows = shufflesPieces ? random.shuffled(members[task.number]) : members[task.number]
      return try PieceTask(bytes: task.bytes).build(threads: threads) { ownPoints, ownRows in
        for (index, row) in rows.enumerated() {
          ownPoints[index] = points[row]
          ownRows[index] = UInt32(row)
        }
      }.bytes
    }
  }
}

/// Built pieces in memory.
private struct MemoryPieces: PieceSource {
  let pieces: [[UInt8]]

  init(_ pieces: [[UInt8]]) { self.pieces = pieces }

  func read(piece: Int, at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(PieceError) {
    guard pieces[piece].count - offset >= buffer.count else {
      throw .damaged(
        what: "piece \(piece)", expected: "\(offset + buffer.count) bytes", found: "\(pieces[piece].count)")
    }
    pieces[piece].withUnsafeBytes {
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + buffer.count]))
    }
  }
}

extension PointSet {
  /// The bytes of the index that is built in memory.
  func indexBytes(_ rule: SplitRule = .mean, threads: Int = 1, computesSeparations: Bool = false) throws -> [UInt8] {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("index-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    try tree(rule, threads: threads, computesSeparations: computesSeparations).write(index: file.path)
    return [UInt8](try Data(contentsOf: file))
  }
}
