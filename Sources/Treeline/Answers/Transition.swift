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

    /// In tree order, one at least.
    public let parts: Clusters

    /// How many of the whole's points are in none of the parts, being in no cluster of that answer. The points of the
    /// parts and these are all of the whole's.
    public let hiddenPointCount: Int
  }

  /// Clusters of both answers.
  public let kept: Clusters

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

  /// - Precondition: both are answers of one tree.
  /// - Complexity: O(k), the number of clusters of both.
  public init(from first: Clusters, to second: Clusters) {
    precondition(first.tree.isSame(as: second.tree), "Expected two answers of one tree, found answers of two trees")
    var walk = Walk(first, second)
    walk.run()
    kept = walk.kept
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
  private(set) var kept: Clusters
  private(set) var entered: Clusters
  private(set) var exited: Clusters
  private(set) var added: Clusters
  private(set) var removed: Clusters
  private(set) var splits: [Transition.Replacement] = []
  private(set) var merges: [Transition.Replacement] = []

  init(_ old: Clusters, _ new: Clusters) {
    self.old = old
    self.new = new
    let none = Clusters(tree: old.tree, nodes: [])
    (kept, entered, exited, added, removed) = (none, none, none, none, none)
  }

  mutating func run() {
    var (o, n) = (0, 0)
    while o < old.count, n < new.count {
      let (a, b) = (old.nodes[o].range, new.nodes[n].range)
      if a == b {
        kept.nodes.append(old.nodes[o])
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
        splits.append(replacement(old.nodes[o], new.nodes[n..<end]))
        removed.nodes.append(old.nodes[o])
        added.nodes += new.nodes[n..<end]
        (o, n) = (o + 1, end)
      } else {
        let end = old.nodes[o...].firstIndex { $0.range.lowerBound >= b.upperBound } ?? old.count
        merges.append(replacement(new.nodes[n], old.nodes[o..<end]))
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

  private func replacement(_ whole: Node, _ parts: ArraySlice<Node>) -> Transition.Replacement {
    Transition.Replacement(
      whole: old.tree.cluster(of: whole), parts: Clusters(tree: old.tree, nodes: Array(parts)),
      hiddenPointCount: Int(whole.count) - parts.reduce(0) { $0 + Int($1.count) })
  }
}
