/// The changes between two answers of one tree. The two answers may have different viewports and different cuts.
///
/// The clusters of both answers are nodes of one tree. So there are four cases for a cluster of one answer:
/// - it is also in the other answer;
/// - it contains clusters of the other answer;
/// - it lies in a cluster of the other answer;
/// - it has no point in common with the other answer.
///
/// Hence every cluster of both answers occurs exactly once in the lists `kept`, `splits`, `merges`, `entered` and
/// `exited`. Each change can be animated from its start to its end:
///
/// ```swift
/// let transition = ClusterTransition(from: clusters, to: try tree.clusters(.limit(100), in: view))
/// for split in transition.splits { ... }    // parts start where `split.whole` was
/// for merge in transition.merges { ... }    // parts end where `merge.whole` will be
/// ```
///
/// An app that shows clusters as annotations of a map view needs only `kept`, `added` and `removed`.
public struct ClusterTransition: Sendable {
  /// A cluster of one answer, and the clusters of the other answer that lie within this cluster.
  public struct Replacement: Sendable {
    /// The cluster that contains the parts.
    public let whole: Cluster

    /// The tree of both answers. It has the filter of the answer that contains `whole`.
    let tree: ClusterTree

    /// The clusters of the other answer that lie within `whole`, in tree order; at least one.
    public let parts: Clusters

    /// The number of points of `whole` that are in none of the parts. The answer that contains the parts has no
    /// cluster with these points. Points that pass the filter of only one answer are not counted.
    public let hiddenPointCount: Int

    /// The number of points of this replacement that pass the filter of the first answer, but not the filter of the
    /// second answer.
    public let filteredOutPointCount: Int

    /// The number of points of this replacement that pass the filter of the second answer, but not the filter of the
    /// first answer.
    ///
    /// Let `sum` be the sum of the point counts of all parts. Then
    /// - in a split, `whole.pointCount` is `sum - filteredInPointCount + filteredOutPointCount + hiddenPointCount`;
    /// - in a merge, `whole.pointCount` is `sum - filteredOutPointCount + filteredInPointCount + hiddenPointCount`.
    public let filteredInPointCount: Int
  }

  /// The clusters that occur in both answers, as the second answer shows them.
  public private(set) var kept: Clusters

  /// The kept clusters as the first answer shows them, in the order of `kept`. If the two answers have different
  /// filters, a cluster may have different points in the two answers.
  public private(set) var keptBefore: Clusters

  /// For each split: the cluster in the first answer, and the parts that replace it in the second answer.
  public private(set) var splits: [Replacement] = []

  /// For each merge: the parts in the first answer, and the cluster that replaces them in the second answer.
  public private(set) var merges: [Replacement] = []

  /// The clusters of the second answer that share no point with a cluster of the first answer.
  public private(set) var entered: Clusters

  /// The clusters of the first answer that share no point with a cluster of the second answer.
  public private(set) var exited: Clusters

  /// The clusters of the second answer that are not in the first answer, in tree order.
  public private(set) var added: Clusters

  /// The clusters of the first answer that are not in the second answer, in tree order.
  public private(set) var removed: Clusters

  private let filters: FilterChange

  /// Counts points in a range of tree indices, such as the range of a cluster. `out` is the number of points that pass
  /// only the first answer's filter. `in` is the number of points that pass only the second answer's filter. Both
  /// numbers are 0 if the answers have the same filter, or no filter.
  ///
  /// - Complexity: O(1)
  package func filteredPointCounts(in range: Range<Int>) -> (out: Int, in: Int) {
    let range = range.clamped(to: 0..<kept.tree.pointCount)
    return (filters.countFilteredOut(in: range), filters.countFilteredIn(in: range))
  }

  /// Finds the changes from one answer to another.
  ///
  /// - Precondition: `first` and `second` are answers of one tree. Their filters may differ.
  /// - Complexity: O(k) for k clusters in both answers together. If both answers have filters and the filters differ,
  ///   O(pointCount / 64) is added.
  public init(from first: Clusters, to second: Clusters) {
    precondition(
      first.tree.isSame(as: second.tree), "Expected two answers of the same tree, found answers of different trees")
    filters = FilterChange(from: first.tree.selection, to: second.tree.selection)
    let (none, noneBefore) = (second.with([]), first.with([]))
    (kept, entered, added) = (none, none, none)
    (keptBefore, exited, removed) = (noneBefore, noneBefore, noneBefore)
    walk(first, second)
  }

  /// Walks along both answers in tree order, and finds the changes.
  private mutating func walk(_ old: Clusters, _ new: Clusters) {
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
  ///   - answer: The answer that contains the cluster `whole`.
  ///   - other: The answer that contains the clusters `parts`.
  private func replacement(
    of whole: Node, in answer: Clusters, _ parts: ArraySlice<Node>, in other: Clusters, isSplit: Bool
  ) -> Replacement {
    func sum(_ nodes: some Sequence<Node>, _ count: (Range<Int>) -> Int) -> Int {
      nodes.reduce(0) { $0 + count($1.range) }
    }
    let (first, second) = isSplit ? ([whole][...], parts) : (parts, [whole][...])
    return Replacement(
      whole: answer[whole], tree: answer.tree, parts: other.with(Array(parts)),
      hiddenPointCount: filters.countInBoth(in: whole.range) - sum(parts, filters.countInBoth),
      filteredOutPointCount: sum(first, filters.countFilteredOut),
      filteredInPointCount: sum(second, filters.countFilteredIn))
  }
}

/// The filters of two answers (nil for an answer without a filter), and the points that pass both filters.
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
