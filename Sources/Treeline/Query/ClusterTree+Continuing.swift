extension ClusterTree {
  /// The clusters that stand for the points in a box, at most `limit` of them, that change least from a previous answer.
  ///
  /// A limit decides for all clusters at once how fine they are, so even a small pan splits and merges some in the middle of
  /// the screen. Here the clusters of the previous answer stay, and new ones come where points came into view, as long
  /// as
  /// - there are no more than `limit` clusters, and
  /// - the clusters' scatter, the sum of the squared distances of all their points to their means, is at most
  ///   `continuityFactor` squared of that of the fresh answer, `clusters(in:limit:order:)`.
  ///
  /// Where that would not hold, clusters of the fresh answer take the place of those within them, or around them, the worst
  /// first. Like any answer, every point in the box is in exactly one cluster, every cluster has a point in the box, and
  /// none contains another. But unlike others it depends on what was shown before, so it is not nested over zoom.
  ///
  /// - Parameters:
  ///   - previous: An answer of this tree, for whatever box.
  ///   - order: That of the fresh answer.
  /// - Precondition: `previous` is of this tree.
  /// - Throws: As the fresh answer does.
  /// - Complexity: O(k log k + k · depth), k being the limit and the size of the previous answer.
  public func clusters(
    in box: BoundingBox, limit: Int, continuing previous: Clusters, order: ExpansionOrder = .breadthFirst
  ) throws -> Clusters {
    guard limit >= 1 else { throw QueryError.limitBelowOne(found: limit) }
    guard let window = try plane.window(showing: box) else { return noClusters }
    return try clusters(in: window, limit: limit, continuing: previous, order: order)
  }

  /// The same for a part of the plane.
  public func clusters(
    in window: PlaneWindow, limit: Int, continuing previous: Clusters,
    order: ExpansionOrder = .breadthFirst
  ) throws -> Clusters {
    precondition(
      previous.tree.storage === storage, "Expected an answer of this tree, found one of another tree")
    let fresh = try clusters(in: window, limit: limit, order: order)
    defer { withExtendedLifetime(storage) {} }
    let seen = try previous.nodes.filter { node throws(IndexError) in
      try storage.hasVisiblePoint(node, in: window)
    }
    var continuation = Continuation()
    try continuation.compare(seen, fresh.nodes, of: storage, in: window)
    return Clusters(tree: self, nodes: continuation.nodes(limit: limit))
  }

  /// How much farther from their clusters' means points may be in an answer that continues another than in a fresh one,
  /// as a root mean square.
  public static let continuityFactor = 1.25
}

/// The parts of the tree in which two answers differ, for each of which one or the other is chosen.
private struct Continuation {
  private struct Place {
    /// What changes least: clusters of the previous answer, and others beside them if something else is in view.
    var steady: [Node]
    var fresh: [Node]
    /// How many clusters of the previous answer the fresh one has not.
    var lostCount: Int
    var steadyScatter: Double
    var freshScatter: Double
  }

  /// In tree order.
  private var places: [Place] = []

  /// Walks along two answers of one tree in tree order: at each place one has a node and the other nodes within it, or both
  /// the same. What is in view is in a node of the fresh answer.
  mutating func compare(
    _ previous: [Node], _ fresh: [Node], of storage: TreeStorage, in window: PlaneWindow
  ) throws(IndexError) {
    var (p, f) = (0, 0)
    while f < fresh.count {
      let node = fresh[f]
      if p < previous.count, previous[p].range.lowerBound <= node.range.lowerBound,
        previous[p].range.upperBound >= node.range.upperBound
      {
        let whole = previous[p]
        var end = f
        while end < fresh.count, fresh[end].range.lowerBound < whole.range.upperBound { end += 1 }
        try append([whole], Array(fresh[f..<end]), lostCount: whole == node ? 0 : 1, of: storage)
        (p, f) = (p + 1, end)
      } else {
        var end = p
        while end < previous.count, previous[end].range.lowerBound < node.range.upperBound { end += 1 }
        let parts = try storage.cut(of: node, through: previous[p..<end], in: window)
        try append(parts, [node], lostCount: end - p, of: storage)
        (p, f) = (end, f + 1)
      }
    }
  }

  private mutating func append(
    _ steady: [Node], _ fresh: [Node], lostCount: Int, of storage: TreeStorage
  ) throws(IndexError) {
    func scatter(_ nodes: [Node]) throws(IndexError) -> Double {
      var sum = 0.0
      for node in nodes { sum += Double(node.count) * (try storage.squaredRadius(of: node)) }
      return sum
    }
    places.append(
      Place(
        steady: steady, fresh: fresh, lostCount: lostCount, steadyScatter: try scatter(steady),
        freshScatter: try scatter(fresh)))
  }

  /// The steady nodes, but fresh ones at as many places as it takes.
  func nodes(limit: Int) -> [Node] {
    var count = places.reduce(0) { $0 + $1.steady.count }
    var scatter = places.reduce(0) { $0 + $1.steadyScatter }
    let mostScatter =
      places.reduce(0) { $0 + $1.freshScatter } * ClusterTree.continuityFactor * ClusterTree.continuityFactor
    var isFresh = [Bool](repeating: false, count: places.count)
    // Those that save most clusters for each that is lost, and those that save most scatter, come last.
    var tooMany = places.indices.filter { places[$0].steady.count > 1 }
      .sorted { (savingRate(of: $0), $1) < (savingRate(of: $1), $0) }
    var tooWide = places.indices.filter { excess(of: $0) > 0 }
      .sorted { (excess(of: $0), $1) < (excess(of: $1), $0) }
    while true {
      guard let place = count > limit ? tooMany.popLast() : scatter > mostScatter ? tooWide.popLast() : nil
      else { break }
      isFresh[place] = true
      count += places[place].fresh.count - places[place].steady.count
      scatter += places[place].freshScatter - places[place].steadyScatter
    }
    return places.indices.flatMap { isFresh[$0] ? places[$0].fresh : places[$0].steady }
  }

  private func savingRate(of place: Int) -> Double {
    Double(places[place].steady.count - 1) / Double(max(places[place].lostCount, 1))
  }

  private func excess(of place: Int) -> Double { places[place].steadyScatter - places[place].freshScatter }
}

extension TreeStorage {
  /// Whether any node, a part of a bucket too, has a point in the window.
  fileprivate func hasVisiblePoint(_ node: Node, in window: PlaneWindow) throws(IndexError) -> Bool {
    if node.depthInBucket == 0 { return try isSeen(node, in: window) }
    return node.range.contains { window.contains(points[$0]) }
  }

  /// Some nodes within a node and the largest others beside them that have a point in the window, in tree order: of no nodes
  /// the node itself.
  fileprivate func cut(
    of node: Node, through parts: ArraySlice<Node>, in window: PlaneWindow
  ) throws(IndexError) -> [Node] {
    if parts.isEmpty { return [node] }
    var cut: [Node] = []
    var waiting = [(node, parts)]
    while let (node, parts) = waiting.popLast() {
      if parts.isEmpty {
        if try hasVisiblePoint(node, in: window) {
          try checkSummary(of: node)
          cut.append(node)
        }
      } else if parts.count == 1 && parts.first!.range == node.range {
        cut.append(node)
      } else if let (left, right) = try children(of: node) {
        let middle = parts.firstIndex { $0.range.lowerBound >= right.range.lowerBound } ?? parts.endIndex
        waiting.append((right, parts[middle...]))
        waiting.append((left, parts[..<middle]))
      }
    }
    return cut
  }
}
