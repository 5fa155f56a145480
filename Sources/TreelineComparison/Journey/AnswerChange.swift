import Treeline

/// The changes between the clusters of two consecutive answers.
struct AnswerChange: Sendable {
  /// Flows of points between clusters, ordered by the cluster of the first answer, and then by the cluster of the
  /// second answer.
  let flows: [Flow]
  /// Indices of clusters in the second answer that share no point with the first answer.
  let entered: [Int]
  /// Indices of clusters in the first answer that share no point with the second answer.
  let exited: [Int]
  /// Number of clusters in the first answer, and number of clusters in the second answer.
  let fromCount: Int
  let toCount: Int

  /// Compares two answers of one method.
  ///
  /// - Parameter total: Number of all points.
  /// - Complexity: O(clusters) for a tree, otherwise O(total).
  init(from first: ClusteringMethod.Answer, to second: ClusteringMethod.Answer, total: Int) {
    let flows =
      if let from = first.nodes, let to = second.nodes { Self.flows(from, to) } else {
        Self.flows(first.clusters, second.clusters, total: total)
      }
    self.flows = flows.sorted { ($0.from, $0.to) < ($1.from, $1.to) }
    fromCount = first.clusters.count
    toCount = second.clusters.count
    let (from, to) = (Set(flows.map(\.from)), Set(flows.map(\.to)))
    exited = (0..<fromCount).filter { !from.contains($0) }
    entered = (0..<toCount).filter { !to.contains($0) }
  }

  private static func flows(_ from: Clusters, _ to: Clusters) -> [Flow] {
    let transition = ClusterTransition(from: from, to: to)
    func flow(_ old: Cluster, _ new: Cluster) -> Flow {
      Flow(
        from: from.firstIndex(containingTreeIndex: old.range.lowerBound)!,
        to: to.firstIndex(containingTreeIndex: new.range.lowerBound)!,
        pointCount: min(old.pointCount, new.pointCount), of: old.pointCount, new.pointCount)
    }
    return transition.kept.map { flow($0, $0) }
      + transition.splits.flatMap { split in split.parts.map { flow(split.whole, $0) } }
      + transition.merges.flatMap { merge in merge.parts.map { flow($0, merge.whole) } }
  }

  private static func flows(_ from: [ShownCluster], _ to: [ShownCluster], total: Int) -> [Flow] {
    let owners = Membership(of: from, total: total).owners
    return to.enumerated().flatMap { index, cluster in
      var counts: [Int: Int] = [:]
      for point in cluster.treeIndices() where owners[point] >= 0 { counts[Int(owners[point]), default: 0] += 1 }
      return counts.map { old, count in
        Flow(from: old, to: index, pointCount: count, of: from[old].pointCount, cluster.pointCount)
      }
    }
  }
}

extension AnswerChange {
  /// Returns the share of points, from 0 to 1, that are torn out of their clusters between the two answers. The finer
  /// answer is the answer at the higher zoom. Each cluster of the finer answer is assigned to the cluster of the other
  /// answer with which it shares the most points. Its points that lie in other clusters count as torn. Only points in
  /// both answers are counted. The share is 0 if each cluster of the finer answer lies within one cluster of the other
  /// answer. The share is nil if the answers share no points.
  func nestedness(isFirstFiner: Bool) -> Double? {
    var (most, all) = ([Int: Int](), 0)
    for flow in flows {
      let fine = isFirstFiner ? flow.from : flow.to
      most[fine] = max(most[fine] ?? 0, flow.pointCount)
      all += flow.pointCount
    }
    return all > 0 ? 1 - Double(most.values.reduce(0, +)) / Double(all) : nil
  }

  /// Returns the share of clusters that persist. Only clusters that satisfy a condition are considered. The share is
  /// the number of clusters that are in both answers, divided by the number of clusters that are in at least one
  /// answer. The share is nil if no cluster satisfies the condition.
  func persistence(ofFirst isFirstCounted: (Int) -> Bool, second isSecondCounted: (Int) -> Bool) -> Double? {
    let kept = flows.count { $0.kind == .kept && isFirstCounted($0.from) && isSecondCounted($0.to) }
    let either = (0..<fromCount).count(where: isFirstCounted) + (0..<toCount).count(where: isSecondCounted) - kept
    return either > 0 ? Double(kept) / Double(either) : nil
  }
}

/// What happens to a cluster between two answers.
enum Fate: CaseIterable {
  /// Both clusters have exactly the same points.
  case kept
  /// The second cluster is a part of the first cluster.
  case split
  /// The first cluster is a part of the second cluster.
  case merged
  /// Each of the two clusters has points that the other cluster lacks.
  case torn
  /// The cluster shares no point with the other answer.
  case entered, exited
}

/// The points that a cluster of the first answer shares with a cluster of the second answer.
struct Flow: Hashable, Sendable {
  /// Index of the cluster in the first answer, and index of the cluster in the second answer.
  let from: Int
  let to: Int
  /// Number of shared points, at least 1.
  let pointCount: Int

  let kind: Fate

  init(from: Int, to: Int, pointCount: Int, of fromCount: Int, _ toCount: Int) {
    (self.from, self.to, self.pointCount) = (from, to, pointCount)
    kind =
      switch (pointCount == fromCount, pointCount == toCount) {
      case (true, true): .kept
      case (false, true): .split
      case (true, false): .merged
      case (false, false): .torn
      }
  }
}
