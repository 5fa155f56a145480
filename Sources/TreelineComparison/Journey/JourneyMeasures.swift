import Treeline

/// The clusters of a method in the views of a journey, and their changes. The measures of the journey are computed
/// from this data.
struct MeasuredJourney: Sendable {
  let tree: ClusterTree
  /// Clusters and measures of each view.
  let views: [MeasuredView]
  /// Changes between consecutive views.
  let changes: [AnswerChange]

  init(_ answers: [ClusteringMethod.Answer], measuredAs views: [MeasuredView], over tree: ClusterTree) {
    self.tree = tree
    self.views = views
    changes = zip(answers, answers.dropFirst()).map { AnswerChange(from: $0, to: $1, total: tree.pointCount) }
  }

  fileprivate var steps: [(from: MeasuredView, to: MeasuredView, change: AnswerChange)] {
    changes.enumerated().map { (views[$0], views[$0 + 1], $1) }
  }

  /// For each step, the distances in pixels between clusters that share points. Each distance is from a cluster before
  /// the step to a cluster after the step.
  fileprivate var distances: [[Double]] {
    steps.map { from, to, change in
      change.flows.map { flow in
        // A kept cluster does not move on the map. A computed distance could differ from 0 because of rounding.
        if flow.kind == .kept { return 0 }
        return to.view.pixel(from.clusters[flow.from].position, of: from.view).squaredDistance(
          to: to.clusters[flow.to].position, turn: to.view.turn
        ).squareRoot()
      }
    }
  }
}

extension MeasuredView {
  /// Returns a flag for each cluster. The flag is true if the position of the cluster and at least one of its points
  /// lie in both views.
  fileprivate func isShared(with other: ComparisonView) -> [Bool] {
    clusters.map { cluster in
      view.shows(cluster.position) && other.shows(other.pixel(cluster.position, of: view))
        && cluster.treeIndices().contains { index in
          let point = tree.position(atTreeIndex: index)
          return view.window.contains(point) && other.window.contains(point)
        }
    }
  }
}

typealias JourneyMeasure = Measure<MeasuredJourney>

extension JourneyMeasure {
  /// All measures, in the order of tables and JSON.
  static var all: [Self] { [nestedness, panPersistence, movement, longestMove, overlap, closestPair, distortion] }

  /// Mean share, from 0 to 1, of the points that are torn apart by a zoom; nil if no step is a zoom.
  static var nestedness: Self {
    Self(
      key: "nestedness", title: "Points torn apart by zooming",
      explanation:
        "Mean share of points that a zoom separates from most other points of their badge. "
        + "At 0 %, zooming in only splits badges, and zooming out only merges badges.",
      unit: .smallShare, direction: .less
    ) { journey in
      mean(
        journey.steps.compactMap { from, to, change in
          switch Move(from: from.view, to: to.view) {
          case .zoomIn: change.nestedness(isFirstFiner: false)
          case .zoomOut: change.nestedness(isFirstFiner: true)
          case .pan, .other: nil
          }
        })
    }
  }

  /// Mean share, from 0 to 1, of the badges that a pan keeps; nil if no step is a pan. A badge is considered only if
  /// its position and at least one point of its cluster lie in both views.
  static var panPersistence: Self {
    Self(
      key: "pan_persistence", title: "Badges kept on a pan",
      explanation:
        "Mean share of badges that keep their points and their position during a pan. "
        + "Only badges that are in view both before and after the pan are counted.",
      unit: .share, direction: .more
    ) { journey in
      mean(
        journey.steps.compactMap { from, to, change in
          guard Move(from: from.view, to: to.view) == .pan else { return nil }
          let (before, after) = (from.isShared(with: to.view), to.isShared(with: from.view))
          return change.persistence(ofFirst: { before[$0] }, second: { after[$0] })
        })
    }
  }

  static var movement: Self {
    Self(
      key: "movement_px", title: "Movement per step",
      explanation:
        "Sum of the distances that all badges move in a step, as a mean over all steps.",
      unit: .manyPixels, direction: .less
    ) { mean($0.distances.map { $0.reduce(0, +) }) }
  }

  static var longestMove: Self {
    Self(
      key: "longest_move_px", title: "Longest move of a badge", explanation: "The longest move of a badge in a step.",
      unit: .manyPixels, direction: .less
    ) { $0.distances.joined().max() }
  }

  static var overlap: Self { over(.overlap, "Mean over the views.", mean) }

  static var closestPair: Self {
    over(.closestPair, "The smallest distance between the middles of two badges in any view.") { $0.min() }
  }

  static var distortion: Self {
    over(.distortion, "Root mean square distance from points to their badges; median of the views.", median)
  }

  /// Returns a measure of journeys. It computes `measure` for each view of a journey, and summarizes these values by
  /// `summary`.
  private static func over(
    _ measure: ViewMeasure, _ explanation: String, _ summary: @escaping @Sendable ([Double]) -> Double?
  ) -> Self {
    Self(
      key: measure.key, title: measure.title, explanation: explanation, unit: measure.unit, direction: measure.direction
    ) { journey in summary(try journey.views.compactMap(measure.formula)) }
  }
}
