/// How a tree is cut into the clusters of an answer: by a limit or by pixels, and what bounds it.
///
/// ```swift
/// Cut.limit(100)                          // at most 100 clusters, split level by level
/// Cut.limit(100, .widestFirst)            // those split first whose points scatter most
/// Cut.detail(20)                          // split until points lie within 20 px of their cluster's mean
/// Cut.spacing(44).atMost(500)             // split as far as clusters stay 44 px apart
/// Cut.badges()                            // split as far as drawn badges have room
/// ```
///
/// A cut is a value: it can be compared, stored as JSON, and written as options or as the query of a URL
/// (`parameters`). What is looked at is a `Viewport`; `ClusterTree.clusters(_:in:after:)` takes both.
public struct Cut: Hashable, Sendable {
  /// What decides whether a cluster is shown as a whole or by its parts.
  package enum Criterion: Hashable, Sendable {
    /// As many clusters as the limit has room for, split in an order. One that continues keeps as many clusters of a
    /// previous answer as it can.
    case limit(ExpansionOrder, isContinuing: Bool)

    /// So many pixels, of what the first says.
    case pixels(PixelCriterion, Double)
  }

  /// What decides whether a cluster is shown as a whole.
  package let criterion: Criterion

  /// The greatest number of clusters, 1 or more; `Int.max` for any number.
  public var limit: Int

  /// Which points are shown by themselves though a cluster could stand for them. A limit alone and badges leave no room
  /// for it and do not look at it.
  public let unclustered: UnclusteredPoints

  init(_ criterion: Criterion, limit: Int, unclustered: UnclusteredPoints = .none) {
    self.criterion = criterion
    self.limit = limit
    switch criterion {
    case .pixels(let pixels, _) where pixels.leavesRoomForUnclustered: self.unclustered = unclustered
    default: self.unclustered = .none
    }
  }

  /// As many clusters as a limit has room for.
  ///
  /// It holds always that
  /// - no cluster could still be replaced by its visible children within the limit;
  /// - a viewport inside another has an answer that refines the other's: zooming in never merges.
  ///
  /// - Parameters:
  ///   - limit: The greatest number of clusters, 1 or more.
  ///   - order: Which cluster is replaced next as long as there is room.
  ///   - isContinuing: Whether the answer changes as little as the limit allows from the previous one that the query
  ///     is given. A limit decides for all clusters at once how fine they are, so even a small pan splits and merges
  ///     some in the middle of the screen; continued, as many clusters of the previous answer stay as in any answer
  ///     within the limit. Of those that keep as many and split no more than it takes, the answer is the one of the
  ///     least scatter, the sum of the squared distances of all points to the means of their clusters.
  ///
  ///     That holds as long as the scatter is at most `continuityFactor` squared of that of the fresh answer. Where it
  ///     is more, previous clusters give way to the fresh ones within them, those first that gain most by it, and
  ///     fewer are merged, until it is not. If the limit leaves room for that, as few are lost as can be; if not, a
  ///     few more may be. A viewport inside that of a fresh answer has one that refines it, however it is continued;
  ///     on the way in from an answer that continued another, clusters may merge.
  public static func limit(_ limit: Int, _ order: ExpansionOrder = .breadthFirst, isContinuing: Bool = false) -> Cut {
    Cut(.limit(order, isContinuing: isContinuing), limit: limit)
  }

  /// Clusters that spread so little that a badge stands for them well: a cluster is shown as one once the root mean
  /// square distance of its points to their mean is at most so many pixels. It needs a viewport with a zoom.
  ///
  /// Which clusters these are depends on the zoom and not on the viewport. So a pan changes nothing but at the edge,
  /// the tiles of a map agree with their neighbours, and the answer at a greater zoom, which may be fractional,
  /// refines this one.
  ///
  /// - Parameter pixels: 0 or more. At 0 every position is shown by itself.
  public static func detail(_ pixels: Double) -> Cut { Cut(.detail, pixels: pixels) }

  /// Clusters any two of which are at least so many pixels apart, so that badges of that size never touch: those in
  /// view and all others that a larger viewport would show. It needs a tree with separations and a viewport with a
  /// zoom.
  ///
  /// Clusters are split in one fixed order of falling distances, found when the tree was built, as far as the distance
  /// goes that so many pixels are at the zoom. One that its badge stands for well waits, which leaves room for denser
  /// neighbours: it is split once its points lie 0.7 of the spacing from their mean, as a root mean square, or
  /// its parts twice the spacing from each other. So the answer
  /// - does not change under a pan but at the edge, and agrees between the tiles of a map;
  /// - is refined by the answer at a greater zoom, which may be fractional, or at a lesser spacing;
  /// - is bounded by the area that is shown, however many points there are.
  ///
  /// Points that are shown unclustered may be closer to others than the spacing. So may clusters that are shown
  /// elsewhere than where they stand.
  ///
  /// - Parameter pixels: 0 or more.
  public static func spacing(_ pixels: Double) -> Cut { Cut(.spacing, pixels: pixels) }

  /// Clusters whose badges do not touch, each drawn with the diameter that `ClusterTree.badgeDiameter(of:for:)` tells:
  /// a dot for a single point, a larger badge for more points. It needs a tree that was grown by merging for badges
  /// (`MergeMetric.badges`), with separations, and a viewport with a zoom.
  ///
  /// Two clusters are merged at the scale at which their badges would touch, so a point stays by itself as long as
  /// there is room. No two badges of the answer touch, nor of any larger viewport's; what is said of a spacing of pans,
  /// tiles and zooms is so here.
  ///
  /// That holds of badges where clusters stand: at their means, or at members in a tree that was grown so
  /// (`ClusterStand`).
  ///
  /// - Parameter scale: What diameters and gaps are multiplied by, 0 or more: 0.5 for a small screen, 2 for a poster.
  ///   At 0 every position is shown by itself, but for those a few units of the plane apart.
  public static func badges(scale: Double = 1) -> Cut { Cut(.badges, pixels: scale) }

  /// A cut by so many pixels of a criterion: `Cut(.detail, pixels: 20)` is `Cut.detail(20)`.
  public init(_ criterion: PixelCriterion, pixels: Double) { self.init(.pixels(criterion, pixels), limit: .max) }

  /// The same cut with no more clusters than a limit.
  ///
  /// Where a detail, a spacing or badges would show more, the answer is that of the least greater detail, spacing or
  /// scale at which there are not; badges are still drawn at the scale that was asked for. That depends on the
  /// viewport, so a pan may change it anywhere; but the spacing holds, no badges touch, and a viewport inside this
  /// one, at this zoom or a greater one, still has an answer that refines this one.
  ///
  /// - Parameter limit: 1 or more.
  public func atMost(_ limit: Int) -> Cut { Cut(criterion, limit: limit, unclustered: unclustered) }

  /// The same cut with some points shown by themselves.
  public func unclustered(_ points: UnclusteredPoints) -> Cut { Cut(criterion, limit: limit, unclustered: points) }

  /// Whether it goes by pixels, so that what is shown depends on the zoom and not on the viewport.
  public var isByPixels: Bool { pixels != nil }

  /// Whether it needs a tree with separations; see `ClusterTree.supports(_:)`.
  public var needsSeparations: Bool { pixels?.criterion.needsSeparations ?? false }

  /// Whether it promises something of where clusters stand, which no other position of theirs keeps.
  var keepsApart: Bool { pixels?.criterion.keepsApart ?? false }

  /// Whether it looks at a previous answer.
  public var isContinuing: Bool { if case .limit(_, let isContinuing) = criterion { isContinuing } else { false } }

  /// The parameter that tells its pixels; nil for a limit.
  public var pixelParameter: String? { pixels?.criterion.rawValue }

  /// What it goes by, and how many pixels of it; nil for a limit.
  package var pixels: (criterion: PixelCriterion, count: Double)? {
    if case .pixels(let criterion, let count) = criterion { (criterion, count) } else { nil }
  }

  /// What the diameters of badges are multiplied by; nil for a cut by anything else.
  public var badgeScale: Double? { pixels.flatMap { $0.criterion == .badges ? $0.count : nil } }

  /// A cluster of the answer is about as large as a square of so many pixels a side; nil for a limit.
  @_spi(Server) public var clusterSide: Double? { pixels.map { $0.count * $0.criterion.clusterSide } }

  /// About how many times as long finding a cluster takes as it does breadth first.
  @_spi(Server) public var relativeCost: Int {
    if case .limit(let order, let isContinuing) = criterion, order != .breadthFirst || isContinuing { 3 } else { 1 }
  }

  /// How much farther from their clusters' means points may be in an answer that continues another than in a fresh
  /// one, as a root mean square.
  public static let continuityFactor = 1.25
}

/// What a cut by pixels goes by. Each is named as its parameter is; texts, options and messages list them from here.
public enum PixelCriterion: String, Sendable, Hashable, CaseIterable {
  /// How far points lie from their cluster's mean, as a root mean square.
  case detail

  /// How far clusters are from each other.
  case spacing

  /// What diameters of badges are multiplied by. In place of pixels.
  case badges

  /// Whether it needs a tree with separations.
  public var needsSeparations: Bool {
    switch self {
    case .detail: false
    case .spacing, .badges: true
    }
  }

  /// Whether points may be unclustered beside it: by badges they are wherever they have room, and nowhere else.
  var leavesRoomForUnclustered: Bool { self != .badges }

  /// How wide a cluster is for each unit of it, or more.
  fileprivate var clusterSide: Double { self == .badges ? 10 : 1 }

  /// What is given for it, for messages.
  var unit: String { self == .badges ? "a scale " : "a number of pixels " }

  /// Whether it promises something of where clusters stand, which no other position of theirs keeps.
  public var keepsApart: Bool {
    switch self {
    case .detail: false
    case .spacing, .badges: true
    }
  }

  /// How many pixels where nobody says. A spacing is as wide as the largest badge, so that none touch.
  public var standard: Double {
    switch self {
    case .detail: 20
    case .spacing: BadgeSize.largest
    case .badges: 1
    }
  }

  /// All of them for a text: `a detail, a spacing or badges`.
  @_spi(Server) public static func list(
    _ conjunction: String = "or", spelling: (_ name: String) -> String = { $0 == "badges" ? $0 : "a \($0)" }
  ) -> String { allCases.map { spelling($0.rawValue) }.listed(conjunction) }
}

/// Which cluster of an answer is replaced by its children next, as long as there is room within the limit.
public enum ExpansionOrder: String, Sendable, Hashable, CaseIterable {
  /// Level by level, within a level in tree order: the article's.
  case breadthFirst = "breadth-first"

  /// The cluster whose points scatter most about their mean: the sum of their squared distances to it. What is shown
  /// then lies closer to the points that it stands for, at the same number of clusters; it takes several times as
  /// long.
  case widestFirst = "widest-first"

  /// The cluster whose split lowers the scatter most: widest first with a look at what comes of it, which brings
  /// points a little closer still. It reads the children of every cluster that it weighs, so it takes longer.
  case steepestFirst = "steepest-first"
}

/// Which points are shown by themselves though a cluster could stand for them. Points of one position stay together:
/// no zoom tells them apart.
///
/// ```swift
/// let cut = Cut.detail(20).unclustered(UnclusteredPoints(leastMembers: 4, fromZoom: 17))
/// ```
///
/// It goes by all points of a cluster, whether they are in view or not. So what holds of answers without it holds with
/// it, but that clusters may stand closer than a spacing: without a limit, a pan changes nothing but at the edge, and
/// zooming in only splits.
///
/// That is so within a limit, too. Unclustered points count like clusters, and where there are too many of both the
/// answer is that of a greater detail or spacing: clusters grow, and points go into those that have the least members
/// or more. Where there is no room for every position from the zoom on that asks for it, clusters are what they would
/// be below that zoom. Only where the whole tree has fewer points than these, and more than the limit are in view,
/// there are clusters as if nothing were to be shown by itself.
public struct UnclusteredPoints: Hashable, Sendable {
  /// A cluster of fewer points than this is shown as its points.
  public let leastMembers: Int

  /// From this zoom on, of 256 px tiles, there are no clusters: every position is shown by itself, if a limit has room
  /// for all in view.
  public let fromZoom: Double

  /// Wherever a cluster can stand for points it does.
  public static let none = UnclusteredPoints()

  /// - Parameters:
  ///   - leastMembers: 1 or more; 2 or less takes nothing apart.
  ///   - fromZoom: May be fractional; infinity for none.
  public init(leastMembers: Int = 2, fromZoom: Double = .infinity) {
    // Of two cuts that show the same there is one value.
    self.leastMembers = leastMembers == 1 ? 2 : leastMembers
    self.fromZoom = fromZoom
  }

  /// Whether there are no clusters, if a limit has room for every position.
  func check() throws(QueryError) { if leastMembers < 1 || fromZoom.isNaN { throw .neverUnclustered(self) } }

  func isAll(atZoom zoom: Double) -> Bool { zoom >= fromZoom }

  /// Below how many points a cluster is taken apart.
  func leastMembers(atZoom zoom: Double) -> Int { isAll(atZoom: zoom) ? .max : leastMembers }
}
