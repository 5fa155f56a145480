/// Which cluster each point belongs to, by the clusters' own lists of points.
struct Membership {
  /// By tree index: the first cluster that lists the point, or -1.
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

/// Whether each point of a view is in exactly one cluster, and counts tell the truth.
struct Conservation {
  /// By their names in JSON and tables: how many points in the view no cluster stands for, how often clusters list a
  /// point that another one lists already, and by how much counts on badges are wrong in all.
  let faults: [(name: String, count: Int)]

  init(of points: ViewPoints, in membership: Membership) {
    faults = [
      ("missing", points.treeIndices.count { membership.owners[$0] < 0 }), ("repeated", membership.repeatedCount),
      ("miscounted", membership.miscountedCount),
    ]
  }

  var isExact: Bool { faults.allSatisfy { $0.count == 0 } }

  /// As tables have it.
  var text: String {
    isExact ? "yes" : faults.filter { $0.count > 0 }.map { "\(grouped($1)) \($0)" }.joined(separator: ", ")
  }
}
