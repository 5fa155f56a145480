/// The rule by which a tree is cut into the clusters of an answer. The rule is a limit on the number of clusters or a
/// criterion in pixels, possibly with further bounds.
///
/// ```swift
/// Cut.limit(100)                          // at most 100 clusters, split level by level
/// Cut.limit(100, order: .widestFirst)     // at most 100, splitting the cluster that scatters most first
/// Cut.detail(20)                          // split until points lie within 20 px of their cluster's mean
/// Cut.spacing(44).atMost(500)             // split as long as clusters stay 44 px apart
/// Cut.badges()                            // split as long as no two badges touch
/// ```
///
/// A cut is a value: it can be compared, stored as JSON, and read from the query of a URL
/// (`QueryParameters`). A `Viewport` is the part of the map that is shown. `ClusterTree.clusters(_:in:after:)` takes a
/// cut and a viewport.
public struct Cut: Hashable, Sendable {
  /// The rule that decides whether a cluster is shown as a whole or split into its parts.
  enum Criterion: Hashable, Sendable {
    /// A limit on the number of clusters. While the limit has room, clusters are split in the given order. A continuing
    /// cut keeps as much of the previous answer as possible.
    case limit(ExpansionOrder, Continuity)

    /// A criterion and its number of pixels.
    case pixels(PixelCriterion, Double)
  }

  /// Whether the answers of a cut with a limit depend on the previous answer.
  public enum Continuity: Hashable, Sendable {
    /// Each answer depends only on the cut and the viewport.
    case independent
    /// The previous answer is passed to the query. The new answer keeps as much of the previous answer as the limit
    /// allows.
    case continuing
  }

  /// The rule that decides whether a cluster is shown as a whole.
  let criterion: Criterion

  /// The greatest number of clusters, 1 or more; `Int.max` if the number is not limited.
  public var limit: Int

  /// The points that are shown unclustered although a cluster could represent them. A cut with only a limit and a cut
  /// with badges ignore this property. With such a cut, a point is unclustered only if the limit or the badges leave
  /// room for it.
  package let unclustered: UnclusteredPoints

  init(_ criterion: Criterion, limit: Int, unclustered: UnclusteredPoints = .none) {
    self.criterion = criterion
    self.limit = limit
    switch criterion {
    case .pixels(let pixels, _) where pixels.leavesRoomForUnclustered: self.unclustered = unclustered
    default: self.unclustered = .none
    }
  }

  /// Returns a cut into at most `limit` clusters. Clusters are split while the limit has room.
  ///
  /// Two promises hold, the second one only for an independent limit (see `continuity`):
  /// - no cluster of the answer could be replaced by its visible children without exceeding the limit;
  /// - the answer for a part of a viewport refines the answer for the whole viewport: each cluster of the part equals
  ///   a cluster of the whole viewport, or lies within such a cluster. So zooming in never merges clusters.
  ///
  /// - Parameters:
  ///   - limit: The greatest number of clusters, 1 or more.
  ///   - order: The order in which clusters are replaced by their children while the limit has room.
  ///   - continuity: Whether the answer depends on the previous answer, which is passed to the query. With an
  ///     independent limit, even a small pan may split and merge clusters in the middle of the screen, because all
  ///     clusters share the limit. With a continuing limit, the answer keeps the greatest number of previous clusters
  ///     that is possible within the limit. Of all answers that keep this number of clusters and split no more than
  ///     necessary, the continued answer has the least scatter. Scatter is the sum of the squared distances of all
  ///     points to the means of their clusters.
  ///
  ///     These two rules of a continuing limit apply as long as the scatter of the continued answer is at most 1.25^2,
  ///     or 1.5625, times the scatter of a fresh answer. A fresh answer ignores the previous answer. If the scatter is
  ///     greater, previous clusters are replaced until the scatter is small enough. A previous cluster is replaced by
  ///     the clusters of the fresh answer that lie within it. The replacement that lowers the scatter most comes
  ///     first. Where clusters must be merged to keep the limit, merges that add much scatter are avoided. If the
  ///     limit leaves room for all replacements, as few previous clusters as possible are lost. Otherwise slightly
  ///     more previous clusters may be lost.
  ///
  ///     A continued answer for a part of a viewport refines the fresh answer for the whole viewport. But zooming in
  ///     from one continued answer to the next may merge clusters.
  public static func limit(
    _ limit: Int, order: ExpansionOrder = .breadthFirst, continuity: Continuity = .independent
  ) -> Cut { Cut(.limit(order, continuity), limit: limit) }

  /// Returns the same cut with at most `limit` clusters.
  ///
  /// If a detail, a spacing or badges would show more clusters, the detail, the spacing or the scale of badges is
  /// raised just enough to keep the limit. Badges are still drawn at the requested scale. The raised value depends on
  /// the viewport, so a pan may change the answer anywhere. However, clusters still keep the requested spacing, and
  /// badges do not touch. The answer for a part of a viewport, at the same zoom or a greater zoom, still refines the
  /// answer for the whole viewport.
  ///
  /// - Parameter limit: 1 or more.
  public func atMost(_ limit: Int) -> Cut { Cut(criterion, limit: limit, unclustered: unclustered) }

  /// Returns the same cut with some points shown unclustered.
  public func unclustered(_ points: UnclusteredPoints) -> Cut { Cut(criterion, limit: limit, unclustered: points) }

  /// Whether the cut has a criterion in pixels. The choice of clusters then depends on the zoom and not on the
  /// viewport.
  package var isByPixels: Bool { pixels != nil }

  /// Whether the cut needs a tree with separations; see `ClusterTree.supports(_:)`.
  package var needsSeparations: Bool { pixels?.criterion.needsSeparations ?? false }

  /// Whether the cut keeps clusters apart, provided that each cluster is shown at its own position
  /// (`Cluster.coordinate`).
  var keepsApart: Bool { pixels?.criterion.keepsApart ?? false }

  /// Whether the cut takes a previous answer into account.
  var isContinuing: Bool { if case .limit(_, .continuing) = criterion { true } else { false } }

  /// The name of the parameter for the pixels; nil for a cut with only a limit.
  @_spi(Server) public var pixelParameter: String? { pixels?.criterion.rawValue }

  /// The criterion of the cut, and its number of pixels or scale of badges; nil for a cut with only a limit.
  package var pixels: (criterion: PixelCriterion, count: Double)? {
    if case .pixels(let criterion, let count) = criterion { (criterion, count) } else { nil }
  }

  /// The factor for the diameters of badges; nil for a cut without badges.
  package var badgeScale: Double? { pixels.flatMap { $0.criterion == .badges ? $0.count : nil } }

  /// Returns the estimated cost of an answer: the number of clusters that a query in breadth-first order finds in the
  /// same time.
  ///
  /// - Parameter view: The visible part of the plane; nil if nothing is in view.
  @_spi(Server) public func cost(in view: PlaneViewport?, of tree: ClusterTree) -> Int {
    guard let view else { return 1 }
    let most = min(limit, tree.pointCount)
    switch criterion {
    case .limit(.breadthFirst, .independent): return most
    case .limit: return 3 * most
    case .pixels(let criterion, let count):
      guard let zoom = view.zoom, !unclustered.isAll(atZoom: zoom) else { return most }
      // The view is divided into squares as wide as a cluster. A square shows one cluster or, if its points are too few
      // for a cluster, up to `points` single points.
      let points = unclustered == .none ? 1 : unclustered.leastMembers
      let clusters = view.area(inSquaresOf: count * criterion.clusterSide) * Double(points)
      return clusters < Double(most) ? Int(clusters) : most
    }
  }

  /// The radius of a continued answer is at most this factor times the radius of a fresh answer. The radius of an
  /// answer is the root mean square distance of points to the means of their clusters. The scatter of the answer grows
  /// with the square of the radius.
  static let continuityFactor = 1.25
}

/// The order in which the clusters of an answer are replaced by their children while the limit has room.
public enum ExpansionOrder: String, Sendable, Hashable, CaseIterable {
  /// Level by level, and within a level in tree order. This is the order of Applidium's article "Too many pins on your
  /// map".
  case breadthFirst = "breadth-first"

  /// First the cluster with the greatest scatter. The scatter is the sum of the squared distances of the cluster's
  /// points to their mean. With the same number of clusters, points lie closer to their clusters than in breadth-first
  /// order. A query takes several times as long as in breadth-first order.
  case widestFirst = "widest-first"

  /// First the cluster whose split lowers the scatter by the greatest amount. Points lie slightly closer to their
  /// clusters than in widest-first order. A query takes longer than in widest-first order, because it reads the
  /// children of every cluster that it may split.
  case steepestFirst = "steepest-first"

  /// The order in words: clusters are split, for example, `level by level`.
  package var phrase: String {
    switch self {
    case .breadthFirst: "level by level"
    case .widestFirst: "from the widest to the narrowest"
    case .steepestFirst: "first where a split most reduces the distance from points to their badges"
    }
  }
}

/// A rule that shows some points unclustered although a cluster could represent them. Points at one position stay
/// together, because no zoom separates them.
///
/// ```swift
/// let cut = Cut.detail(20).unclustered(UnclusteredPoints(leastMembers: 4, fromZoom: 17))
/// ```
///
/// The rule counts all points of a cluster, whether or not they are in view. So the cut keeps its promises, with or
/// without a limit. For example, without a limit a pan changes clusters only at the edge, and zooming in only splits
/// clusters. There is one exception: the distance between two clusters may be less than the spacing.
///
/// The limit applies to the number of clusters and unclustered points together. If this number is too great, the
/// detail or spacing is raised: clusters grow, and points join clusters of at least `leastMembers` points. At a zoom
/// of `fromZoom` or more, there may be more positions in view than the limit allows. In this case clusters are formed
/// as at lower zooms. The rule is ignored if the whole tree has fewer than `leastMembers` points and there are more
/// points in view than the limit allows.
public struct UnclusteredPoints: Hashable, Sendable {
  /// The least number of points of a cluster. The points of a smaller cluster are shown unclustered.
  package let leastMembers: Int

  /// From this zoom on there are no clusters: every position is shown on its own, if the limit has room for all
  /// positions in view. The zoom is for tiles of 256 px.
  package let fromZoom: Double

  /// No points are shown unclustered just because their cluster is small or the zoom is high.
  package static let none = UnclusteredPoints()

  /// - Parameters:
  ///   - leastMembers: The least number of points of a cluster, 1 or more. With 1 or 2 every cluster is large enough.
  ///   - fromZoom: The zoom from which there are no clusters. The zoom may be fractional. Infinity means that there are
  ///     clusters at every zoom.
  public init(leastMembers: Int = 2, fromZoom: Double = .infinity) {
    // 1 and 2 have the same effect. Both are stored as 2, so that cuts with the same effect compare equal.
    self.leastMembers = leastMembers == 1 ? 2 : leastMembers
    self.fromZoom = fromZoom
  }

  /// Throws if a value is out of range.
  func check() throws(QueryError) { if leastMembers < 1 || fromZoom.isNaN { throw .neverUnclustered(self) } }

  /// Returns whether there are no clusters at a zoom, provided that the limit has room for every position.
  func isAll(atZoom zoom: Double) -> Bool { zoom >= fromZoom }

  /// Returns the least number of points of a cluster at a zoom. The points of a smaller cluster are shown unclustered.
  func leastMembers(atZoom zoom: Double) -> Int { isAll(atZoom: zoom) ? .max : leastMembers }
}
