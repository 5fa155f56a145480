import Treeline

/// What one pass over all points is to find out for the plan of a build: something of each node that waits for it.
public struct PlanRound: Sendable {
  /// Leads to questions, by their numbers, and with the number behind the last one to what nothing is asked of.
  var routing: PointRouting
  var questions: [PlanQuestion]
}

/// What a pass is to find out of the points of a node.
enum PlanQuestion: Sendable {
  /// Their moments and the box around them.
  case extent
  /// Where they are along an axis.
  case positions(PositionQuestion)
  /// The sums over those left of a line.
  case left(Split)
}

/// The same for ranges of the dot products of points with an axis.
struct PositionQuestion: Sendable {
  let corner: PlanePoint
  let axis: PrincipalAxis
  /// Disjoint, and in ascending order.
  let ranges: [ProductRange]

  /// A range of dot products, both ends included, which is divided into bins.
  struct ProductRange: BitwiseCopyable, Sendable {
    let least: Int64
    let most: Int64
    let scale: BinScale
    /// The bins of all ranges are numbered in one row.
    let firstBin: Int
  }

  var binCount: Int { ranges.last.map { $0.firstBin + $0.scale.count } ?? 0 }
}

// MARK: - Answers

/// What some of the points, or all, say to the questions of a round. Answers of parts, found anywhere, add up in any
/// order.
public struct PlanAnswers: Sendable {
  var answers: [PlanAnswer]
  private let round: PlanRound
  /// How many points something was asked of, in this process.
  private(set) var askedCount = 0

  init(to round: PlanRound, answers: [PlanAnswer]) { (self.round, self.answers) = (round, answers) }

  /// The answers of no points.
  public init(to round: PlanRound) {
    self.round = round
    answers = round.questions.map { question in
      switch question {
      case .extent: .extent(Moments(), nil)
      case .positions(let positions): .positions([ProductBin](repeating: ProductBin(), count: positions.binCount))
      case .left: .left(Halves.Sums())
      }
    }
  }

  /// Takes in the answers of some points.
  ///
  /// - Complexity: a dot product for each level that is planned, and one or two more.
  public mutating func add(_ points: [PlanePoint]) { points.withUnsafeBufferPointer { add($0) } }

  package mutating func add(_ points: UnsafeBufferPointer<PlanePoint>) { add(points, by: round.routing) }

  /// - Parameter routing: That of the round, which may start where all these points are led by.
  mutating func add(_ points: UnsafeBufferPointer<PlanePoint>, by routing: PointRouting) {
    let block = RoutedBlock(leafCount: routing.leafCount)
    defer { block.deallocate() }
    let questions = round.questions
    for range in points.indices.blocks(of: RoutedBlock.size) {
      block.forEachLeaf(of: UnsafeBufferPointer(rebasing: points[range]), by: routing, below: questions.count) {
        answers[$0].add($1, to: questions[$0])
        askedCount += $1.count
      }
    }
  }

  /// Takes in the answers of other points to the same round.
  public mutating func add(_ other: PlanAnswers) {
    precondition(answers.count == other.answers.count, "Answers to another round")
    for index in answers.indices { answers[index].add(other.answers[index]) }
    askedCount += other.askedCount
  }
}

/// What points say to one question.
enum PlanAnswer: Sendable {
  /// Measured from the plane's corner. The box is nil where there are no points.
  case extent(Moments<UInt128>, PlaneRect?)
  case positions([ProductBin])
  case left(Halves.Sums)

  mutating func add(_ points: UnsafeBufferPointer<PlanePoint>, to question: PlanQuestion) {
    switch (self, question) {
    case (.extent(let moments, let box), .extent):
      var reach = box ?? PlaneRect(points[0])
      for point in points { reach.formUnion(point) }
      self = .extent(moments + Moments(points, from: PlanePoint(x: 0, y: 0)), reach)
    case (.positions(var bins), .positions(let question)):
      // So that the bins are not copied.
      self = .left(Halves.Sums())
      bins.withUnsafeMutableBufferPointer { bins in for point in points { question.put(point, in: bins) } }
      self = .positions(bins)
    case (.left(let sums), .left(let split)):
      self = .left(sums + LeastScatterSplit.leftSums(of: points.baseAddress!, count: points.count, by: split))
    default: preconditionFailure("An answer to another question")
    }
  }

  mutating func add(_ other: PlanAnswer) {
    switch (self, other) {
    case (.extent(let moments, let box), .extent(let otherMoments, let otherBox)):
      self = .extent(moments + otherMoments, otherBox.map { box?.union($0) ?? $0 } ?? box)
    case (.positions(var bins), .positions(let others)) where bins.count == others.count:
      self = .left(Halves.Sums())
      for index in bins.indices { bins[index].add(others[index]) }
      self = .positions(bins)
    case (.left(let sums), .left(let others)): self = .left(sums + others)
    default: preconditionFailure("An answer to another question")
    }
  }
}

/// The sums over the points whose dot products are in one bin, and how far these reach.
struct ProductBin: BitwiseCopyable, Sendable {
  var count: UInt64 = 0
  var x: UInt64 = 0
  var y: UInt64 = 0
  var least = Int64.max
  var most = Int64.min

  mutating func add(_ other: ProductBin) {
    count &+= other.count
    x &+= other.x
    y &+= other.y
    least = min(least, other.least)
    most = max(most, other.most)
  }

  /// As the search in memory has it, but without a list of its points.
  var bin: Bin { Bin(count: UInt32(count), x: x, y: y) }
}

extension PositionQuestion {
  @inline(__always) fileprivate func put(_ point: PlanePoint, in bins: UnsafeMutableBufferPointer<ProductBin>) {
    let product = DotProducts(corner: corner, axis: axis).of(point)
    guard let range = range(of: product) else { return }
    let number = range.firstBin &+ range.scale.bin(of: product)
    bins[number].count &+= 1
    bins[number].x &+= UInt64(point.x &- corner.x)
    bins[number].y &+= UInt64(point.y &- corner.y)
    bins[number].least = min(bins[number].least, product)
    bins[number].most = max(bins[number].most, product)
  }

  @inline(__always) private func range(of product: Int64) -> ProductRange? {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low &+ high) &>> 1
      if ranges[middle].most < product { low = middle &+ 1 } else { high = middle }
    }
    return low < ranges.count && ranges[low].least <= product ? ranges[low] : nil
  }
}
