/// What an answer may be made of that continues another: the clusters of the previous answer and of a fresh one as far
/// as neither lies within the other, others beside them where something else is in view, and whatever has several of
/// these within it.
struct Continuation {
  /// A node of the tree, of which a point is in view. Those in between, which have all that is in view in one child,
  /// are left out: the child scatters less.
  struct Entry {
    let node: Node
    /// The sum of the squared distances of its points to their mean.
    let scatter: Double
    let isPrevious: Bool
    /// Whether it is in no answer, but has several groups within it.
    var isAboveClusters = false
    /// By how much a previous cluster scatters more than the fresh ones within it; 0 where there are none.
    var excess = 0.0
    /// None, one or two, as indices in `entries`; those of a previous cluster are of the fresh answer.
    var left = -1
    var right = -1
  }

  /// Each before those below it, the left before the right.
  private(set) var entries: [Entry] = []

  /// The most that an answer may scatter.
  private(set) var mostScatter = 0.0

  /// - Parameters:
  ///   - previous: What of the previous answer is in view, in tree order.
  ///   - fresh: In tree order.
  /// - Complexity: O(k · depth) for k nodes of both.
  init<Counted>(of previous: [Node], and fresh: [Node], of storage: TreeStorage, in view: PointsInView<Counted>)
    throws(IndexError)
  {
    for node in fresh { mostScatter += try storage.scatter(of: node, view.counted) }
    mostScatter *= Cut.continuityFactor * Cut.continuityFactor
    if let root = storage.root, !fresh.isEmpty { try insert(root, previous[...], fresh[...], of: storage, in: view) }
    findExcesses()
  }

  private mutating func findExcesses() {
    var finest = entries.map(\.scatter)
    for index in entries.indices.reversed() where entries[index].left >= 0 {
      let entry = entries[index]
      finest[index] = finest[entry.left] + (entry.right < 0 ? 0 : finest[entry.right])
      if entry.isPrevious && entry.scatter > finest[index] { entries[index].excess = entry.scatter - finest[index] }
    }
  }

  /// A part of the tree that is yet to be looked into.
  private struct Part {
    var node: Node
    var previous: ArraySlice<Node>
    var fresh: ArraySlice<Node>
    /// Whether it lies within a fresh cluster, so that all that is in view must be shown.
    var isWithinFresh: Bool
    var parent: Int

    /// What of it lies within one of its children.
    func within(_ child: Node) -> Part {
      func within(_ nodes: ArraySlice<Node>) -> ArraySlice<Node> {
        let start = nodes.firstIndex { $0.range.lowerBound >= child.range.lowerBound } ?? nodes.endIndex
        let end = nodes[start...].firstIndex { $0.range.lowerBound >= child.range.upperBound } ?? nodes.endIndex
        return nodes[start..<end]
      }
      return Part(
        node: child, previous: within(previous), fresh: within(fresh), isWithinFresh: isWithinFresh, parent: parent)
    }
  }

  private mutating func insert<Counted>(
    _ root: Node, _ previous: ArraySlice<Node>, _ fresh: ArraySlice<Node>, of storage: TreeStorage,
    in view: PointsInView<Counted>
  ) throws(IndexError) {
    // The right parts on the way down to the one that is looked at: one a level.
    var waiting = [Part(node: root, previous: previous, fresh: fresh, isWithinFresh: false, parent: -1)]
    while var part = waiting.popLast() {
      if part.fresh.first?.range == part.node.range {
        part.isWithinFresh = true
        part.fresh = []
      }
      let isPrevious = part.previous.first?.range == part.node.range
      if isPrevious { part.previous = [] }
      let isFinest = part.previous.isEmpty && part.fresh.isEmpty
      if isFinest || isPrevious { part.parent = try append(part, isPrevious: isPrevious, of: storage, view.counted) }
      if isFinest { continue }
      guard let (left, right) = try storage.children(of: part.node) else { continue }
      var parts: [Part] = []
      for child in [left, right] {
        let part = part.within(child)
        if !part.previous.isEmpty || !part.fresh.isEmpty {
          parts.append(part)
        } else if part.isWithinFresh, try storage.hasVisiblePoint(child, in: view) {
          parts.append(part)
        }
      }
      let hasTwoParts = parts.count == 2 && !isPrevious
      let parent = hasTwoParts ? try append(part, isPrevious: false, of: storage, view.counted) : part.parent
      for var part in parts.reversed() {
        part.parent = parent
        waiting.append(part)
      }
    }
  }

  private mutating func append(
    _ part: Part, isPrevious: Bool, of storage: TreeStorage, _ counted: some CountedPoints
  ) throws(IndexError) -> Int {
    let index = entries.count
    if part.parent >= 0 {
      if entries[part.parent].left < 0 { entries[part.parent].left = index } else { entries[part.parent].right = index }
    }
    let node = try storage.lowestNode(below: part.node, counted)
    entries.append(
      Entry(
        node: node, scatter: try storage.scatter(of: node, counted), isPrevious: isPrevious,
        isAboveClusters: storage.isAboveClusters(node)))
    return index
  }
}

// MARK: - Choosing what is shown

extension Continuation {
  /// The answer that gives up fewest clusters of the previous one, of several the one that scatters least; nil if all
  /// that were looked at scatter too much, which only a damaged file brings about.
  ///
  /// No answer within the limit gives up fewer. For whatever it shows, there are entries as coarse that have the same
  /// in view.
  ///
  /// If that one scatters too much, what a lost cluster weighs is lowered as far as it takes: from more than any
  /// scatter down to nothing, where nothing but scatter counts and previous clusters are no better than others.
  ///
  /// - Complexity: O(k log k) for k entries where there is room for all; O(k · d · log k) where d are too many.
  func nodes(limit: Int) -> [Node]? {
    let weights = lossWeights
    if let nodes = nodes(limit: limit, lossWeight: weights[0]) { return nodes }
    var best: [Node]?
    // Of lesser weights more hold, but not always: which are looked at is part of what the answer is.
    _ = firstIndex(in: 1..<weights.count) { index in
      let found = nodes(limit: limit, lossWeight: weights[index])
      best = found ?? best
      return found != nil
    }
    return best
  }

  /// What a lost cluster may weigh, in units of scatter, from the greatest on. Each excess is one, for there another
  /// of the previous clusters gives way.
  private var lossWeights: [Double] {
    let excesses = entries.map(\.excess).filter { $0 > 0 && $0 < .infinity }
    let others = (0..<40).map { mostScatter * Double(sign: .plus, exponent: -$0, significand: 1) }
    return [.infinity] + (excesses + others.filter { $0 < .infinity }).sorted(by: >) + [0]
  }

  /// The answer that costs least if a lost cluster weighs so much; nil if it scatters too much.
  private func nodes(limit: Int, lossWeight: Double) -> [Node]? {
    let plan = Plan(of: entries, limit: limit, lossWeight: lossWeight)
    let shown = plan.shown
    return shown.reduce(0) { $0 + entries[$1].scatter } <= mostScatter ? shown.map { entries[$0].node } : nil
  }
}

/// Which entries are shown, given what a lost cluster weighs. Of all that could be shown as finest, so many are to be
/// saved by showing what is around them that the limit is kept: found for every number to be saved, from the bottom
/// up. It can be kept, for the fresh answer does.
private struct Plan {
  private typealias Entry = Continuation.Entry

  private let entries: [Entry]
  private let lossWeight: Double

  /// For each entry that may be shown, what is shown of its children for each number of clusters that are saved.
  private var choices: [[Choice]]

  /// The shown in `entries` of what is shown, in tree order.
  private(set) var shown: [Int] = []

  /// How many clusters each child saves; negative where the entry itself is shown.
  private struct Choice {
    var left: Int32
    var right: Int32

    static let itself = Choice(left: -1, right: -1)
  }

  private struct Cost {
    var lost: Double
    var scatter: Double

    static let endless = Cost(lost: .infinity, scatter: .infinity)

    static func + (a: Cost, b: Cost) -> Cost { Cost(lost: a.lost + b.lost, scatter: a.scatter + b.scatter) }
  }

  init(of entries: [Continuation.Entry], limit: Int, lossWeight: Double) {
    self.entries = entries
    self.lossWeight = lossWeight
    choices = []
    let isReached = reached()
    let finest = entries.indices.filter { isReached[$0] && isFinest($0) }
    if finest.count <= limit {
      shown = finest
    } else {
      choose(isReached, saving: finest.count - limit)
      collect(saving: finest.count - limit)
    }
  }

  /// Whether nothing within an entry is shown: a previous cluster stays unless its excess weighs more.
  private func isFinest(_ index: Int) -> Bool {
    let entry = entries[index]
    return entry.left < 0 || entry.isPrevious && (entry.excess == 0 || entry.excess < lossWeight)
  }

  private func reached() -> [Bool] {
    var isReached = [Bool](repeating: false, count: entries.count)
    if !entries.isEmpty { isReached[0] = true }
    for index in entries.indices where isReached[index] && !isFinest(index) {
      isReached[entries[index].left] = true
      if entries[index].right >= 0 { isReached[entries[index].right] = true }
    }
    return isReached
  }

  private func isLess(_ a: Cost, _ b: Cost) -> Bool {
    if b.lost == .infinity { return a.lost < .infinity }
    if lossWeight == .infinity { return (a.lost, a.scatter) < (b.lost, b.scatter) }
    return (a.lost * lossWeight + a.scatter, a.lost) < (b.lost * lossWeight + b.scatter, b.lost)
  }

  /// - Parameter most: Whatever saves more is as good.
  private mutating func choose(_ isReached: [Bool], saving most: Int) {
    choices = [[Choice]](repeating: [], count: entries.count)
    var costs = [[Cost]](repeating: [], count: entries.count)
    var previousCounts = [Int](repeating: 0, count: entries.count)
    var finestCounts = [Int](repeating: 1, count: entries.count)
    for index in entries.indices.reversed() where isReached[index] {
      let entry = entries[index]
      previousCounts[index] = entry.isPrevious ? 1 : 0
      if isFinest(index) {
        costs[index] = [Cost(lost: 0, scatter: entry.scatter)]
        choices[index] = [.itself]
        continue
      }
      var parts: [(costs: [Cost], child: Int)] = []
      for child in [entry.left, entry.right] where child >= 0 {
        parts.append((costs[child], child))
        costs[child] = []
      }
      finestCounts[index] = parts.reduce(0) { $0 + finestCounts[$1.child] }
      previousCounts[index] += parts.reduce(0) { $0 + previousCounts[$1.child] }
      let end = min(finestCounts[index] - 1, most)
      var (best, chosen) = ([Cost](repeating: .endless, count: end + 1), [Choice](repeating: .itself, count: end + 1))
      // A previous cluster that gives way is lost.
      let loss = Cost(lost: entry.isPrevious ? 1 : 0, scatter: 0)
      let right = parts.count > 1 ? parts[1].costs : [Cost(lost: 0, scatter: 0)]
      for (l, left) in parts[0].costs.enumerated() {
        for (r, right) in right.enumerated() {
          let (saved, cost) = (min(l + r, end), left + right + loss)
          if isLess(cost, best[saved]) {
            best[saved] = cost
            chosen[saved] = Choice(left: Int32(l), right: Int32(r))
          }
        }
      }
      if !entry.isPrevious && !entry.isAboveClusters {
        let cost = Cost(lost: Double(previousCounts[index]), scatter: entry.scatter)
        if isLess(cost, best[end]) { (best[end], chosen[end]) = (cost, .itself) }
      }
      costs[index] = best
      choices[index] = chosen
    }
  }

  private mutating func collect(saving count: Int) {
    var waiting = [(index: 0, saved: count)]
    while let (index, saved) = waiting.popLast() {
      let choice = choices[index][saved]
      if choice.left < 0 {
        shown.append(index)
      } else {
        if entries[index].right >= 0 { waiting.append((entries[index].right, Int(choice.right))) }
        waiting.append((entries[index].left, Int(choice.left)))
      }
    }
  }
}
