import Treeline

/// How steady a method is over a journey, in numbers. Pixels are those of the view that a step leads to.
public struct JourneyMeasures: Hashable, Sendable {
  /// The mean number of clusters of a view.
  public let clusterCount: Double

  /// How far clusters are from splitting and nothing else on zooming in, and from merging on zooming out: see
  /// `AnswerChange.nestedness`; the mean over such steps. 0 is exact. Nil where no step zooms.
  public let nestedness: Double?

  /// Of the clusters that stand inside both views of a pan and have a point inside both, those that stay over those that
  /// are there before or after, from 0 to 1: the mean over all pans. 1 is best. Nil where no step is a pan.
  public let panPersistence: Double?

  /// How far badges move, in pixels: the sum of the distances from where a cluster is shown to where each that it
  /// has points in common with is shown next, per step.
  public let movement: Double?

  /// The longest of these distances.
  public let longestMove: Double?

  /// The mean share of clusters whose badge touches another, from 0 to 1.
  public let overlap: Double

  /// The least distance in pixels between two clusters in any view.
  public let closestPair: Double?

  /// The median of the distortions of the views, in pixels.
  public let distortion: Double?

  init(
    _ answers: [ClusteringMethod.Answer], _ changes: [AnswerChange], in views: [ComparisonView],
    over tree: ClusterTree, distortions: [Double?]
  ) {
    let indices = answers.map { PixelIndex($0.clusters.map(\.position)) }
    clusterCount = mean(answers.map { Double($0.clusters.count) }) ?? 0
    overlap = mean(zip(answers, indices).map { ClusteringMeasures.overlap($0.clusters, $1) }) ?? 0
    closestPair = zip(answers, indices).compactMap { ClusteringMeasures.closestPair($0.clusters, $1) }.min()
    distortion = median(distortions.compactMap { $0 })
    var (violations, persistences, moves) = ([Double](), [Double](), [[Double]]())
    for (step, change) in changes.enumerated() {
      let (from, to) = (answers[step].clusters, answers[step + 1].clusters)
      let (first, second) = (views[step], views[step + 1])
      moves.append(change.moves(from, in: first, to: to, in: second))
      switch Move(from: first, to: second) {
      case .zoomIn: violations += [change.nestedness(isFirstFiner: false)].compactMap { $0 }
      case .zoomOut: violations += [change.nestedness(isFirstFiner: true)].compactMap { $0 }
      case .pan:
        let before = inside(from, in: first, second, of: tree)
        let after = inside(to, in: second, first, of: tree)
        persistences += [change.persistence(ofFirst: { before[$0] }, second: { after[$0] })].compactMap { $0 }
      case .other: break
      }
    }
    nestedness = mean(violations)
    panPersistence = mean(persistences)
    movement = mean(moves.map { $0.reduce(0, +) })
    longestMove = moves.compactMap { $0.max() }.max()
  }
}

extension AnswerChange {
  /// The distances in pixels of the second view between clusters that have points in common, flow by flow.
  func moves(
    _ from: [ShownCluster], in first: ComparisonView, to: [ShownCluster], in second: ComparisonView
  ) -> [Double] {
    flows.map { flow in
      // What is kept stands still on the map, but for the last bit.
      flow.kind == .kept
        ? 0
        : second.distance(from: second.pixel(from[flow.from].position, of: first), to: to[flow.to].position)
    }
  }
}

/// Which clusters of a view stand inside it and inside another, and have a point inside both: one that has not is rightly
/// shown in one of them only.
private func inside(
  _ clusters: [ShownCluster], in view: ComparisonView, _ other: ComparisonView, of tree: ClusterTree
) -> [Bool] {
  clusters.map { cluster in
    view.shows(cluster.position) && other.shows(other.pixel(cluster.position, of: view))
      && cluster.places().contains { place in
        let point = tree.position(atTreeIndex: place)
        return view.window.contains(point) && other.window.contains(point)
      }
  }
}

private func mean(_ values: [Double]) -> Double? {
  values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
}

/// The middle one, or the mean of the middle two.
private func median(_ values: [Double]) -> Double? {
  guard !values.isEmpty else { return nil }
  let sorted = values.sorted()
  return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
}
