import Treeline

/// How a tree is cut into clusters for a view.
package enum TreeCut: Hashable, Sendable {
  /// As many clusters as the limit allows, in an order.
  case limit(ExpansionOrder)

  /// Clusters as wide as so many pixels; nil is the least that keeps within the limit.
  case detail(Double?)

  /// As many clusters as the limit allows, widest first; on a journey the least change from what was shown before.
  case continuing

  /// No two clusters nearer to each other than so many pixels, whatever the limit.
  case spacing(Double)

  /// As wide as the largest badge, so that none touch.
  package static let standardSpacing = 44.0

  /// Every way at once, in the order of a report.
  package static let all: [TreeCut] =
    ExpansionOrder.allCases.map(limit) + [.continuing, .detail(nil), .spacing(standardSpacing)]

  /// A handful that shows what there is; in a single view what continues is what is fresh.
  package static let standard: [TreeCut] =
    [.limit(.breadthFirst), .limit(.widestFirst), .detail(nil), .spacing(standardSpacing)]

  /// As in JSON and on the terminal.
  var name: String {
    switch self {
    case .limit(let order): order.rawValue
    case .continuing: "continuing"
    case .detail: "detail"
    case .spacing: "spacing"
    }
  }

  /// What is asked of a tree in a view.
  func clusters(of tree: ClusterTree, in view: ComparisonView, limit: Int) throws -> Clusters {
    switch self {
    case .limit(let order):
      try tree.clusters(in: view.window, limit: limit, order: order)
    case .continuing:
      try tree.clusters(in: view.window, limit: limit, order: .widestFirst)
    case .detail(let pixels):
      try tree.clusters(
        in: view.window, zoom: view.zoom,
        detail: pixels ?? Self.leastDetail(of: tree, in: [view], limit: limit))
    case .spacing(let pixels):
      try tree.clusters(in: view.window, zoom: view.zoom, spacing: pixels)
    }
  }

  /// The same cut for all of some views.
  func settled(for views: [ComparisonView], of tree: ClusterTree, limit: Int) throws -> TreeCut {
    guard case .detail(nil) = self else { return self }
    return .detail(try Self.leastDetail(of: tree, in: views, limit: limit))
  }

  /// The least detail, to a sixteenth of a pixel, at which views show at most `limit` clusters in the mean.
  ///
  /// The number of clusters never grows with the detail, so halving finds it.
  static func leastDetail(of tree: ClusterTree, in views: [ComparisonView], limit: Int) throws -> Double {
    func isWithin(_ detail: Double) throws -> Bool {
      let counts = try views.map { try tree.clusters(in: $0.window, zoom: $0.zoom, detail: detail).count }
      return counts.reduce(0, +) <= limit * views.count
    }
    guard limit < .max / max(views.count, 1) else { return 0 }
    var (low, high) = (0.0, 64.0)
    while try !isWithin(high) { (low, high) = (high, 2 * high) }
    while high - low > 1 / 16 {
      let middle = (low + high) / 2
      if try isWithin(middle) { high = middle } else { low = middle }
    }
    return high
  }
}
