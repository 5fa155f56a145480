/// The nodes from which a continued answer is chosen, stored as a binary tree of entries. A continued answer keeps as
/// many clusters of the previous answer as possible. The candidates are the clusters of the previous answer and the
/// clusters of a fresh answer, which ignores the previous answer.
///
/// The leaves of the binary tree are of two sorts. First, a candidate that contains no other candidate is a leaf.
/// Second, a fresh cluster that contains previous clusters may have points in view outside these previous clusters.
/// The largest nodes that contain such points, but no previous cluster, are leaves.
///
/// An inner entry of the binary tree is a previous cluster that contains fresh clusters, or a node that has leaves in
/// both of its children.
struct Continuation {
  /// An entry of the binary tree: a node of the cluster tree. The node has a point in view. If a node's points that
  /// pass the filter all lie in one child, the entry stores this child instead of the node.
  struct Entry {
    let node: Node
    /// The sum of the squared distances of the node's points to their mean.
    let scatter: Double
    let isPrevious: Bool
    /// Whether the node contains points of several groups, or several points that are never clustered. No answer shows
    /// such a node.
    var isAboveClusters = false
    /// The scatter of a previous cluster minus the scatter of the fresh clusters within it; 0 if the previous cluster
    /// contains no fresh clusters.
    var excess = 0.0
    /// The children as indices in `entries`; -1 if there is no child. The entries of the nodes
    /// within a cluster of the previous answer are from the fresh answer.
    var left = -1
    var right = -1
  }

  /// All entries. Each entry comes before its descendants, and the left child before the right child.
  private(set) var entries: [Entry] = []

  /// The greatest scatter that an answer may have.
  private(set) var mostScatter = 0.0

  /// - Parameters:
  ///   - previous: The clusters of the previous answer that are in view, in tree order.
  ///   - fresh: The clusters of the fresh answer, in tree order.
  /// - Complexity: O(k · depth), where k is the total number of nodes in the two answers.
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

  /// A part of the tree that has not been visited yet.
  private struct Part {
    var node: Node
    var previous: ArraySlice<Node>
    var fresh: ArraySlice<Node>
    /// Whether the part lies within a cluster of the fresh answer. If so, each point of the part that is in view must
    /// belong to an entry.
    var isWithinFresh: Bool
    var parent: Int

    /// Returns the part for a child of `node`, with the clusters of both answers that lie within the child.
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
    // The parts that are visited later: the right siblings along the path down to the current node, at most one for
    // each level.
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
  /// Returns the answer that loses the fewest clusters of the previous answer. If several answers lose this number of
  /// clusters, returns the answer with the least scatter. Returns nil if every answer that was tried has more scatter
  /// than `mostScatter`. This happens only with a damaged file.
  ///
  /// The answers that are compared consist only of entries. Still, no other answer within the limit loses fewer
  /// clusters. Proof: take any answer within the limit. Leave its previous clusters as they are, and replace each of
  /// its remaining nodes by the lowest entry that contains the node's points in view. Then the answer consists of
  /// entries, has no more clusters than before, and loses no more previous clusters.
  ///
  /// The cost of an answer is its scatter plus a weight for each lost cluster. At first the weight is greater than any
  /// scatter. If the cheapest answer has more scatter than `mostScatter`, the weight is lowered as far as necessary.
  /// At a weight of 0 only the scatter decides, and previous clusters have no advantage over other clusters.
  ///
  /// - Complexity: O(k log k) for k entries if the finest answer keeps the limit. The finest answer is the answer with
  ///   the most clusters. If the finest answer has d clusters too many, O(k · d · log k).
  func nodes(limit: Int) -> [Node]? {
    let weights = lossWeights
    if let nodes = nodes(limit: limit, lossWeight: weights[0]) { return nodes }
    var best: [Node]?
    // An answer for a smaller weight usually has less scatter, but not always. So with another list of weights, the
    // search could find another answer.
    _ = firstIndex(in: 1..<weights.count) { index in
      let found = nodes(limit: limit, lossWeight: weights[index])
      best = found ?? best
      return found != nil
    }
    return best
  }

  /// The weights to try for a lost cluster, in units of scatter, in falling order. A lost cluster is a cluster of the
  /// previous answer that is not shown. The excess of a previous cluster says how much more scatter this cluster has
  /// than the fresh clusters within it. Once the weight has fallen to this excess, the fresh clusters replace the
  /// previous cluster. Therefore the list contains each finite excess above 0.
  private var lossWeights: [Double] {
    let excesses = entries.map(\.excess).filter { $0 > 0 && $0 < .infinity }
    let others = (0..<40).map { mostScatter * Double(sign: .plus, exponent: -$0, significand: 1) }
    return [.infinity] + (excesses + others.filter { $0 < .infinity }).sorted(by: >) + [0]
  }

  /// Returns the answer with the least cost. The cost of an answer is its scatter, plus `lossWeight` for each lost
  /// cluster. A lost cluster is a cluster of the previous answer that is not shown. Returns nil if the answer with the
  /// least cost has more scatter than `mostScatter`.
  private func nodes(limit: Int, lossWeight: Double) -> [Node]? {
    let plan = Plan(of: entries, limit: limit, lossWeight: lossWeight)
    let shown = plan.shown
    return shown.reduce(0) { $0 + entries[$1].scatter } <= mostScatter ? shown.map { entries[$0].node } : nil
  }
}

/// Chooses the entries that are shown, for a given weight of a lost cluster (a cluster of the previous answer that is
/// not shown). If the finest possible answer has more clusters than the limit allows, clusters are *saved*: coarser
/// entries are shown instead of the clusters within them. The entries are visited from the bottom up. For each entry,
/// the cheapest choice is computed for every number of clusters that may be saved within the entry. Some answer always
/// keeps the limit, because the fresh answer keeps the limit.
private struct Plan {
  private typealias Entry = Continuation.Entry

  private let entries: [Entry]
  private let lossWeight: Double

  /// For each entry that may be shown, a list of choices. The choice at index s is the cheapest way to save s clusters
  /// within the entry, which means that s clusters fewer are shown there than in the finest answer. `choices` is empty
  /// if the finest answer keeps the limit, because then no cluster needs to be saved.
  private var choices: [[Choice]]

  /// The shown entries as indices in `entries`, in tree order.
  private(set) var shown: [Int] = []

  /// The number of clusters that are saved within the left child of an entry, and the number of clusters that are
  /// saved within its right child. For each saved cluster, one cluster fewer is shown than in the finest answer. Both
  /// numbers are negative if the entry itself is shown.
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

  /// Returns whether the finest answer shows an entry itself instead of entries within it. A previous cluster is shown
  /// if its excess is less than the weight of a lost cluster. The excess says how much more scatter the cluster has
  /// than the fresh clusters within it. A previous cluster with an excess of 0 is always shown.
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

  /// - Parameter most: The number of clusters to save. A choice that saves more clusters is stored at index `most`, as
  /// if it saved exactly `most` clusters.
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
      // A previous cluster is lost if the entries below it are shown instead.
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
