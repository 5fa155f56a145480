import GridBaseline
import Treeline

/// A comparison of several methods on a journey, which is a series of views. It measures what changes on the screen
/// between the views.
struct JourneyComparison: Sendable {
  /// Two or more views, in the order in which they are shown.
  let views: [ComparisonView]

  /// The moves between consecutive views.
  var moves: [Move] { zip(views, views.dropFirst()).map { Move(from: $0, to: $1) } }

  /// Maximum number of clusters of each method in each view, at least 1.
  let limit: Int
  /// Results of the methods that take part, in the order of the methods.
  let results: [MethodResult]
  /// Some points of each view, for the pictures.
  let dots: [PointDots]

  struct MethodResult: Sendable {
    /// Index of the method in the comparison.
    let index: Int
    /// The method. If the method normally chooses a detail for each view, it uses one detail for the whole journey.
    /// See `ClusteringMethod.settling`.
    let method: ClusteringMethod

    let journey: MeasuredJourney
    let measures: MeasureValues<MeasuredJourney>

    /// Mean number of clusters in a view.
    var clusterCount: Double { mean(journey.views.map { Double($0.clusters.count) }) ?? 0 }
  }

  /// Maximum number of dots in a picture of the journey.
  private static let dotLimit = 600

  /// - Returns: nil if no journey was requested, if there is nothing to show, or if no method can take part.
  init?(of methods: [ClusteringMethod], over tree: ClusterTree, and grid: Grid, options: ComparisonOptions) throws {
    guard let journey = options.journey else { return nil }
    let views =
      switch journey {
      case .flight: try Flight(choice: ViewChoice(tree: tree, grid: grid, size: options.size)).views()
      case .views(let viewports): try viewports.map { try ComparisonView($0, on: tree.plane) }
      }
    let travellers = methods.indices.filter { methods[$0].isFixed }
    guard views.count > 1, !travellers.isEmpty else { return nil }
    let counts = try views.map { try grid.clusterCount(in: $0, cellSize: options.cellSize) }
    let limit = options.limit ?? max((2 * counts.reduce(0, +) / views.count + 1) / 2, 1)
    self.views = views
    self.limit = limit
    let settled = try travellers.map { try methods[$0].settling?(views, limit) ?? methods[$0] }
    let answers = try settled.map { try $0.answers(to: views, limit: limit) }
    // A view may have many points. So the points of only one view at a time are kept in memory: everything that needs
    // these points is computed before the points of the next view are read.
    var dots: [PointDots] = []
    var measured = [[MeasuredView]](repeating: [], count: settled.count)
    for (index, view) in views.enumerated() {
      let points = ViewPoints(of: tree, in: view)
      dots.append(PointDots(points, atMost: Self.dotLimit))
      for method in settled.indices {
        let clusters = answers[method][index].clusters
        measured[method].append(
          MeasuredView(
            clusters, limit: limit, in: view, of: tree, distortion: points.distortion(of: clusters, in: view)))
      }
    }
    self.dots = dots
    results = try settled.indices.map { method in
      let journey = MeasuredJourney(answers[method], measuredAs: measured[method], over: tree)
      return MethodResult(
        index: travellers[method], method: settled[method], journey: journey,
        measures: try MeasureValues(JourneyMeasure.all, of: journey))
    }
  }
}

/// The kind of a move from one view to the next.
enum Move: String, Hashable, Sendable {
  /// The next view shows a part of this view at a larger scale.
  case zoomIn = "zoom-in"
  /// This view shows a part of the next view, which has a smaller scale.
  case zoomOut = "zoom-out"
  /// Both views have the same zoom, and they overlap.
  case pan
  case other

  init(from first: ComparisonView, to second: ComparisonView) {
    if second.zoom > first.zoom, first.window.contains(second.window) {
      self = .zoomIn
    } else if second.zoom < first.zoom, second.window.contains(first.window) {
      self = .zoomOut
    } else if second.zoom == first.zoom, first.window.intersects(second.window) {
      self = .pan
    } else {
      self = .other
    }
  }
}

extension PlaneWindow {
  fileprivate func contains(_ other: PlaneWindow) -> Bool {
    let start = width == .max ? 0 : other.x &- x
    return start <= width && other.width <= width - start && minY <= other.minY && other.maxY <= maxY
  }

  fileprivate func intersects(_ other: PlaneWindow) -> Bool {
    (other.x &- x <= width || x &- other.x <= other.width) && minY <= other.maxY && other.minY <= maxY
  }
}
