/// The cluster of each point, according to the clusters' own lists of points.
struct Membership {
  /// The first cluster that lists each point, by tree index, or -1.
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

/// Whether each point of a view is in exactly one cluster, and the counts on badges are correct.
struct Conservation {
  /// Faults by their names in JSON and tables: the number of points in view that are in no cluster, how often clusters
  /// list a point that another cluster lists already, and the total error of the counts on badges.
  let faults: [(name: String, count: Int)]

  init(of points: ViewPoints, in membership: Membership) {
    faults = [
      ("missing", points.treeIndices.count { membership.owners[$0] < 0 }), ("repeated", membership.repeatedCount),
      ("miscounted", membership.miscountedCount),
    ]
  }

  var isExact: Bool { faults.allSatisfy { $0.count == 0 } }

  /// The faults as tables show them.
  var text: String {
    isExact ? "yes" : faults.filter { $0.count > 0 }.map { "\(grouped($1)) \($0)" }.joined(separator: ", ")
  }
}
