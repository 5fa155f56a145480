import Treeline

/// The points inside a view, in tree order: neighbours in the list are neighbours on the map.
struct ViewPoints: Sendable {
  /// In pixels of the view.
  private(set) var positions: [PixelPoint] = []
  /// Where each of them stands in tree order.
  private(set) var places: [Int] = []
  /// How many points there are in all, inside and outside; places are below it.
  let total: Int

  /// - Complexity: O(points of the tree)
  init(of tree: ClusterTree, in view: ComparisonView) {
    total = tree.pointCount
    for index in 0..<tree.pointCount {
      let point = tree.position(atTreeIndex: index)
      guard view.window.contains(point) else { continue }
      positions.append(view.pixel(of: point))
      places.append(index)
    }
  }

  var count: Int { positions.count }
}
