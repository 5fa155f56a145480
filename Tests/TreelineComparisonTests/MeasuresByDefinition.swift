@_spi(Server) import Treeline

@_spi(Server) @testable import TreelineComparison

/// The measures of a clustering, computed from their definitions with loops over all pairs.
struct MeasuresByDefinition {
  var distortion: Double?
  var overlap = 0.0
  var closestPair: Double?
  var axisShare: Double?
  var neighbourSpread: Double?
  var dataDistance: Double?
  var singleShare: Double?
  var lonePointsKept: Double?
  var densityCorrelation: Double?

  /// - Parameter lonePoints: The result of `lonePoints(among: points, in: view)`.
  init(_ clusters: [ShownCluster], in view: ComparisonView, points: [PlanePoint], lonePoints: [Int] = []) {
    guard !clusters.isEmpty else { return }
    let units = view.unitsPerPixel
    /// Returns the distance in pixels from a shown position to a point, the short way around the world.
    func distance(_ from: PixelPoint, _ to: PlanePoint) -> Double {
      var dx = Double(view.window.x) + from.x * units - Double(to.x)
      while dx > 0x1p31 { dx -= 0x1p32 }
      while dx < -0x1p31 { dx += 0x1p32 }
      let dy = Double(view.window.minY) + from.y * units - Double(to.y)
      return (dx * dx + dy * dy).squareRoot() / units
    }
    var sum = 0.0
    var count = 0.0
    for cluster in clusters {
      for row in cluster.treeIndices() where view.window.contains(points[row]) {
        let length = distance(cluster.position, points[row])
        sum += length * length
        count += 1
      }
    }
    distortion = count > 0 ? (sum / count).squareRoot() : nil
    dataDistance =
      clusters.map { cluster in points.map { distance(cluster.position, $0) }.min()! }.reduce(0, +)
      / Double(clusters.count)
    setNeighbours(clusters)
    let singles = clusters.filter { $0.pointCount == 1 }
    let inside = points.count { view.window.contains($0) }
    let singlesInside = singles.count { view.window.contains(points[$0.treeIndices()[0]]) }
    singleShare = inside > 0 ? Double(singlesInside) / Double(inside) : nil
    let kept = lonePoints.count { index in
      singles.contains { $0.treeIndices() == [index] && distance($0.position, points[index]) <= 0.5 }
    }
    lonePointsKept = lonePoints.isEmpty ? nil : Double(kept) / Double(lonePoints.count)
    densityCorrelation = Self.rankCorrelation(
      clusters.map { cluster in (cluster.pointCount, points.count { distance(cluster.position, $0) <= 44 }) })
  }

  /// Returns the indices of the points in view that have no other point within 132 px.
  static func lonePoints(among points: [PlanePoint], in view: ComparisonView) -> [Int] {
    points.indices.filter { one in
      view.window.contains(points[one])
        && !points.indices.contains { other in
          let squared = view.plane.projection.squaredDistance(points[one], points[other])
          return other != one && Double(squared).squareRoot() <= 132 * view.unitsPerPixel
        }
    }
  }

  /// Returns the covariance of the ranks, divided by the product of their standard deviations. The rank of a value is
  /// half the number of lesser values plus half the number of values that are not greater.
  static func rankCorrelation(_ pairs: [(Int, Int)]) -> Double? {
    guard pairs.count >= 3 else { return nil }
    func ranks(_ values: [Int]) -> [Double] {
      values.map { value in Double(values.count { $0 < value } + values.count { $0 <= value }) / 2 }
    }
    let (a, b) = (ranks(pairs.map(\.0)), ranks(pairs.map(\.1)))
    func covariance(_ a: [Double], _ b: [Double]) -> Double {
      let (meanA, meanB) = (a.reduce(0, +) / Double(a.count), b.reduce(0, +) / Double(b.count))
      return zip(a, b).reduce(0) { $0 + ($1.0 - meanA) * ($1.1 - meanB) }
    }
    guard Set(a).count > 1, Set(b).count > 1 else { return nil }
    return covariance(a, b) / (covariance(a, a) * covariance(b, b)).squareRoot()
  }

  private mutating func setNeighbours(_ clusters: [ShownCluster]) {
    var distances: [Double] = []
    var axisCount = 0
    var touchCount = 0
    for (index, cluster) in clusters.enumerated() {
      var nearest: (distance: Double, position: PixelPoint)?
      var touches = false
      for (other, neighbour) in clusters.enumerated() where other != index {
        let squared = cluster.position.squaredDistance(to: neighbour.position)
        if squared < nearest?.distance ?? .infinity { nearest = (squared, neighbour.position) }
        let reach =
          BadgeSize.diameter(pointCount: cluster.pointCount) / 2 + BadgeSize.diameter(pointCount: neighbour.pointCount)
          / 2
        if squared <= reach * reach { touches = true }
      }
      touchCount += touches ? 1 : 0
      guard let nearest else { continue }
      distances.append(nearest.distance.squareRoot())
      let angle = degrees(x: nearest.position.x - cluster.position.x, y: nearest.position.y - cluster.position.y)
      let off = [-180.0, -90, 0, 90, 180].map { abs(angle - $0) }.min()!
      axisCount += off <= 5 ? 1 : 0
    }
    overlap = Double(touchCount) / Double(clusters.count)
    guard !distances.isEmpty else { return }
    closestPair = distances.min()
    let mean = distances.reduce(0, +) / Double(distances.count)
    let variance = distances.map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / Double(distances.count)
    axisShare = Double(axisCount) / Double(distances.count)
    neighbourSpread = variance.squareRoot() / mean
  }
}
