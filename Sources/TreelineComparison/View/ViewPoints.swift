import Treeline

/// The points inside a view, in tree order: neighbours in the list are neighbours on the map.
struct ViewPoints: Sendable {
  /// In pixels of the view.
  private(set) var positions: [PixelPoint] = []
  /// The index of each of them in tree order.
  private(set) var treeIndices: [Int] = []
  /// How many points there are in all, inside and outside.
  let total: Int

  /// - Complexity: O(points of the tree)
  init(of tree: ClusterTree, in view: ComparisonView) {
    total = tree.pointCount
    for index in 0..<tree.pointCount {
      let point = tree.position(atTreeIndex: index)
      guard view.window.contains(point) else { continue }
      positions.append(view.pixel(of: point))
      treeIndices.append(index)
    }
  }

  var count: Int { positions.count }
}

/// The points of a view as dots of its picture.
struct PointDots: Sendable {
  /// In pixels of the view; no two in one square of half a pixel.
  let positions: [PixelPoint]
  /// Every point is under a dot if this is 1; otherwise one in so many dots is drawn.
  let step: Int

  /// Points under a dot already need none. Every so many of the dots left in tree order is kept, which thins all parts
  /// of the picture alike.
  ///
  /// - Complexity: O(points in view)
  init(_ points: ViewPoints, atMost limit: Int) {
    var seen: Set<PixelPoint> = []
    let dots = points.positions.filter { seen.insert(($0 * 2).rounded(.down)).inserted }
    let step = max((dots.count + limit - 1) / limit, 1)
    self.step = step
    positions = stride(from: 0, to: dots.count, by: step).map { dots[$0] }
  }
}
