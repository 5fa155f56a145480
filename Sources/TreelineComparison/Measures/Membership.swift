/// Which cluster each point belongs to, as the clusters' own lists of points tell.
struct Membership {
  /// By place in tree order: the index of the first cluster that lists it, or -1.
  private(set) var owners: [Int32]
  /// How many listings there are of points that a cluster before listed already.
  private(set) var repeatedCount = 0
  /// By how much the counts of clusters differ from the lengths of their lists, summed up.
  private(set) var miscountedCount = 0

  /// - Complexity: O(total + points of all clusters)
  init(of clusters: [ShownCluster], total: Int) {
    owners = [Int32](repeating: -1, count: total)
    for (index, cluster) in clusters.enumerated() {
      let places = cluster.places()
      miscountedCount += abs(places.count - cluster.pointCount)
      for place in places {
        if owners[place] < 0 {
          owners[place] = Int32(index)
        } else {
          repeatedCount += 1
        }
      }
    }
  }
}
