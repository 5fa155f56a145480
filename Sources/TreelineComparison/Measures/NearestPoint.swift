import Treeline

extension ViewMeasure {
  /// Mean distance in pixels from the position of a cluster in view to the nearest point of the data. The nearest point
  /// may lie outside the view.
  static var dataDistance: Self {
    Self(
      key: "on_data_px", title: "Badge to nearest point",
      explanation:
        "Shows whether badges stand on the data or in empty space. Mean distance from a badge to the nearest point.",
      unit: .pixels, direction: .less, praise: Praise(clause: .gain(of: "its badges", nearerTo: "the nearest point"))
    ) { measured in
      let view = measured.view
      return mean(
        try measured.clusters.map { cluster in
          let (x, y) = view.wrappedPlanePosition(of: cluster.position)
          return (try measured.tree.distanceToNearestPoint(x: x, y: y) ?? 0) / view.unitsPerPixel
        })
    }
  }
}

extension ClusterTree {
  /// Returns the distance from a position on the plane to the nearest point of the tree, in units of the plane; nil if
  /// there are no points. Searches the boxes of the nodes by branch and bound.
  ///
  /// - Complexity: Usually O(log^2 n).
  func distanceToNearestPoint(x: Double, y: Double) throws -> Double? {
    try withStorage { storage -> Double? in
      guard let root = storage.root else { return nil }
      func visit(_ node: Node) -> (bound: Double, node: Node) {
        (squaredDistance(fromX: x, y, to: storage.box(of: node)), node)
      }
      var best = Double.infinity
      var stack = [visit(root)]
      while let (bound, node) = stack.popLast() {
        guard bound < best else { continue }
        if node.count > Self.scannedCount, let (left, right) = try storage.children(of: node) {
          // The nearer child is pushed last, so it is visited first.
          stack += [visit(left), visit(right)].sorted { $0.bound > $1.bound }
        } else {
          // If a node has no children, all its points share one position. So it is enough to read a few of them.
          for index in Int(node.first)..<Int(node.first) + min(Int(node.count), Self.scannedCount) {
            best = min(best, squaredDistance(fromX: x, y, to: PlaneRect(position(atTreeIndex: index))))
          }
        }
      }
      return best.squareRoot()
    }
  }

  /// If a node has at most this number of points, the points are read one by one.
  static var scannedCount: Int { 16 }

  func squaredDistance(fromX x: Double, _ y: Double, to rect: PlaneRect) -> Double {
    let (minX, maxX) = (Double(rect.minX), rect.eastX)
    var dx = max(minX - x, 0, x - maxX)
    if plane.projection == .webMercator, dx > 0 {
      // The world repeats, so two copies of the box are also considered: the copy that lies one turn to the west, and
      // the copy that lies one turn to the east.
      dx = min(dx, max(minX - (x - Plane.turnWidth), 0), max(x + Plane.turnWidth - maxX, 0))
    }
    return squaredLength(dx, max(Double(rect.minY) - y, 0, y - Double(rect.maxY)))
  }
}

extension PlaneRect {
  /// Eastern edge. If the box crosses the seam (the meridian where the plane is cut), this edge lies beyond the plane.
  var eastX: Double { Double(minX) + Double(width) }
}
