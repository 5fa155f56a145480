import Treeline

extension PlanRound: PlainValue {
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
  }
}

extension PlanQuestion: PlainValue {
  func write(to bytes: inout PlainBytes) {
    switch self {
    case .extent: bytes.append(0 as UInt8)
    case .positions(let question):
      bytes.append(1 as UInt8)
      bytes.append(Split(corner: question.corner, axis: question.axis, threshold: 0))
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
      let line = try Split(from: &bytes)
      let ranges: [PositionQuestion.ProductRange] = try bytes.readArray()
      var end = 0
      for range in ranges {
        guard range.firstBin == end, 1...(1 << 20) ~= range.scale.count, range.scale.isSound else {
          throw .damaged(what: "a round of a plan", expected: "bins in one row", found: "\(range)")
        }
        end += range.scale.count
      }
      self = .positions(PositionQuestion(corner: line.corner, axis: line.axis, ranges: ranges))
    case 2: self = .left(try Split(from: &bytes))
    case let kind: throw .damaged(what: "a round of a plan", expected: "a kind of question", found: "number \(kind)")
    }
  }
}

extension Split: PlainValue {
  package func write(to bytes: inout PlainBytes) {
    bytes.append([Int64(corner.x), Int64(corner.y), axis.x, axis.y, threshold])
  }

  package init(from bytes: inout PlainBytes) throws(PieceError) {
    let numbers: [Int64] = try bytes.readArray()
    guard numbers.count == 5, let x = UInt32(exactly: numbers[0]), let y = UInt32(exactly: numbers[1]) else {
      throw .damaged(what: "a split line", expected: "a corner, an axis and a threshold", found: "\(numbers)")
    }
    self.init(
      corner: PlanePoint(x: x, y: y), axis: PrincipalAxis(x: numbers[2], y: numbers[3]), threshold: numbers[4])
  }
}

extension PlanAnswers {
  /// The answers as bytes, for where the round is known.
  public var bytes: [UInt8] {
    var bytes = PlainBytes([])
    for answer in answers {
      switch answer {
      case .extent(let moments, let box):
        bytes.append([moments.count, moments.x, moments.y])
        bytes.append(
          [moments.xx, moments.xy, moments.yy].flatMap { [UInt64(truncatingIfNeeded: $0), UInt64($0 >> 64)] })
        bytes.append(box.map { [$0.minX, $0.minY, $0.maxX, $0.maxY] } ?? [])
      case .positions(let bins): bytes.append(bins)
      case .left(let sums): bytes.append([sums.count, sums.x, sums.y])
      }
    }
    return bytes.all
  }

  /// - Throws: `PieceError.damaged` for what `bytes` did not write for this round.
  public init(to round: PlanRound, bytes: [UInt8]) throws(PieceError) {
    var bytes = PlainBytes(bytes)
    self.init(to: round, answers: [])
    for question in round.questions { answers.append(try PlanAnswer(to: question, from: &bytes)) }
    guard bytes.isAtEnd else { throw PlanAnswer.foreign }
  }
}

extension PlanAnswer {
  fileprivate static let foreign = PieceError.damaged(
    what: "answers to a round of a plan", expected: "one for each of its questions", found: "others")

  fileprivate init(to question: PlanQuestion, from bytes: inout PlainBytes) throws(PieceError) {
    switch question {
    case .extent:
      let sums: [UInt64] = try bytes.readArray()
      let products: [UInt64] = try bytes.readArray()
      let box: [UInt32] = try bytes.readArray()
      guard sums.count == 3, products.count == 6, box.count == (sums[0] == 0 ? 0 : 4) else { throw Self.foreign }
      let wide = (0..<3).map { UInt128(products[2 * $0 + 1]) << 64 | UInt128(products[2 * $0]) }
      let moments = Moments(count: sums[0], x: sums[1], y: sums[2], xx: wide[0], xy: wide[1], yy: wide[2])
      let reach = sums[0] == 0 ? nil : PlaneRect(minX: box[0], minY: box[1], maxX: box[2], maxY: box[3])
      self = .extent(moments, reach)
    case .positions(let question):
      let bins: [ProductBin] = try bytes.readArray()
      guard bins.count == question.binCount else { throw Self.foreign }
      self = .positions(bins)
    case .left:
      let sums: [UInt64] = try bytes.readArray()
      guard sums.count == 3 else { throw Self.foreign }
      self = .left(Halves.Sums(count: sums[0], x: sums[1], y: sums[2]))
    }
  }
}
