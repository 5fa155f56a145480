import Foundation
import PointSets
import Testing
import Treeline
@testable import TreelineBuilder

/// A build in pieces. Its steps pass bytes to each other, as if each step ran on another machine.
struct PiecewiseBuild {
  let set: PointSet
  var rule = SplitRule.mean
  var pieceSize: Int
  /// Number of parts into which the points are divided. Each part is surveyed, asked and partitioned separately.
  var parts = 3
  var threads = 1
  var principalLevels = TreeStorage.principalLevels
  /// Whether the points of a piece arrive in random order.
  var shufflesPieces = false
  var columns: [TestColumn] = []
  /// Row number of each point; nil if the build numbers the rows.
  var rows: [Int]?

  /// Returns the bytes of the index, and the number of passes that the plan needed.
  ///
  /// - Parameter damage: Changes each built piece before the pieces are assembled.
  func run(damage: (_ piece: Int, inout [UInt8]) -> Void = { _, _ in }) throws -> (index: [UInt8], passCount: Int) {
    let survey = try survey()
    let points = set.coordinates.map(survey.plane.point(at:))
    let (plan, passCount) = try plan(points)
    let encodings = try encodings()
    var built = try build(plan, points, encodings)
    for piece in built.indices { damage(piece, &built[piece]) }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pieces-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let assembly = IndexAssembly(of: plan, survey, columns: encodings)
    try assembly.write(to: IndexDestination(folder.path), piecesFrom: MemoryPieces(built))
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
      try plan.take(all)
    }
    return (try PiecePlan(bytes: plan.pieces.bytes), plan.passCount)
  }

  private func values(of column: TestColumn, _ points: Range<Int>) throws -> ColumnValues {
    var values = ColumnValues()
    for point in points { values.append(column.value(point)) }
    return try ColumnValues(bytes: values.bytes)
  }

  private func encodings() throws -> [ColumnEncoding] {
    try columns.map { column in
      var all = ColumnSurvey(of: column.purpose, name: column.name)
      for chunk in chunks(set.coordinates.count).reversed() {
        var part = ColumnSurvey(of: column.purpose, name: column.name)
        part.add(try values(of: column, chunk), firstPoint: chunk.lowerBound)
        all.add(try ColumnSurvey(bytes: part.bytes))
      }
      all = try ColumnSurvey(bytes: all.bytes)
      guard try all.needsGathering() else { return try ColumnEncoding(bytes: all.encoding().bytes) }
      var gathered = ColumnEntries()
      for chunk in chunks(set.coordinates.count).reversed() {
        var part = ColumnEntries()
        part.add(try values(of: column, chunk), of: all)
        gathered.add(try ColumnEntries(bytes: part.bytes))
      }
      return try ColumnEncoding(bytes: all.encoding(gathered: gathered).bytes)
    }
  }

  /// Returns the codes of all columns, one point after another.
  private func codes(_ encodings: [ColumnEncoding]) throws -> [UInt8] {
    let length = encodings.reduce(0) { $0 + $1.width }
    var codes = [UInt8](repeating: 0, count: length * set.coordinates.count)
    try codes.withUnsafeMutableBytes { codes in
      guard let start = codes.baseAddress else { return }
      for chunk in chunks(set.coordinates.count) {
        var offset = length * chunk.lowerBound
        for (column, encoding) in zip(columns, encodings) {
          try encoding.encode(try values(of: column, chunk), to: start + offset, stride: length)
          offset += encoding.width
        }
      }
    }
    return codes
  }

  private func build(_ plan: PiecePlan, _ points: [PlanePoint], _ encodings: [ColumnEncoding]) throws -> [[UInt8]] {
    let codes = try codes(encodings)
    let length = encodings.reduce(0) { $0 + $1.width }
    var members = [[Int]](repeating: [], count: plan.pieces.count)
    for (row, piece) in plan.pieces(of: points).enumerated() { members[piece].append(row) }
    var random = SplitMix64(seed: 7)
    return try plan.pieces.map { task in
      let rows = shufflesPieces ? random.shuffled(members[task.number]) : members[task.number]
      return try PieceTask(bytes: task.bytes).build(
        rows.map { points[$0] }, rows: rows.map { self.rows?[$0] ?? $0 }, columns: encodings,
        codes: rows.flatMap { codes[(length * $0)..<(length * ($0 + 1))] }, threads: threads
      ).bytes
    }
  }
}

/// A source of built pieces that are kept in memory.
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
  /// Returns the bytes of an index that is built in memory.
  func indexBytes(
    _ rule: SplitRule = .mean, threads: Int = 1, columns: [TestColumn] = [],
    row: ((Int) -> Int)? = nil
  ) throws -> [UInt8] {
    try tree(rule, threads: threads).indexBytes(columns: columns, row: row)
  }
}

extension ClusterTree {
  /// Returns the bytes of an index of this tree.
  func indexBytes(columns: [TestColumn] = [], row: ((Int) -> Int)? = nil) throws -> [UInt8] {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("index-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    try write(
      toFile: file.path, attributes: columns.compactMap(\.attribute), columns: columns.compactMap(\.column), row: row)
    return [UInt8](try Data(contentsOf: file))
  }
}

extension IndexBuild {
  /// Returns a build that has read all points of a set. If the folder contains a stopped build, continues that build.
  ///
  /// - Parameters:
  ///   - rows: Row number of each point; nil if the build numbers the rows.
  ///   - groups: Group of each point; nil if the build has no groups.
  ///   - stage: Stage in which the build is canceled.
  ///   - count: Number of blocks of points in that stage before the cancellation.
  static func ofAllPoints(
    _ set: PointSet, in folder: ScratchFolder, _ options: Options, batch: Int, columns: [TestColumn],
    rows: [Int]? = nil, groups: [PointGroups.Group]? = nil, cancelledIn stage: Stage?, after count: Int,
    onDamage: (PieceError) -> Void = { _ in }
  ) throws -> IndexBuild {
    let resumed = IndexBuild(resuming: "test", in: folder, options, checksum: { 7 }, onDamage: onDamage)
    if resumed != nil { #expect(stage == nil) }
    let build = try resumed ?? IndexBuild(in: folder, identity: "test", options)
    if resumed == nil {
      for points in set.coordinates.indices.blocks(of: batch) {
        let values = columns.map { column in
          var values = ColumnValues()
          for point in points { values.append(column.value(point)) }
          return values
        }
        try build.append(
          Array(set.coordinates[points]), skippedRows: [], givenRows: rows?[points].map { UInt64($0) } ?? [],
          groups: groups.map { Array($0[points]) } ?? [], values: values)
      }
      try build.finishReading(checksum: 7)
    }
    var left = count
    build.progress = { [unowned build] now, _, _ in
      if now == stage {
        left -= 1
        if left < 0 { build.cancel() }
      }
    }
    return build
  }
}

/// A column whose values are computed from the numbers of the points. It may be of any kind.
struct TestColumn: Sendable {
  let purpose: ColumnSurvey.Purpose
  let name: String
  let value: @Sendable (Int) -> AttributeValue?
  var preparations: Set<IndexColumn.Preparation> = []

  var attribute: IndexAttribute? { purpose == .attribute ? IndexAttribute(name: name, value: value) : nil }

  var column: IndexColumn? {
    guard case .typed(let kind) = purpose else { return nil }
    return IndexColumn(name: name, kind: kind, value: value).prepared(for: preparations)
  }

  /// Returns columns of all kinds: detected and declared, with few and with many values, with and without missing
  /// values.
  ///
  /// - Parameter arePrepared: Whether typed columns have preparations. Every fourth typed column has none.
  static func all(seed: UInt64, arePrepared: Bool) -> [TestColumn] {
    let choices: [Set<IndexColumn.Preparation>] = [[.percentiles], [.distinct], [.percentiles, .distinct], []]
    return all(seed: seed).enumerated().map { number, column in
      var column = column
      if arePrepared, column.purpose != .attribute { column.preparations = choices[number % 4] }
      if arePrepared, ["towns", "towns too", "names", "text"].contains(column.name) {
        column.preparations.insert(.search)
      }
      return column
    }
  }

  static func all(seed: UInt64) -> [TestColumn] {
    @Sendable func random(_ point: Int, _ column: UInt64) -> Int {
      var random = SplitMix64(seed: seed &+ UInt64(point) &* 31 &+ column)
      return random.index(below: 1 << 40)
    }
    func column(
      _ purpose: ColumnSurvey.Purpose, _ name: String, _ value: @escaping @Sendable (Int) -> AttributeValue?
    ) -> TestColumn { TestColumn(purpose: purpose, name: name, value: value) }
    let texts: @Sendable (Int) -> AttributeValue? = { .string("text \(random($0, 3) % 5000)é") }
    let days: @Sendable (Int) -> AttributeValue? = {
      .string("20\(10 + random($0, 4) % 90)-01-\(10 + random($0, 5) % 20)")
    }
    return [
      column(.typed(nil), "prices") {
        random($0, 1) % 9 == 0 ? nil : .number("\(random($0, 1) % 1000).\(random($0, 2) % 100)")
      },
      column(.typed(.number), "counts") { .number("\(random($0, 6) % 200)") },
      column(.typed(nil), "reals") { .number("\(Double(random($0, 7)) * 1e20)") },
      column(.attribute, "kept numbers") { random($0, 8) % 4 == 0 ? .null : .number("\(random($0, 8) % 77)") },
      column(.attribute, "kept values") { [.null, nil, .bool(true), .number("1.50"), texts($0)][random($0, 9) % 5] },
      column(.typed(nil), "towns", texts), column(.typed(.category), "towns too", texts),
      column(.typed(nil), "kinds") { .string(["inn", "hut", ""][random($0, 10) % 3]) },
      column(.typed(.category), "mixed") {
        [.number("1"), .string("1"), .bool(false), nil, .null][random($0, 11) % 5]
      },
      column(.typed(nil), "days", days), column(.typed(.time), "times") { .number("\(random($0, 12)).5") },
      column(.typed(.timeInMilliseconds), "ms") { .number("\(random($0, 13))") },
      column(.typed(nil), "open") {
        random($0, 14) % 3 == 0 ? .null : .string(random($0, 15) % 2 == 0 ? "TRUE" : "false")
      },
      column(.typed(.boolean), "yes") { .string(random($0, 16) % 2 == 0 ? "yes" : "no") },
      column(.typed(.text), "text") { random($0, 17) % 3 == 0 ? nil : .json("[\(random($0, 18) % 9)]") },
      column(.typed(nil), "numbers and a text") { $0 == 11 ? .string("none") : .number("\($0)") },
      column(.typed(nil), "nothing") { $0 % 2 == 0 ? .null : nil },
      column(.typed(nil), "names") { .string("name \($0)") },
      column(.typed(nil), "not known") { $0 % 3 == 0 ? .string("NaN") : .number("-\($0).25") },
    ]
  }
}
