import GridBaseline
import Treeline

/// How methods take the same journey: what changes on the screen from view to view.
struct JourneyComparison: Sendable {
  /// One after the other; two or more.
  let views: [ComparisonView]

  /// From each view to the next; one fewer.
  var moves: [Move] { zip(views, views.dropFirst()).map { Move(from: $0, to: $1) } }

  /// How many clusters each method was allowed, in all views alike; 1 or more.
  let limit: Int
  /// One for each method that takes part, in their order.
  let results: [MethodResult]
  /// A few points of each view, for the pictures.
  let dots: [PointDots]

  struct MethodResult: Sendable {
    /// Its index among the methods of the comparison.
    let index: Int
    /// The same at every view: see `ClusteringMethod.settling`.
    let method: ClusteringMethod

    let journey: MeasuredJourney
    let measures: MeasureValues<MeasuredJourney>

    /// The mean number of clusters of a view.
    var clusterCount: Double { mean(journey.views.map { Double($0.clusters.count) }) ?? 0 }
  }

  /// How many dots a picture of the journey has at most.
  private static let dotLimit = 600

  /// - Returns: nil where no journey was asked for, there is nothing to see, or no method can take part.
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
    // The points of a view are many, so what is needed of them is taken before those of the next are.
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

/// How a view leads on to the next, by what they show.
enum Move: String, Hashable, Sendable {
  /// The next shows a part of this one, closer.
  case zoomIn = "zoom-in"
  /// This one shows a part of the next, which is from further away.
  case zoomOut = "zoom-out"
  /// Both show some of the same, at one zoom.
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
