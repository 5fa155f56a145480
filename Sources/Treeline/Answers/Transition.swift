/// What changes between two answers over one tree, whatever their boxes, limits and orders.
///
/// The clusters of an answer are nodes of one hierarchy, so a cluster of one answer is the same as one of the other,
/// or contains some of them, or lies in one of them, or has nothing to do with any. Hence every cluster of both
/// answers occurs exactly once in what follows, and each change can be drawn from where it starts to where it ends:
///
/// ```swift
/// let transition = Transition(from: shown, to: try tree.clusters(.limit(100), in: view))
/// for split in transition.splits { ... }    // parts start where `split.whole` was
/// for merge in transition.merges { ... }    // parts end where `merge.whole` will be
/// ```
///
/// What map kits call the difference of annotations is `kept`, `added` and `removed`.
public struct Transition: Sendable {
  /// One cluster on one side, and the clusters within it that are shown on the other.
  public struct Replacement: Sendable {
    /// The one cluster.
    public let whole: Cluster

    /// With the filter of the whole's answer.
    let tree: ClusterTree

    /// In tree order, one at least.
    public let parts: Clusters

    /// How many of the whole's points are in none of the parts, being in no cluster of that answer. The points of the
    /// parts and these are all of the whole's, but for those that pass one filter alone.
    public let hiddenPointCount: Int

    /// How many points of the side that was shown first pass its filter and not the second answer's.
    public let filteredOutPointCount: Int

    /// How many points of the side that is shown second pass its filter and not the first answer's.
    ///
    /// So a whole that is split has as many points as its parts, less those filtered in, with those filtered out and
    /// hidden; and a whole that others merge into as many as these, less those filtered out, with those filtered in
    /// and hidden.
    public let filteredInPointCount: Int
  }

  /// Clusters of both answers, as the second has them.
  public let kept: Clusters

  /// The same as the first has them, in the same order: under another filter they have other points.
  public let keptBefore: Clusters

  /// Clusters of the first answer whose place others take, that lie within them.
  public let splits: [Replacement]

  /// Clusters of the second answer that take the place of others, that lie within them.
  public let merges: [Replacement]

  /// Clusters of the second answer none of whose points are in a cluster of the first.
  public let entered: Clusters

  /// Clusters of the first answer none of whose points are in a cluster of the second.
  public let exited: Clusters

  /// The clusters of the second answer that the first has not, in tree order.
  public let added: Clusters

  /// The clusters of the first answer that the second has not, in tree order.
  public let removed: Clusters

  private let filters: FilterChange

  /// How many of the points with tree indices in a range, such as a cluster's, pass the filter of one answer alone:
  /// 0 where both have the same filter, or none.
  ///
  /// - Complexity: O(1)
  public func filteredPointCounts(in range: Range<Int>) -> (out: Int, in: Int) {
    let range = range.clamped(to: 0..<kept.tree.pointCount)
    return (filters.countFilteredOut(in: range), filters.countFilteredIn(in: range))
  }

  /// - Precondition: both are answers of one tree, under whatever filters.
  /// - Complexity: O(k), the number of clusters of both; O(pointCount / 64) more where both have filters that differ.
  public init(from first: Clusters, to second: Clusters) {
    precondition(first.tree.isSame(as: second.tree), "Expected two answers of one tree, found answers of two trees")
    var walk = Walk(first, second)
    walk.run()
    filters = walk.filters
    (kept, keptBefore) = (walk.kept, walk.keptBefore)
    splits = walk.splits
    merges = walk.merges
    entered = walk.entered
    exited = walk.exited
    added = walk.added
    removed = walk.removed
  }
}

/// One walk along both answers, which are in tree order.
private struct Walk {
  private let old: Clusters
  private let new: Clusters
  let filters: FilterChange
  private(set) var kept: Clusters
  private(set) var keptBefore: Clusters
  private(set) var entered: Clusters
  private(set) var exited: Clusters
  private(set) var added: Clusters
  private(set) var removed: Clusters
  private(set) var splits: [Transition.Replacement] = []
  private(set) var merges: [Transition.Replacement] = []

  init(_ old: Clusters, _ new: Clusters) {
    self.old = old
    self.new = new
    filters = FilterChange(from: old.tree.selection, to: new.tree.selection)
    let (none, noneBefore) = (new.with([]), old.with([]))
    (kept, entered, added) = (none, none, none)
    (keptBefore, exited, removed) = (noneBefore, noneBefore, noneBefore)
  }

  mutating func run() {
    var (o, n) = (0, 0)
    while o < old.count, n < new.count {
      let (a, b) = (old.nodes[o].range, new.nodes[n].range)
      if a == b {
        kept.nodes.append(new.nodes[n])
        keptBefore.nodes.append(old.nodes[o])
        (o, n) = (o + 1, n + 1)
      } else if a.upperBound <= b.lowerBound {
        exited.nodes.append(old.nodes[o])
        removed.nodes.append(old.nodes[o])
        o += 1
      } else if b.upperBound <= a.lowerBound {
        entered.nodes.append(new.nodes[n])
        added.nodes.append(new.nodes[n])
        n += 1
      } else if a.count > b.count {
        let end = new.nodes[n...].firstIndex { $0.range.lowerBound >= a.upperBound } ?? new.count
        splits.append(replacement(of: old.nodes[o], in: old, new.nodes[n..<end], in: new, isSplit: true))
        removed.nodes.append(old.nodes[o])
        added.nodes += new.nodes[n..<end]
        (o, n) = (o + 1, end)
      } else {
        let end = old.nodes[o...].firstIndex { $0.range.lowerBound >= b.upperBound } ?? old.count
        merges.append(replacement(of: new.nodes[n], in: new, old.nodes[o..<end], in: old, isSplit: false))
        added.nodes.append(new.nodes[n])
        removed.nodes += old.nodes[o..<end]
        (o, n) = (end, n + 1)
      }
    }
    exited.nodes += old.nodes[o...]
    removed.nodes += old.nodes[o...]
    entered.nodes += new.nodes[n...]
    added.nodes += new.nodes[n...]
  }

  /// - Parameters:
  ///   - answer: That of the whole.
  ///   - other: That of the parts.
  private func replacement(
    of whole: Node, in answer: Clusters, _ parts: ArraySlice<Node>, in other: Clusters, isSplit: Bool
  ) -> Transition.Replacement {
    func sum(_ nodes: some Sequence<Node>, _ count: (Range<Int>) -> Int) -> Int {
      nodes.reduce(0) { $0 + count($1.range) }
    }
    let (first, second) = isSplit ? ([whole][...], parts) : (parts, [whole][...])
    return Transition.Replacement(
      whole: answer[whole], tree: answer.tree, parts: other.with(Array(parts)),
      hiddenPointCount: filters.countInBoth(in: whole.range) - sum(parts, filters.countInBoth),
      filteredOutPointCount: sum(first, filters.countFilteredOut),
      filteredInPointCount: sum(second, filters.countFilteredIn))
  }
}

/// The filters of two answers, nil for those of all points, and what passes both.
private struct FilterChange: Sendable {
  private let first: Selection?
  private let second: Selection?
  private let both: Selection?

  init(from first: Selection?, to second: Selection?) {
    (self.first, self.second) = (first, second)
    if let first, let second, first !== second {
      both = first.intersection(second)
    } else {
      both = first ?? second
    }
  }

  private func count(_ selection: Selection?, _ range: Range<Int>) -> Int {
    selection?.points.count(in: range) ?? range.count
  }

  func countInBoth(in range: Range<Int>) -> Int { count(both, range) }
  func countFilteredOut(in range: Range<Int>) -> Int { count(first, range) - count(both, range) }
  func countFilteredIn(in range: Range<Int>) -> Int { count(second, range) - count(both, range) }
}
