import Treeline

/// A cluster as it is drawn. A map view shows each badge as an annotation.
///
/// A badge keeps its identity while it is on the map, even if it moves, and even if other badges split or merge. The
/// number of a badge is the point count of its cluster. At any moment, each point is counted by at most one badge. So
/// a moving badge may have no number (`Appearance.showsCount`).
public struct MapBadge: Identifiable, Sendable {
  /// Identifier of a badge in a scene. A scene never gives two badges the same identifier, so a view can find the
  /// annotation of a badge by the identifier.
  ///
  /// The id of a cluster cannot identify its badge. For a moment, a leaving badge and a new badge may show the same
  /// cluster. Also, a badge may outlive the tree of its cluster.
  public struct ID: Hashable, Sendable, Comparable {
    let number: Int

    public static func < (a: ID, b: ID) -> Bool { a.number < b.number }
  }

  /// How a badge is drawn at one moment.
  public struct Appearance: Hashable, Sendable {
    /// Position and size.
    public var place: MapMotion.Place
    /// Whether the badge is drawn. In a merge, the badge of the merged cluster is not drawn before the merging badges
    /// have arrived.
    public var isVisible: Bool
    /// Whether the badge counts its points at this moment. If true, the number of points is drawn on the badge, unless
    /// it is the badge of a single point.
    public var showsCount: Bool
  }

  /// Identifier of the badge.
  public let id: ID

  /// The cluster of the badge, with the data from the latest answer that contains this cluster.
  var shown: ShownCluster

  /// The cluster that the badge shows.
  public var cluster: Cluster { shown.cluster }

  /// Diameter in pixels at scale 1.
  public var diameter: Double { shown.diameter }

  /// Values of the aggregates for the badge's cluster, in the order of `MapFeed.Options.aggregates`.
  public var values: [AggregateValue] { shown.values }

  /// Motion of the badge from its start to its target.
  public internal(set) var motion: MapMotion

  /// Whether the badge is leaving the map, because the answer no longer contains its cluster.
  public internal(set) var isLeaving = false

  /// Whether the badge is drawn above all other badges. This is true for a badge that splits, so that it covers the
  /// badges that come out of it.
  public internal(set) var isAbove = false

  /// Whether the cluster of the badge belongs to an earlier tree. If true, the badge is leaving the map.
  public internal(set) var isForeign = false

  /// How the badge is drawn at the current time of its scene.
  public internal(set) var appearance: Appearance

  /// The badge counts its points from the time `countsFrom` until the time `countsUntil`.
  var countsFrom = -Double.infinity
  var countsUntil = Double.infinity
  /// Time from which the badge is drawn. The badge of a merged cluster is drawn when the merging badges arrive.
  var appearsAt = -Double.infinity

  /// Position of the cluster on the plane, as in the answer. The badge moves to this position, possibly shifted by
  /// whole turns around the world.
  var targetX: Double
  var targetY: Double

  /// Changes of the badge that have not been reported to the view yet.
  var news: News = .isNew
  /// Whether the badge is at rest: it no longer changes with time, and `news` is empty.
  var isSettled = false
  /// Whether the badge will be removed from the list of leaving badges. Answers are applied in parts, and the badge is
  /// removed after the current part has been applied.
  var isGone = false

  var isNew: Bool { news.contains(.isNew) }

  /// Kinds of changes to a badge that must be reported to a view.
  struct News: OptionSet, Sendable {
    let rawValue: UInt8

    static let isNew = News(rawValue: 1)
    static let isRetargeted = News(rawValue: 2)
    /// The badge shows other points, or has another diameter.
    static let isRenewed = News(rawValue: 4)
  }

  init(id: ID, of shown: ShownCluster) {
    (self.id, self.shown) = (id, shown)
    motion = MapMotion(at: shown.place)
    (targetX, targetY) = (shown.place.x, shown.place.y)
    appearance = Appearance(place: shown.place, isVisible: true, showsCount: true)
  }

  /// Current position as a coordinate.
  public var coordinate: Coordinate { shown.cluster.plane.coordinate(x: appearance.place.x, y: appearance.place.y) }

  /// Target position as a coordinate.
  public var destination: Coordinate { shown.cluster.plane.coordinate(x: motion.to.x, y: motion.to.y) }

  /// The number on the badge.
  public var pointCount: Int { shown.cluster.pointCount }

  /// Range of tree indices of the points in the badge's cluster.
  var range: Range<Int> { shown.cluster.range }

  /// Returns how the badge will be drawn at the given time if no other change begins earlier.
  public func appearance(at time: Double) -> Appearance {
    Appearance(
      place: motion.place(at: time), isVisible: appearsAt <= time,
      showsCount: countsFrom <= time && time < countsUntil)
  }
}

extension MapBadge.ID: CustomStringConvertible { public var description: String { "badge \(number)" } }
