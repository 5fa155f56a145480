import Treeline

extension PlanRound: BinaryCodable {
  package func write(to bytes: inout PlainBytes) {
    bytes.append(routing)
    bytes.append(questions)
  }

  package init(from bytes: inout PlainBytes) throws(PieceError) {
    routing = try PointRouting(from: &bytes)
    questions = try bytes.readValues()
    guard routing.leafCount == questions.count + 1 else {
      throw .damaged(
        what: "a round of a plan", expected: "\(routing.leafCount - 1) questions", found: "\(questions.count)")
    }
    let binCount = questions.reduce(0) { count, question in
      if case .positions(let positions) = question { count + positions.binCount } else { count }
    }
    let most = max(Self.mostBins, Self.binsOfAnyNode * questions.count)
    guard binCount <= most else {
      throw .damaged(what: "a round of a plan", expected: "\(most) bins or fewer", found: "\(binCount)")
    }
  }
}

extension PlanQuestion: BinaryCodable {
  func write(to bytes: inout PlainBytes) {
    switch self {
    case .extent: bytes.append(0 as UInt8)
    case .positions(let question):
      bytes.append(1 as UInt8)
      bytes.append(SplitLine(corner: question.corner, axis: question.axis, threshold: 0))
      bytes.append(question.ranges)
    case .left(let split):
      bytes.append(2 as UInt8)
      bytes.append(split)
    }
  }

  init(from bytes: inout PlainBytes) throws(PieceError) {
    switch try bytes.read(UInt8.self) {
    case 0: self = .extent
    case 1:
      let line = try SplitLine(from: &bytes)
      let ranges: [PositionQuestion.ProductRange] = try bytes.readArray()
      var end = 0
      for range in ranges {
        guard range.firstBin == end, 1...(1 << BinScale.mostBits) ~= range.scale.count, range.scale.isSound else {
          throw .damaged(what: "a round of a plan", expected: "bins numbered without gaps", found: "\(range)")
        }
        end += range.scale.count
      }
      self = .positions(PositionQuestion(corner: line.corner, axis: line.axis, ranges: ranges))
    case 2: self = .left(try SplitLine(from: &bytes))
    case let kind: throw .damaged(what: "a round of a plan", expected: "a kind of question", found: "number \(kind)")
    }
  }
}

extension SplitLine: BinaryCodable {
  func write(to bytes: inout PlainBytes) {
    bytes.append([Int64(corner.x), Int64(corner.y), axis.x, axis.y, threshold])
  }

  init(from bytes: inout PlainBytes) throws(PieceError) {
    let numbers: [Int64] = try bytes.readArray()
    guard numbers.count == 5, let x = UInt32(exactly: numbers[0]), let y = UInt32(exactly: numbers[1]) else {
      throw .damaged(what: "a split line", expected: "a corner, an axis and a threshold", found: "\(numbers)")
    }
    self.init(
      corner: PlanePoint(x: x, y: y), axis: PrincipalAxis(x: numbers[2], y: numbers[3]), threshold: numbers[4])
  }
}

extension PlanAnswers {
  /// The answers as bytes. A reader of these bytes also needs the round.
  public var bytes: [UInt8] {
    var bytes = PlainBytes([])
    for answer in answers {
      switch answer {
      case .extent(let moments, let box):
        bytes.append(box.map { [PointExtent(moments, in: $0)] } ?? [])
      case .positions(let bins): bytes.append(bins)
      case .left(let sums): bytes.append([sums.count, sums.x, sums.y])
      }
    }
    return bytes.sealed(as: Self.kind(to: round))
  }

  /// - Parameter bytes: Bytes that were read from the property `bytes` of other answers to the same round.
  /// - Throws: `PieceError.damaged` if the bytes were changed afterwards, or if they are answers to another round.
  public init(to round: PlanRound, bytes: [UInt8]) throws {
    var bytes = try PlainBytes(bytes, sealedAs: Self.kind(to: round))
    self.init(to: round, answers: [])
    for question in round.questions { answers.append(try PlanAnswer(to: question, from: &bytes)) }
    guard bytes.isAtEnd else { throw PlanAnswer.foreign }
  }

  /// Returns the `kind` that `PlainBytes.sealed(as:)` needs for answers to a round. Each round has a different kind,
  /// so bytes with answers to another round are refused.
  static func kind(to round: PlanRound) -> String {
    "PlanAnswers to round \(round.bytes.withUnsafeBytes { XXHash64.hash($0) })"
  }

  static func contradicting(_ expected: String, _ found: String) -> PieceError {
    .damaged(what: "answers to a round of a plan", expected: expected, found: found)
  }
}

extension PlanAnswer {
  fileprivate static let foreign = PieceError.damaged(
    what: "answers to a round of a plan", expected: "an answer to each question", found: "other answers")

  fileprivate init(to question: PlanQuestion, from bytes: inout PlainBytes) throws(PieceError) {
    switch question {
    case .extent:
      let extents: [PointExtent] = try bytes.readValues()
      guard extents.count <= 1 else { throw Self.foreign }
      self = .extent(extents.first?.moments ?? Moments(), extents.first?.box)
    case .positions(let question):
      let bins: [ProductBin] = try bytes.readArray()
      guard bins.count == question.binCount, question.canHave(bins) else { throw Self.foreign }
      self = .positions(bins)
    case .left:
      let sums: [UInt64] = try bytes.readArray()
      guard sums.count == 3 else { throw Self.foreign }
      let left = Halves.Sums(count: sums[0], x: sums[1], y: sums[2])
      guard left.isSound else { throw Self.foreign }
      self = .left(left)
    }
  }
}

extension Halves.Sums {
  /// Whether some set of points can have these sums.
  var isSound: Bool {
    count <= IndexHeader.maximumPointCount && x <= count * UInt64(UInt32.max) && y <= count * UInt64(UInt32.max)
  }
}

extension PositionQuestion {
  /// Whether some set of points can give these bins as the answer to this question.
  fileprivate func canHave(_ bins: [ProductBin]) -> Bool {
    ranges.allSatisfy { range in
      (0..<range.scale.count).allSatisfy { number in
        let bin = bins[range.firstBin + number]
        if bin.count == 0 { return bin.x == 0 && bin.y == 0 && bin.least == .max && bin.most == .min }
        return bin.sums.isSound && -Self.greatestProduct <= bin.least && bin.most <= Self.greatestProduct
          && range.least <= bin.least && bin.least <= bin.most && bin.most <= range.most
          && range.scale.bin(of: bin.least) == number && range.scale.bin(of: bin.most) == number
      }
    }
  }

  /// Greatest magnitude of a dot product. A dot product has 62 bits and a sign.
  private static let greatestProduct: Int64 = 1 << 62
}
