@_spi(Server) import Treeline

/// Estimated cost of an answer, known before the answer is computed. One unit is about the time to write one cluster
/// as GeoJSON: 1 to 2 microseconds.
enum AnswerCost {
  /// Highest cost of an answer that an event loop computes itself, about 2 ms of work. More expensive answers are
  /// computed on other threads.
  static let mostOnEventLoop = 1000

  /// Cost of an answer that reads a whole index or many points per cluster.
  static let ofMeasures = 20_000

  /// Number of points that can be read one by one in the time of one unit.
  static let pointsPerUnit = 1000

  /// Returns the cost of making the row order or the grid of an index. Each of the two is made once, from all points,
  /// and then kept.
  static func ofPreparing(_ tree: ClusterTree) -> Int { max(tree.pointCount / 5, ofMeasures) }
}

extension WorkEstimate {
  /// Cost in units of `AnswerCost`. One step takes about a nanosecond, so 1,500 steps are one unit of 1 to 2
  /// microseconds.
  var cost: Int { steps / 1500 }

  /// Maximum estimated number of steps to prepare a filter or to compute the aggregates of an answer. One step takes
  /// about a nanosecond.
  private static let mostSteps = 5_000_000_000

  /// Maximum and estimated duration of the work, as texts for an error message; nil if the work is short enough.
  var excess: (expected: String, found: String)? {
    guard steps > Self.mostSteps else { return nil }
    return ("at most \(Self.mostSteps / 1_000_000_000) seconds of work", "about \(steps / 1_000_000_000) seconds")
  }
}

extension Cut {
  /// Returns the estimated cost of an answer.
  ///
  /// - Parameter view: Visible part of the plane; nil if nothing is in view.
  func cost(in view: PlaneViewport?, of tree: ClusterTree) -> Int {
    guard let view else { return 1 }
    let most = min(limit, tree.pointCount)
    guard let side = clusterSide, let zoom = view.zoom else { return relativeCost * most }
    if zoom >= unclustered.fromZoom { return most }
    // The view is divided into squares as wide as a cluster. A square shows one cluster or, if its points are too few
    // for a cluster, up to `points` single points.
    let points = unclustered == .none ? 1 : unclustered.leastMembers
    let clusters = view.area(inSquaresOf: side) * Double(points)
    return clusters < Double(most) ? Int(clusters) : most
  }
}
