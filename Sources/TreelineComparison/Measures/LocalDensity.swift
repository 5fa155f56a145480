@_spi(Server) import Treeline

extension ViewMeasure {
  /// Rank correlation, from -1 to 1, between two values of each shown cluster: its count and the number of points
  /// around it. All points around a cluster are counted, even points of other clusters. Points outside the view count,
  /// too, because otherwise the surroundings of a cluster at the edge would seem emptier. The value is nil if there are
  /// fewer than three clusters, if all counts are equal, or if all numbers of points around the clusters are equal.
  static var densityCorrelation: Self {
    Self(
      key: "density_correlation", title: "Counts follow the density",
      explanation:
        "Shows whether badges with more points are in denser places. Rank correlation (Spearman) of the count on a "
        + "badge with the number of points within \(shortest(PixelCriterion.spacing.standard)) px of the badge: "
        + "1 if the counts always follow the density, 0 if counts and density are unrelated.",
      unit: .ratio, direction: .more
    ) { measured in
      let radius = PixelCriterion.spacing.standard * measured.view.unitsPerPixel
      let densities = try measured.clusters.map { cluster in
        let (x, y) = measured.view.wrappedPlanePosition(of: cluster.position)
        return Double(try measured.tree.pointCount(within: radius, ofX: x, y))
      }
      return rankCorrelation(measured.clusters.map { Double($0.pointCount) }, densities)
    }
  }
}

/// Returns Spearman's rank correlation of pairs of values, from -1 to 1. Returns nil if there are fewer than three
/// pairs, or if all first values or all second values are equal.
///
/// - Complexity: O(n log n)
func rankCorrelation(_ first: [Double], _ second: [Double]) -> Double? {
  guard first.count > 2 else { return nil }
  let middle = Double(first.count - 1) / 2
  let (first, second) = (ranks(of: first).map { $0 - middle }, ranks(of: second).map { $0 - middle })
  func product(_ a: [Double], _ b: [Double]) -> Double { zip(a, b).reduce(0) { $0 + $1.0 * $1.1 } }
  let scale = (product(first, first) * product(second, second)).squareRoot()
  return scale > 0 ? product(first, second) / scale : nil
}

/// Returns the rank of each value. Ranks are counted from 0, which is the rank of the smallest value. Equal values get
/// the mean of their ranks.
private func ranks(of values: [Double]) -> [Double] {
  let order = values.indices.sorted { values[$0] < values[$1] }
  var ranks = [Double](repeating: 0, count: values.count)
  var start = 0
  while start < order.count {
    let end = order[start...].firstIndex { values[$0] != values[order[start]] } ?? order.count
    for place in start..<end { ranks[order[place]] = Double(start + end - 1) / 2 }
    start = end
  }
  return ranks
}

extension ClusterTree {
  /// Returns the number of points in a circle on the plane, but at most `limit`. If the box of a node lies inside the
  /// circle, all points of the node are counted at once.
  ///
  /// - Complexity: O(log n + nodes that cross the circle).
  func pointCount(within radius: Double, ofX x: Double, _ y: Double, upTo limit: Int = .max) throws -> Int {
    let reach = radius * radius
    return try withStorage { storage in
      var count = 0
      var stack = storage.root.map { [$0] } ?? []
      while count < limit, let node = stack.popLast() {
        let box = storage.box(of: node)
        guard squaredDistance(fromX: x, y, to: box) <= reach else { continue }
        if squaredDistance(fromX: x, y, toFarthestOf: box) <= reach {
          count += Int(node.count)
        } else if node.count > Self.scannedCount, let (left, right) = try storage.children(of: node) {
          stack.append(right)
          stack.append(left)
        } else {
          count += node.range.count {
            squaredDistance(fromX: x, y, to: PlaneRect(position(atTreeIndex: $0))) <= reach
          }
        }
      }
      return min(count, limit)
    }
  }

  /// Returns an upper bound on the squared distance to any point of a box: the squared distance to its farthest corner.
  /// If the world repeats, the box has several copies. The smallest of their bounds is returned.
  private func squaredDistance(fromX x: Double, _ y: Double, toFarthestOf rect: PlaneRect) -> Double {
    func width(from x: Double) -> Double { max(abs(Double(rect.minX) - x), abs(rect.eastX - x)) }
    var dx = width(from: x)
    if plane.projection == .webMercator {
      dx = min(dx, width(from: x - Plane.turnWidth), width(from: x + Plane.turnWidth))
    }
    return squaredLength(dx, max(abs(Double(rect.minY) - y), abs(Double(rect.maxY) - y)))
  }
}
