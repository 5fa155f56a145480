@_spi(Server) import Treeline

/// What an answer costs, told before it is computed, about in clusters of GeoJSON: 1 to 2 microseconds each.
enum AnswerCost {
  /// What an event loop computes by itself, in some 2 ms; all else waits for a thread.
  static let mostOnEventLoop = 1000

  /// Of what reads all of an index, or looks at many points for each cluster.
  static let ofMeasures = 20_000

  /// How many points are looked at one by one while a unit passes.
  static let pointsPerUnit = 1000

  /// Of what is made of all points once and then kept: rows in their order, a grid.
  static func ofPreparing(_ tree: ClusterTree) -> Int { max(tree.pointCount / 5, ofMeasures) }
}

extension WorkEstimate {
  /// As `AnswerCost` has it; a step is about a nanosecond.
  var cost: Int { steps / 1500 }

  /// Nanoseconds that a filter, or the aggregates of an answer, may take.
  private static let mostSteps = 5_000_000_000

  /// What to say of work that would take too long; nil for work that would not.
  var excess: (expected: String, found: String)? {
    guard steps > Self.mostSteps else { return nil }
    return ("at most \(Self.mostSteps / 1_000_000_000) seconds of work", "about \(steps / 1_000_000_000) seconds of it")
  }
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
