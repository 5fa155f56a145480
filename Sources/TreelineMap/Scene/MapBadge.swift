import Treeline

/// A cluster as it is drawn. A map view shows each as an annotation.
///
/// A badge keeps its identity as long as it is on the map, wherever it moves and whatever other badges do. Its number
/// is the point count of its cluster. At any moment each point is counted by one badge only, so a moving badge may have
/// no number (`Appearance.showsCount`).
public struct MapBadge: Identifiable, Sendable {
  /// Identifier of a badge in a scene. A scene never uses an identifier twice, so a view can find its annotation by the
  /// identifier.
  ///
  /// The cluster's id cannot identify a badge: for a moment, a leaving badge and a forming badge may show the same
  /// cluster, and a badge can outlive the tree of its cluster.
  public struct ID: Hashable, Sendable, Comparable {
    let number: Int

    public static func < (a: ID, b: ID) -> Bool { a.number < b.number }
  }

  /// How a badge is drawn at one moment.
  public struct Appearance: Hashable, Sendable {
    /// Position and size.
    public var place: MapMotion.Place
    /// Whether the badge is drawn. A whole is not drawn until its parts have arrived.
    public var isVisible: Bool
    /// Whether the number is drawn, so that it counts the badge's points. The badge of a single point has no number but
    /// still counts its point.
    public var showsCount: Bool
  }

  /// Identifier of the badge.
  public let id: ID

  /// The badge's cluster, in the latest answer that contains the cluster.
  var shown: ShownCluster

  /// The cluster that the badge shows.
  public var cluster: Cluster { shown.cluster }

  /// Diameter in pixels, at a scale of 1.
  public var diameter: Double { shown.diameter }

  /// Values of the feed's aggregates for the badge's cluster, in the order of `MapFeed.Options.aggregates`.
  public var values: [AggregateValue] { shown.values }

  /// Motion of the badge to its target.
  public internal(set) var motion: MapMotion

  /// Whether the badge is no longer in the answer and is leaving the map.
  public internal(set) var isLeaving = false

  /// Whether the badge is drawn above all other badges: a whole covers the parts that come out of it.
  public internal(set) var isAbove = false

  /// Whether the badge's cluster belongs to a tree that the scene no longer shows. Such a badge is leaving the map.
  public internal(set) var isForeign = false

  /// How the badge is drawn at the latest time of its scene.
  public internal(set) var appearance: Appearance

  /// Time from which the badge counts its points, and the time at which it stops counting them.
  var countsFrom = -Double.infinity
  var countsUntil = Double.infinity
  /// Time from which the badge is drawn, because its parts have arrived.
  var appearsAt = -Double.infinity

  /// Position in the answer. The badge moves there, or to a repetition of this position some turns around the world.
  var targetX: Double
  var targetY: Double

  /// Changes that the view does not know yet.
  var news: News = .isNew
  /// Whether nothing about the badge changes with time and `news` is empty.
  var isSettled = false
  /// Whether the badge was taken out of the leaving badges while an answer is applied.
  var isGone = false

  var isNew: Bool { news.contains(.isNew) }

  /// Kinds of changes to a badge that the view does not know yet.
  struct News: OptionSet, Sendable {
    let rawValue: UInt8

    static let isNew = News(rawValue: 1)
    static let isRetargeted = News(rawValue: 2)
    /// The badge shows other points.
    static let isRenewed = News(rawValue: 4)
  }

  init(id: ID, of shown: ShownCluster) {
    (self.id, self.shown) = (id, shown)
    motion = MapMotion(at: shown.place)
    (targetX, targetY) = (shown.place.x, shown.place.y)
    appearance = Appearance(place: shown.place, isVisible: true, showsCount: true)
  }

  /// Current position, as a coordinate.
  public var coordinate: Coordinate { shown.cluster.plane.coordinate(x: appearance.place.x, y: appearance.place.y) }

  /// Position of the target, as a coordinate.
  public var destination: Coordinate { shown.cluster.plane.coordinate(x: motion.to.x, y: motion.to.y) }

  /// The number on the badge.
  public var pointCount: Int { shown.cluster.pointCount }

  /// Range of the points of the badge's cluster.
  var range: Range<Int> { shown.cluster.range }

  /// Returns how the badge is drawn at a time, if no other change comes before that time.
  public func appearance(at time: Double) -> Appearance {
    Appearance(
      place: motion.place(at: time), isVisible: appearsAt <= time,
      showsCount: countsFrom <= time && time < countsUntil)
  }
}

extension MapBadge.ID: CustomStringConvertible { public var description: String { "badge \(number)" } }
