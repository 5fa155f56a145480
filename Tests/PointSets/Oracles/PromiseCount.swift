import Treeline

/// Counts how often a tree breaks its promises about pairs of answers, on random screens. Compares the ranges of
/// points in both answers. `ClusterTransition` is checked, too.
public struct PromiseCount: Sendable {
  public private(set) var pairs = 0

  /// Number of clusters on an inner screen that lie in no cluster of the outer screen. If the cut is a limit with
  /// `isContinuing`, the answer of the inner screen continues the answer of the outer screen.
  public private(set) var nestednessViolations = 0

  /// Number of faulty transitions between any two screens. In a faulty transition a cluster is lost or doubled, or the
  /// numbers of points do not add up.
  public private(set) var conservationViolations = 0

  /// Number of answers with more clusters than their limit.
  public private(set) var limitViolations = 0

  /// Greatest ratio between the distortions of a continued answer and of a fresh answer after a pan. A distortion is
  /// the root mean square distance of points from their clusters.
  public private(set) var continuingDistortion = 1.0

  /// Two numbers of clusters, before and after a pan by a tenth of the screen: the clusters in both answers, and the
  /// clusters in at least one of them. A cluster counts only if its position is on both screens and it has a point on
  /// both screens.
  public private(set) var keptOnPan = 0
  public private(set) var eitherOnPan = 0

  public init() {}

  public var panPersistence: Double { eitherOnPan > 0 ? Double(keptOnPan) / Double(eitherOnPan) : 1 }

  /// Tests one pair of screens of each kind with a random cut, and a transition to a random cut of a random screen.
  public mutating func add(_ kind: ScreenCut.Kind, of tree: ClusterTree, _ screens: inout ScreenMaker) throws {
    let cut = screens.cut(kind)
    let outer = screens.next()
    let (inner, beside, elsewhere) = (screens.inside(outer), screens.beside(outer), screens.next())
    let answer = try cut.answer(of: tree, on: outer)
    pairs += 1

    let finer = try cut.answer(of: tree, on: inner, after: answer)
    nestednessViolations += finer.count { !answer.hasCluster(around: $0) }

    let next = try cut.answer(of: tree, on: beside, after: answer)
    try addPan(answer, on: outer, next, on: beside, of: tree)

    for other in [finer, next, try screens.cut().answer(of: tree, on: elsewhere, after: answer)] {
      let isExact = ClusterTransition(from: answer, to: other).accountsFor(answer, other)
      conservationViolations += isExact ? 0 : 1
    }
    limitViolations += [answer, finer, next].count { $0.count > cut.limit }

    if kind == .continuing {
      let fresh = try cut.answer(of: tree, on: beside)
      if fresh.scatter > 0 {
        continuingDistortion = max(continuingDistortion, (next.scatter / fresh.scatter).squareRoot())
      } else if next.scatter > 0 {
        continuingDistortion = .infinity
      }
    }
  }
}

extension PromiseCount {
  /// Compares the answers before and after a pan. Only clusters that are on both screens count. Counts the clusters
  /// that are in both answers, and the clusters that are in at least one answer.
  public mutating func addPan(
    _ first: Clusters, on outer: Screen, _ second: Clusters, on beside: Screen, of tree: ClusterTree
  ) throws {
    func isOnBoth(_ cluster: Cluster) throws -> Bool {
      guard outer.shows(cluster), beside.shows(cluster) else { return false }
      return try tree.hasPoint(of: cluster, in: [outer.window, beside.window])
    }
    let (before, after) = (Set(try first.filter(isOnBoth).map(\.id)), Set(try second.filter(isOnBoth).map(\.id)))
    keptOnPan += before.intersection(after).count
    eitherOnPan += before.union(after).count
  }
}

extension ClusterTree {
  /// Returns whether a cluster has a point that lies in all of the given windows.
  ///
  /// If the boxes do not decide this, descends to the children, because a cluster may have millions of points.
  fileprivate func hasPoint(of cluster: Cluster, in windows: [PlaneWindow]) throws -> Bool {
    var waiting = [cluster]
    while let cluster = waiting.popLast() {
      guard windows.allSatisfy({ $0.intersects(cluster.rect) }) else { continue }
      if windows.allSatisfy({ $0.contains(cluster.rect) }) { return true }
      waiting += try children(of: cluster.id)
    }
    return false
  }
}

extension Clusters {
  /// Sum of the squared distances of all points from the means of their clusters.
  fileprivate var scatter: Double { reduce(0) { $0 + Double($1.pointCount) * $1.planeRadius * $1.planeRadius } }

  fileprivate func hasCluster(around part: Cluster) -> Bool {
    guard let index = firstIndex(containingTreeIndex: part.range.lowerBound) else { return false }
    return part.range.upperBound <= self[index].range.upperBound
  }
}

extension ClusterTransition {
  /// Returns whether each cluster of both answers occurs exactly once, and whether all points are accounted for.
  fileprivate func accountsFor(_ from: Clusters, _ to: Clusters) -> Bool {
    let old = kept + splits.map(\.whole) + merges.flatMap(\.parts) + exited
    let new = kept + merges.map(\.whole) + splits.flatMap(\.parts) + entered
    let replacements = splits + merges
    return old.map(\.id).sorted() == from.map(\.id) && new.map(\.id).sorted() == to.map(\.id)
      && replacements.allSatisfy { replacement in
        replacement.hiddenPointCount >= 0
          && replacement.parts.reduce(replacement.hiddenPointCount) { $0 + $1.pointCount }
            == replacement.whole.pointCount
          && replacement.parts.allSatisfy(replacement.whole.isAncestor)
      } && points(in: old) == points(in: from) && points(in: new) == points(in: to)
  }

  private func points(in clusters: some Sequence<Cluster>) -> Int { clusters.reduce(0) { $0 + $1.pointCount } }
}
