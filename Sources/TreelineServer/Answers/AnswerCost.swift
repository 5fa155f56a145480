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
