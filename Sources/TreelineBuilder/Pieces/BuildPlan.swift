import Treeline

/// The division of a build's points into pieces. Each piece is a subtree of at most `pieceSize` points. The plan
/// consists of the pieces and the nodes above them.
///
/// The plan is made from sums over points. The points need not be in memory. A node is open while the plan still needs
/// an answer about the node. Each round asks a question about every open node. One pass over all points answers all
/// questions of a round. The pass may visit the points in any order and on any number of machines:
///
/// ```swift
/// var plan = try BuildPlan(rule: .mean, pieceSize: 1_000_000)
/// while let round = plan.nextRound() {
///   var answers = PlanAnswers(to: round)
///   answers.add(points)
///   try plan.take(answers)
/// }
/// let pieces = plan.pieces
/// ```
///
/// A split at the mean takes one pass. This pass finds the extents of both halves. A split with the least scatter
/// takes 3 or 4 passes to find the position of the splitting line, and one more pass for each turn of the line. Each
/// pass serves all open nodes at once.
///
/// - Complexity: about 300 bytes of memory for each node above the pieces. The number of such nodes is about the
///   number of pieces. The memory of a round and of its answers is not included.
public struct BuildPlan: Sendable {
  private let terms: Terms
  private var nodes: [PlanNode] = []
  /// Indices of the nodes that the current round asks about, in the order of the round's questions.
  private var asked: [Int] = []
  private var round: PlanRound?
  /// Number of passes that the plan has asked for so far. Each pass visits all points.
  public private(set) var passCount = 0

  /// Least possible piece size. A node with fewer points is a bucket, and a bucket is not split any further.
  public static let leastPieceSize = NodeRecord.bucketCapacity + 1

  /// Greatest number of levels at which nodes are halved along the longer side of their box.
  static let mostHalvings = 64

  /// Approximate greatest number of bins in a round, for all nodes of the round together. Values above 2^24 have the
  /// same effect as 2^24. But each node may always have 64 bins, even if a round then has more bins than this property
  /// allows. Each bin takes 40 bytes in the answers. With fewer bins, the same plan takes more rounds.
  public var mostBins = 1 << 18

  /// - Parameters:
  ///   - rule: Rule that decides how nodes are split. `gamma` is not supported, because its weights need all points in
  ///     memory at once.
  ///   - pieceSize: Greatest number of points in a piece, 17 or more. A piece has more points only if all its points
  ///     share one position.
  /// - Throws: `PieceError.unsupported` for `gamma`.
  public init(rule: SplitRule, pieceSize: Int) throws {
    try self.init(rule: rule, pieceSize: pieceSize, principalLevels: TreeStorage.principalLevels)
  }

  init(rule: SplitRule, pieceSize: Int, principalLevels: Int) throws(PieceError) {
    precondition(pieceSize >= Self.leastPieceSize, "Expected pieces of at least 17 points, found \(pieceSize)")
    if Self.isBeyond(rule) {
      throw .unsupported(
        what: "A tree split by \(rule)", reason: "the weights of this rule need all points in memory",
        remedy: "choose another rule, or build in memory")
    }
    terms = Terms(rule: rule, pieceSize: pieceSize, principalLevels: principalLevels)
    nodes = [PlanNode(level: 0, corner: nil, parent: nil)]
  }

  /// Whether a split rule is not supported by builds in pieces. The weights of an unsupported rule need all points in
  /// memory at once.
  static func isBeyond(_ rule: SplitRule) -> Bool { rule.kind == .gamma }

  /// Returns the next round of questions, or nil once all pieces are known.
  public mutating func nextRound() -> PlanRound? {
    asked = nodes.indices.filter { nodes[$0].isOpen }
    if asked.isEmpty { return nil }
    let mostBins = max(min(mostBins, PlanRound.mostBins) / asked.count, PlanRound.binsOfAnyNode)
    let questions = asked.map { nodes[$0].question(mostBins: mostBins) }
    let numbers = Dictionary(uniqueKeysWithValues: asked.enumerated().map { ($1, $0) })
    let routing = routing(leafCount: asked.count + 1) { numbers[$0] ?? asked.count }
    let round = PlanRound(routing: routing, questions: questions)
    self.round = round
    passCount += 1
    return round
  }

  /// Accepts the answers to the questions of the last round. The answers must cover all points.
  ///
  /// - Throws: `PieceError.damaged` for answers that contradict each other or contradict earlier answers. This
  ///   happens, for example, if the answers cover only some of the points. After an error, the plan is unchanged.
  public mutating func take(_ answers: PlanAnswers) throws { try accept(answers) }

  /// Does the same as `take(_:)`, but throws a typed error.
  mutating func accept(_ answers: PlanAnswers) throws(PieceError) {
    guard let round else { preconditionFailure("Expected a call of nextRound() before take(_:)") }
    precondition(answers.answers.count == asked.count, "The answers belong to another round")
    try checkExtents(answers)
    var nodes = nodes
    for (index, (question, answer)) in zip(asked, zip(round.questions, answers.answers)) {
      guard let split = try nodes[index].take(answer, to: question, by: terms) else { continue }
      let left = nodes.count
      guard let segment = nodes[index].segment, segment.level < terms.mostLevels else {
        throw PlanAnswers.contradicting("a plan of at most \(terms.mostLevels) levels", "more levels")
      }
      let corner = segment.isNarrow ? segment.points.corner : nil
      nodes[index].state = .split(split, left: left)
      for _ in 0..<2 { nodes.append(PlanNode(level: segment.level + 1, corner: corner, parent: index)) }
    }
    (self.nodes, self.round) = (nodes, nil)
  }

  /// Checks that the two children of each node together have all points of the node.
  private func checkExtents(_ answers: PlanAnswers) throws(PieceError) {
    if asked == [0], let all = answers.answers[0].extent, !all.isSound {
      throw PlanAnswers.contradicting("a box and sums of at most 2^31 points", "\(all.moments) in \(all.box.text)")
    }
    for (number, answer) in answers.answers.enumerated() {
      // Questions about children come in pairs: first the question about a left child, then the question about the
      // right child of the same node.
      let index = asked[number]
      guard case .extent(let moments, _) = answer, let parent = nodes[index].parent, index % 2 == 1 else { continue }
      guard let whole = nodes[parent].extent, let left = answer.extent, let right = answers.answers[number + 1].extent,
        left + right == whole
      else {
        throw PlanAnswers.contradicting(
          "two halves that contain the \(nodes[parent].extent?.count ?? 0) points of their node",
          "other halves; the left half has \(moments.count) points")
      }
    }
  }

  /// The settings of a plan, which determine how nodes are split.
  fileprivate struct Terms: Sendable {
    let rule: SplitRule
    let pieceSize: Int
    let principalLevels: Int

    var mostLevels: Int { principalLevels + BuildPlan.mostHalvings }

    /// Returns how to split a node with a known extent; nil if the node is a piece.
    func decision(on segment: Segment) -> PlanNode.Decision? {
      let scatter = Scatter(segment.points.moments)
      if segment.count <= pieceSize || scatter.isZero { return nil }
      let points = segment.points
      guard segment.level < principalLevels else {
        return .line(SplitLine(inTheMiddleOf: segment.box, measuredFrom: points.corner))
      }
      let axis = PrincipalAxis(of: scatter) ?? PrincipalAxis(alongLongerSideOf: segment.box)
      switch rule.kind {
      case .mean: return .line(SplitLine(atMeanOf: points.moments, from: points.corner, across: axis))
      case .leastScatter: return .search(PositionRounds(of: points.moments, from: points.corner, across: axis))
      case .gamma: preconditionFailure("Expected a rule other than gamma, found gamma")
      }
    }
  }

  /// Returns a routing that leads each point to the lowest known node that contains the point. Nodes that are not
  /// split are the leaves of the routing. `number` maps the index of such a node to the number of its leaf.
  fileprivate func routing(leafCount: Int, _ number: (Int) -> Int) -> PointRouting {
    var routing = PointRouting()
    routing.leafCount = leafCount
    var steps: [Int: Int32] = [:]
    for index in nodes.indices { if case .split = nodes[index].state { steps[index] = Int32(steps.count) } }
    func next(_ index: Int) -> Int32 { steps[index] ?? ~Int32(number(index)) }
    for index in nodes.indices {
      guard case .split(let split, let left) = nodes[index].state else { continue }
      routing.steps.append(PointRouting.Step(split, left: next(left), right: next(left + 1)))
    }
    routing.start = next(0)
    return routing
  }

  /// Number of points; 0 until the first round has been answered.
  private var pointCount: Int { nodes[0].segment?.count ?? 0 }

  /// The pieces and the nodes above them, according to the finished plan.
  ///
  /// - Precondition: `nextRound()` has returned nil.
  public var pieces: PiecePlan {
    var plan = PiecePlan(rule: terms.rule)
    if pointCount == 0 { return plan }
    var numbers: [Int: Int] = [:]
    var stack = [0]
    while let index = stack.popLast() {
      guard let extent = nodes[index].extent else { preconditionFailure("The plan is not complete") }
      switch nodes[index].state {
      case .piece:
        numbers[index] = plan.pieces.count
        plan.add(piece: extent, at: SubtreeRoot(level: nodes[index].level, corner: nodes[index].corner))
      case .split(_, let left):
        plan.addNode()
        stack += [left + 1, left]
      default: preconditionFailure("The plan is not complete")
      }
    }
    plan.routing = routing(leafCount: max(plan.pieces.count, 1)) { numbers[$0] ?? 0 }
    return plan
  }
}

/// A node of a plan. Each round reveals more about the node.
private struct PlanNode: Sendable {
  enum State: Sendable {
    case unmeasured
    case searching(PositionRounds)
    case turning(LineRefinement, SplitLine)
    case split(SplitLine, left: Int)
    case piece
  }

  enum Decision {
    case line(SplitLine)
    case search(PositionRounds)
  }

  let level: Int
  /// Corner from which the moments of the node are measured. Nil unless the parent is narrow (see `Segment.isNarrow`).
  let corner: PlanePoint?
  /// Index of the parent; nil for the root.
  let parent: Int?
  /// Extent of the node's points; nil until the extent is known.
  var extent: PointExtent?
  var state = State.unmeasured

  var isOpen: Bool {
    switch state {
    case .unmeasured, .searching, .turning: true
    case .split, .piece: false
    }
  }

  /// Returns the next question about the node.
  mutating func question(mostBins: Int) -> PlanQuestion {
    switch state {
    case .unmeasured: return .extent
    case .searching(var search):
      guard let question = search.next(mostBins: mostBins) else { preconditionFailure("The search is done") }
      state = .searching(search)
      return .positions(question)
    case .turning(_, let next): return .left(next)
    case .split, .piece: preconditionFailure("Expected a node with an open question")
    }
  }

  /// The node as a segment; nil until the extent of the node is known. The moments of the points are measured from
  /// `corner`. If `corner` is nil, the moments are measured from the top left corner of the box around the points.
  var segment: Segment? {
    extent.map { extent in
      let points = NodePoints(first: 0, moments: extent.moments, corner: PlanePoint(x: 0, y: 0))
      return Segment(
        points: points.moved(to: corner.map(PlaneRect.init) ?? extent.box), box: extent.box, level: level)
    }
  }

  /// - Returns: the line that splits the node; nil if the line is still unknown, or if the node is a piece and is not
  ///   split.
  mutating func take(
    _ answer: PlanAnswer, to question: PlanQuestion, by terms: BuildPlan.Terms
  ) throws(PieceError) -> SplitLine? {
    switch (state, answer, question) {
    case (.unmeasured, .extent, .extent):
      extent = answer.extent
      guard let segment else {
        // Only the root may have no points.
        state = .piece
        return nil
      }
      switch terms.decision(on: segment) {
      case .line(let split): return split
      case .search(let search): state = .searching(search)
      case nil: state = .piece
      }
      return nil
    case (.searching(var search), .positions(let bins), .positions(let question)):
      try search.take(bins, to: question)
      state = .searching(search)
      return search.isDone ? turn(try search.turns()) : nil
    case (.turning(var turns, let next), .left(let sums), .left):
      guard turns.canTake(sums) else {
        throw PlanAnswers.contradicting("sums over some points of a node", "\(sums)")
      }
      return turns.take(sums, of: next) ? turn(turns) : turns.split
    default: preconditionFailure("The answer belongs to another question")
    }
  }

  /// If the splitting line can be turned again, prepares the question about the turned line, and returns nil.
  /// Otherwise returns the final line.
  private mutating func turn(_ turns: LineRefinement) -> SplitLine? {
    guard let next = turns.next else { return turns.split }
    state = .turning(turns, next)
    return nil
  }
}
