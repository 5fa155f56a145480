/// The cluster of each point, according to the clusters' lists of points.
struct Membership {
  /// For each tree index (place of a point in the tree), the first cluster that lists the point; -1 if no cluster
  /// lists the point.
  private(set) var owners: [Int32]
  fileprivate var repeatedCount = 0
  fileprivate var miscountedCount = 0

  /// - Complexity: O(total + points of all clusters)
  init(of clusters: [ShownCluster], total: Int) {
    owners = [Int32](repeating: -1, count: total)
    for (number, cluster) in clusters.enumerated() {
      let treeIndices = cluster.treeIndices()
      miscountedCount += abs(treeIndices.count - cluster.pointCount)
      for index in treeIndices { if owners[index] < 0 { owners[index] = Int32(number) } else { repeatedCount += 1 } }
    }
  }
}

/// Whether each point of a view is in exactly one cluster, and whether the counts on badges are right.
struct Conservation {
  /// The counts of three kinds of faults, with their names in JSON and tables. The first count is the number of points
  /// in view that are in no cluster. The second count is the number of times that a cluster lists a point of another
  /// cluster. The third count is the sum of the errors in the numbers on badges.
  let faults: [(name: String, count: Int)]

  init(of points: ViewPoints, in membership: Membership) {
    faults = [
      ("missing", points.treeIndices.count { membership.owners[$0] < 0 }), ("repeated", membership.repeatedCount),
      ("miscounted", membership.miscountedCount),
    ]
  }

  var isExact: Bool { faults.allSatisfy { $0.count == 0 } }

  /// The faults as text in tables.
  var text: String {
    isExact ? "yes" : faults.filter { $0.count > 0 }.map { "\(grouped($1)) \($0)" }.joined(separator: ", ")
  }
}
