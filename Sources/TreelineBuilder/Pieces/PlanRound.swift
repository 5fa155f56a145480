import Treeline

/// A round of questions about *open* nodes. A node is open while the plan of the build still needs an answer about the
/// node. One pass over all points answers all questions of the round.
public struct PlanRound: Sendable {
  /// Maps each point to the number of the question that the point helps to answer. If no question concerns a point, the
  /// point is mapped to the number after the last question.
  var routing: PointRouting
  var questions: [PlanQuestion]

  /// Greatest number of bins in all questions together.
  static let mostBins = 1 << 24
  /// Number of bins that each node may have, even if all nodes together then have more than `mostBins` bins.
  static let binsOfAnyNode = 64
}

/// A question about the points of a node.
enum PlanQuestion: Sendable {
  /// Asks for the moments of the points and the box around the points.
  case extent
  /// Asks for the points' positions along an axis.
  case positions(PositionQuestion)
  /// Asks for the sums over the points left of a line.
  case left(SplitLine)
}

extension PlanQuestion {
  /// Whether the answer may depend on points in a box.
  fileprivate func concerns(_ box: PlaneRect) -> Bool {
    switch self {
    case .extent: true
    case .positions(let positions): positions.concerns(box)
    case .left(let split): split.isLeft(of: box) ?? true
    }
  }
}

extension SplitLine {
  /// Returns true if all points of a box are left of the split line, false if all are right of the split line, and nil
  /// if the split line may cross the box.
  fileprivate func isLeft(of box: PlaneRect) -> Bool? {
    let products = DotProducts(corner: corner, axis: axis).range(over: box)
    return products.upperBound <= threshold ? true : products.lowerBound > threshold ? false : nil
  }
}

extension DotProducts {
  /// Returns the range of the dot products that points in a box can have. No point of the box may lie to the left of
  /// `corner` or above `corner`.
  fileprivate func range(over box: PlaneRect) -> ClosedRange<Int64> {
    func product(_ axis: Int64, _ position: UInt32, _ corner: UInt32) -> Int64 {
      axis * (Int64(position) - Int64(corner))
    }
    let (leastX, mostX) = axis.x < 0 ? (box.maxX, box.minX) : (box.minX, box.maxX)
    let (leastY, mostY) = axis.y < 0 ? (box.maxY, box.minY) : (box.minY, box.maxY)
    let least = product(axis.x, leastX, corner.x) + product(axis.y, leastY, corner.y)
    return least...product(axis.x, mostX, corner.x) + product(axis.y, mostY, corner.y)
  }
}

/// A question about the dot product of each point and an axis. For each bin of each range, the answer has the sums
/// over the points whose dot products are in the bin.
struct PositionQuestion: Sendable {
  let corner: PlanePoint
  let axis: PrincipalAxis
  /// Disjoint ranges of dot products, in ascending order.
  let ranges: [ProductRange]

  /// A range of dot products that is divided into bins. Both ends belong to the range.
  struct ProductRange: BitwiseCopyable, Sendable {
    let least: Int64
    let most: Int64
    let scale: BinScale
    /// Number of the first bin in this range. The bins of all ranges are numbered in one sequence.
    let firstBin: Int
  }

  var binCount: Int { ranges.last.map { $0.firstBin + $0.scale.count } ?? 0 }
}

// MARK: - Answers

/// The answers to the questions of a round, computed from some or all points. Different machines can compute the
/// answers from different points, and the answers can be added up in any order.
public struct PlanAnswers: Sendable {
  var answers: [PlanAnswer]
  let round: PlanRound

  init(to round: PlanRound, answers: [PlanAnswer]) { (self.round, self.answers) = (round, answers) }

  /// Makes answers to which no points have been added.
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

  /// Adds some points to the answers.
  ///
  /// - Complexity: For each point, one dot product for each level of the plan, and one or two more dot products.
  public mutating func add(_ points: [PlanePoint]) { points.withUnsafeBufferPointer { add($0) } }

  package mutating func add(_ points: UnsafeBufferPointer<PlanePoint>) {
    let block = RoutedBlock(leafCount: round.routing.leafCount)
    defer { block.deallocate() }
    for range in points.indices.blocks(of: RoutedBlock.size) {
      add(UnsafeBufferPointer(rebasing: points[range]), by: round.routing, sortedIn: block)
    }
  }

  /// - Parameters:
  ///   - points: Up to `RoutedBlock.size` points.
  ///   - routing: The routing of the round, or a part of it. A part may begin at a later split line if the routing of
  ///     the round leads all these points to that line.
  mutating func add(
    _ points: UnsafeBufferPointer<PlanePoint>, by routing: PointRouting, sortedIn block: RoutedBlock
  ) {
    block.forEachLeaf(of: points, by: routing, below: round.questions.count) {
      answers[$0].add($1, to: round.questions[$0])
    }
  }

  /// Adds points to the answers without reading the points, if their moments and their bounding box are enough.
  ///
  /// - Parameter moments: Moments, measured from the plane's corner.
  /// - Returns: nil if the moments and the box were enough; if not, the routing for adding the points one by one.
  mutating func add(_ moments: Moments<UInt128>, in box: PlaneRect) -> PointRouting? {
    let (routing, leaves) = round.routing.narrowed(to: box)
    let asked = leaves.filter { $0 < round.questions.count }
    if leaves.count == 1, let leaf = asked.first {
      return answers[leaf].add(moments, in: box, to: round.questions[leaf]) ? nil : routing
    }
    return asked.contains { round.questions[$0].concerns(box) } ? routing : nil
  }

  /// Adds answers that were computed from other points. They must be answers to the questions of the same round.
  public mutating func add(_ other: PlanAnswers) {
    precondition(answers.count == other.answers.count, "The answers belong to another round")
    for index in answers.indices { answers[index].add(other.answers[index]) }
  }
}

/// The answer to one question, computed from some points.
enum PlanAnswer: Sendable {
  /// Moments, measured from the plane's corner, and the bounding box. The box is nil if there are no points.
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
      // Removes the bins from `self`. The variable `bins` then has the only reference to them, so the change below
      // does not copy them.
      self = .left(Halves.Sums())
      bins.withUnsafeMutableBufferPointer { bins in for point in points { question.put(point, in: bins) } }
      self = .positions(bins)
    case (.left(let sums), .left(let split)):
      self = .left(sums + LeastScatterSplit.leftSums(of: points.baseAddress!, count: points.count, by: split))
    default: preconditionFailure("The answer belongs to another question")
    }
  }

  /// Adds points to the answer without reading the points, if their moments and their bounding box are enough.
  ///
  /// - Returns: whether the moments and the box were enough.
  fileprivate mutating func add(_ moments: Moments<UInt128>, in box: PlaneRect, to question: PlanQuestion) -> Bool {
    func sums(from corner: PlanePoint) -> Halves.Sums {
      let own = moments.moved(right: corner.x, down: corner.y)
      return Halves.Sums(count: own.count, x: own.x, y: own.y)
    }
    switch (self, question) {
    case (.extent(let sums, let reach), .extent): self = .extent(sums + moments, reach?.union(box) ?? box)
    case (.left(let left), .left(let split)):
      guard let isLeft = split.isLeft(of: box) else { return false }
      if isLeft { self = .left(left + sums(from: split.corner)) }
    case (.positions(var bins), .positions(let question)):
      if !question.concerns(box) { return true }
      guard box.isPoint else { return false }
      self = .left(Halves.Sums())
      question.put(PlanePoint(x: box.minX, y: box.minY), sums(from: question.corner), in: &bins)
      self = .positions(bins)
    default: preconditionFailure("The answer belongs to another question")
    }
    return true
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
    default: preconditionFailure("The answer belongs to another question")
    }
  }
}

extension PlanAnswer {
  /// The extent that the question asked for; nil if the question asked for something else, or if there are no points.
  var extent: PointExtent? {
    guard case .extent(let moments, let box?) = self else { return nil }
    return PointExtent(moments, in: box)
  }
}

/// The sums over all points whose dot products are in one bin, and the least and the greatest of these dot products.
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

  var sums: Halves.Sums { Halves.Sums(count: count, x: x, y: y) }

  /// This bin as a `Bin`. A build that keeps all points in memory has bins of this type. The result has no list of
  /// points.
  var bin: Bin { Bin(count: UInt32(count), x: x, y: y) }
}

extension PositionQuestion {
  /// Whether any point in a box may be in one of the ranges.
  fileprivate func concerns(_ box: PlaneRect) -> Bool {
    let products = DotProducts(corner: corner, axis: axis).range(over: box)
    let next = firstRange(endingAtOrAfter: products.lowerBound)
    return next < ranges.count && ranges[next].least <= products.upperBound
  }

  /// Adds points to their bin. All these points have the same position.
  fileprivate func put(_ point: PlanePoint, _ sums: Halves.Sums, in bins: inout [ProductBin]) {
    let product = DotProducts(corner: corner, axis: axis).of(point)
    guard let range = range(of: product) else { return }
    bins[range.firstBin + range.scale.bin(of: product)].add(
      ProductBin(count: sums.count, x: sums.x, y: sums.y, least: product, most: product))
  }

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
    let next = firstRange(endingAtOrAfter: product)
    return next < ranges.count && ranges[next].least <= product ? ranges[next] : nil
  }

  @inline(__always) private func firstRange(endingAtOrAfter product: Int64) -> Int {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low &+ high) &>> 1
      if ranges[middle].most < product { low = middle &+ 1 } else { high = middle }
    }
    return low
  }
}
