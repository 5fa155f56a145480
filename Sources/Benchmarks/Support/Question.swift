import Treeline

/// One query and what its answer must be.
struct Question: Sendable {
  var box: BoundingBox
  var limit: Int

  @inline(__always)
  func answer(of tree: ClusterTree) throws -> Clusters {
    try tree.clusters(.limit(limit), in: Viewport(box))
  }

  /// Compares an answer with the points: each that is inside is in exactly one cluster, and every cluster has one.
  ///
  /// - Complexity: O(pointCount)
  func check(_ answer: Clusters, of tree: ClusterTree) throws {
    require(!answer.isEmpty && answer.count <= limit, "\(answer.count) clusters around a point, of \(limit)")
    let window = try tree.plane.window(showing: box)!
    func inside(_ range: Range<Int>) -> Int {
      range.reduce(0) { $0 + (window.contains(tree.position(atTreeIndex: $1)) ? 1 : 0) }
    }
    var end = 0
    var counted = 0
    for cluster in answer {
      require(cluster.range.lowerBound >= end, "a cluster overlaps the one before it")
      let count = inside(cluster.range)
      require(count > 0, "a cluster has no point in the box \(box)")
      end = cluster.range.upperBound
      counted += count
    }
    let all = inside(0..<tree.pointCount)
    require(counted == all, "the clusters hold \(counted) of the \(all) points in the box \(box)")
  }
}
