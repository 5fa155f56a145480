@_spi(Server) import Treeline

/// What an answer costs, told before it is computed, about in clusters of GeoJSON: 1 to 2 microseconds each.
enum AnswerCost {
  /// What an event loop computes by itself, in some 2 ms; all else waits for a thread.
  static let mostOnEventLoop = 1000

  /// Of what reads all of an index, or looks at many points for each cluster.
  static let ofMeasures = 20_000

  /// How many points a filter looks at while a unit passes; it is prepared in one or two nanoseconds a point.
  static let pointsFilteredPerUnit = 1000

  /// Of reading a column's values one by one, by no event loop.
  static func ofReading(_ tree: ClusterTree) -> Int { mostOnEventLoop + 1 + tree.pointCount / pointsFilteredPerUnit }
}

extension Cut {
  /// - Parameter view: What is looked at; nil where nothing is in view.
  func cost(in view: PlaneViewport?, of tree: ClusterTree) -> Int {
    guard let view else { return 1 }
    let most = min(limit, tree.pointCount)
    guard let side = clusterSide, let zoom = view.zoom else { return relativeCost * most }
    if zoom >= unclustered.fromZoom { return most }
    // A cluster of fewer is shown as its points.
    let points = unclustered == .none ? 1 : unclustered.leastMembers
    let clusters = view.area(inSquaresOf: side) * Double(points)
    return clusters < Double(most) ? Int(clusters) : most
  }
}

extension PlaneViewport {
  /// How many squares of so many pixels a side would cover it.
  func area(inSquaresOf pixels: Double) -> Double {
    guard let zoom else { return .infinity }
    let side = pixels * Plane.unitsPerPixel(zoom: zoom)
    return ((Double(window.width) / side).rounded(.up) + 1)
      * ((Double(window.maxY - window.minY) / side).rounded(.up) + 1)
  }
}
