import GridBaseline
import Treeline

/// How methods take the same journey: what changes on the screen from view to view.
public struct JourneyComparison: Sendable {
  /// One after the other; two or more.
  public let views: [ComparisonView]

  /// How each view leads on to the next; one fewer.
  public let moves: [Move]

  /// How many clusters each method was allowed, in all views alike; 1 or more.
  public let limit: Int

  /// One for each method that takes part, in their order.
  public let results: [MethodResult]

  /// A few points of each view, for the pictures.
  let dots: [PointDots]

  /// How one method takes it.
  public struct MethodResult: Sendable {
    /// Its place among the methods of the comparison.
    let index: Int

    /// The same at every view: see `ClusteringMethod.settled`.
    public let method: ClusteringMethod

    public let measures: JourneyMeasures

    /// View by view.
    let answers: [ClusteringMethod.Answer]

    /// Step by step.
    let changes: [AnswerChange]
  }

  /// How many dots a picture of the journey has at most.
  private static let dotLimit = 600

  /// - Returns: nil where no journey was asked for, there is nothing to see, or no method can take part.
  init?(
    of methods: [ClusteringMethod], over tree: ClusterTree, and grid: Grid, options: ComparisonOptions
  ) throws {
    guard let journey = options.journey else { return nil }
    let views =
      switch journey {
      case .flight: try Flight(choice: ViewChoice(tree: tree, grid: grid, size: options.size)).views()
      case .views(let boxes): try boxes.map { try ComparisonView($0.box, zoom: $0.zoom, on: tree.plane) }
      }
    let travellers = methods.enumerated().filter(\.element.isFixed)
    guard views.count > 1, !travellers.isEmpty else { return nil }
    let counts = try views.map { try grid.clusterCount(in: $0, cellSize: options.cellSize) }
    let limit = options.limit ?? max((2 * counts.reduce(0, +) / views.count + 1) / 2, 1)
    self.views = views
    self.limit = limit
    moves = zip(views, views.dropFirst()).map { Move(from: $0, to: $1) }
    let settled = try travellers.map { try $0.element.settled(for: views, limit: limit) }
    let answers = try settled.map { try $0.answers(to: views, limit: limit) }
    let looks = views.indices.map { index in
      Look(at: answers.map { $0[index].clusters }, in: views[index], over: tree, dotLimit: Self.dotLimit)
    }
    dots = looks.map(\.dots)
    results = settled.indices.map { index in
      let answers = answers[index]
      let changes = zip(answers, answers.dropFirst()).map {
        AnswerChange(from: $0, to: $1, total: tree.pointCount)
      }
      return MethodResult(
        index: travellers[index].offset, method: settled[index],
        measures: JourneyMeasures(
          answers, changes, in: views, over: tree, distortions: looks.map { $0.distortions[index] }),
        answers: answers, changes: changes)
    }
  }
}

/// What is taken from the points of a view, which are many, before those of the next are.
private struct Look {
  /// Method by method.
  let distortions: [Double?]
  let dots: PointDots

  init(at answers: [[ShownCluster]], in view: ComparisonView, over tree: ClusterTree, dotLimit: Int) {
    let points = ViewPoints(of: tree, in: view)
    dots = PointDots(points, atMost: dotLimit)
    distortions = answers.map { clusters in
      ClusteringMeasures.distortion(
        clusters, of: points, in: Membership(of: clusters, total: points.total), turn: view.turn)
    }
  }
}
