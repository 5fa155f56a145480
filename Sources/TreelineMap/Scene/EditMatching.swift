import Treeline

/// Finds the clusters of an edited tree that continue clusters of an earlier version. A cluster continues another
/// cluster if more than half of the points of both are the same points, wherever they have moved.
struct EditMatching {
  private let old: ClusterTree
  private let answer: MapAnswer
  private let row: (Int) -> Int?
  private let isFree: (Int) -> Bool
  /// The number of the cluster that contains each row, for small clusters. In other clusters points are searched.
  private var numbersByRow: [Int: Int] = [:]

  /// Greatest point count of a small cluster.
  private static let mostInSmall = 64
  /// Points that are looked up for all badges together, and at least for each badge.
  private static let (samples, leastSamples) = (1024, 8)

  /// - Parameter isFree: Whether a cluster of the answer may continue another cluster, given its number.
  /// - Returns: nil if the tree of the answer is not known to be an edit of the old tree.
  init?(from old: ClusterTree, to answer: MapAnswer, isFree: @escaping (Int) -> Bool) {
    guard let row = answer.tree.rowMapping(from: old) else { return nil }
    (self.old, self.answer, self.row, self.isFree) = (old, answer, row, isFree)
    for (number, new) in answer.shown.enumerated()
    where new.cluster.pointCount <= Self.mostInSmall && isFree(number) {
      for row in answer.tree.members(of: new.cluster) { numbersByRow[row] = number }
    }
  }

  /// Returns the number of the cluster that continues a cluster of the old tree; nil if there is none.
  ///
  /// - Parameter count: Number of clusters for which this function is called. With more clusters, fewer points of each
  ///   cluster are looked up.
  func number(for cluster: Cluster, among count: Int) -> Int? {
    let members = old.members(of: cluster).treeIndices
    let most = max(Self.samples / count, Self.leastSamples)
    let step = max(members.count / most, 1)
    var (votes, sampleCount) = ([Int: Int](), 0)
    for position in stride(from: 0, to: members.count, by: step) {
      sampleCount += 1
      let treeIndex = members[members.index(members.startIndex, offsetBy: position)]
      if let number = number(ofPointAt: treeIndex, isLarge: 2 * members.count > Self.mostInSmall) {
        votes[number, default: 0] += 1
      }
    }
    // Of two clusters with more than half of the points, one does not exist.
    guard let (number, voteCount) = votes.first(where: { 2 * $0.value > sampleCount }), isFree(number) else {
      return nil
    }
    let common = Double(voteCount) / Double(sampleCount) * Double(members.count)
    return 2 * common > Double(answer.shown[number].cluster.pointCount) ? number : nil
  }

  /// Returns the number of the cluster that now contains a point of the old tree.
  ///
  /// - Parameter isLarge: Whether to search clusters that are not small, too.
  private func number(ofPointAt treeIndex: Int, isLarge: Bool) -> Int? {
    guard let row = row(old.row(atTreeIndex: treeIndex)) else { return nil }
    if let number = numbersByRow[row] { return number }
    guard isLarge, answer.tree.plane == old.plane,
      let new = try? answer.tree.treeIndex(ofRow: row, at: old.position(atTreeIndex: treeIndex))
    else { return nil }
    return answer.clusters.firstIndex(containingTreeIndex: new)
  }
}
