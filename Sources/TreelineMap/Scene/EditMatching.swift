import Treeline

/// Matches the clusters of a tree with the clusters of the edited tree. A new cluster *continues* an old cluster if
/// both clusters share enough points: more than half of the old cluster's points, and more than half of the new
/// cluster's points. The shared points may have moved.
struct EditMatching {
  private let old: ClusterTree
  private let answer: MapAnswer
  private let row: (Int) -> Int?
  private let isFree: (Int) -> Bool
  /// Maps the row of each point in a small new cluster to the number of this cluster. The points of large clusters are
  /// not in this dictionary. A search finds the clusters of these points.
  private var numbersByRow: [Int: Int] = [:]

  /// Maximum number of points in a small cluster.
  private static let mostInSmall = 64
  /// `samples`: number of points that are looked up for all badges together. `leastSamples`: minimum number for each
  /// badge.
  private static let (samples, leastSamples) = (1024, 8)

  /// - Parameter isFree: Called with the number of a new cluster. Returns true if this cluster does not continue an
  ///   old cluster yet, and therefore may continue one.
  /// - Returns: nil if the tree of the answer is not known to be an edit of the old tree.
  init?(from old: ClusterTree, to answer: MapAnswer, isFree: @escaping (Int) -> Bool) {
    guard let row = answer.tree.rowMapping(from: old) else { return nil }
    (self.old, self.answer, self.row, self.isFree) = (old, answer, row, isFree)
    for (number, new) in answer.shown.enumerated()
    where new.cluster.pointCount <= Self.mostInSmall && isFree(number) {
      for row in answer.tree.members(of: new.cluster) { numbersByRow[row] = number }
    }
  }

  /// Returns the number of the new cluster that continues an old cluster; nil if no new cluster continues the old
  /// cluster.
  ///
  /// - Parameter count: Number of clusters for which this function will be called. The more clusters there are, the
  ///   fewer points of each cluster are looked up.
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
    // At most one new cluster can contain more than half of the looked-up points.
    guard let (number, voteCount) = votes.first(where: { 2 * $0.value > sampleCount }), isFree(number) else {
      return nil
    }
    let common = Double(voteCount) / Double(sampleCount) * Double(members.count)
    return 2 * common > Double(answer.shown[number].cluster.pointCount) ? number : nil
  }

  /// Returns the number of the new cluster that contains a point of the old tree.
  ///
  /// - Parameter isLarge: Whether large clusters are searched, too.
  private func number(ofPointAt treeIndex: Int, isLarge: Bool) -> Int? {
    guard let row = row(old.row(atTreeIndex: treeIndex)) else { return nil }
    if let number = numbersByRow[row] { return number }
    guard isLarge, answer.tree.plane == old.plane,
      let new = try? answer.tree.treeIndex(ofRow: row, at: old.position(atTreeIndex: treeIndex))
    else { return nil }
    return answer.clusters.firstIndex(containingTreeIndex: new)
  }
}
