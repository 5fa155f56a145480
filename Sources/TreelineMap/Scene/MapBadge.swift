import Treeline

/// A cluster as it is drawn: what a map view makes an annotation of.
///
/// A badge keeps its identity as long as it is on the map, wherever it moves and whatever becomes of other badges. Its
/// number is that of the points that its cluster stands for; at any moment each point is in the number of one badge
/// alone, so a badge that is on its way may be without its number (`Appearance.showsCount`).
public struct MapBadge: Identifiable, Sendable {
  /// Which badge of a scene it is: no other badge of the scene ever has it, so an annotation can be found by it.
  ///
  /// It is not the cluster's id: for a moment a whole that leaves and one that forms may be of one cluster, and a badge
  /// outlives the tree that its cluster is of.
  public struct ID: Hashable, Sendable, Comparable {
    let number: Int

    public static func < (a: ID, b: ID) -> Bool { a.number < b.number }
  }

  /// What is drawn at one moment.
  public struct Appearance: Hashable, Sendable {
    /// Where and how large.
    public var place: MapMotion.Place
    /// Whether it is drawn; a whole is not until its parts have arrived.
    public var isVisible: Bool
    /// Whether its number is drawn, which then counts its points. A single point's badge has none, but counts all the
    /// same.
    public var showsCount: Bool
  }

  /// Which badge it is.
  public let id: ID

  /// As the latest answer that has it tells.
  var shown: ShownCluster

  /// What it stands for.
  public var cluster: Cluster { shown.cluster }

  /// In pixels, at a scale of 1.
  public var diameter: Double { shown.diameter }

  /// How it gets where it goes.
  public internal(set) var motion: MapMotion

  /// Whether it is no longer in the answer, and only leaves.
  public internal(set) var isLeaving = false

  /// Whether it is to be drawn above all others: a whole over the parts that come out of it.
  public internal(set) var isAbove = false

  /// Whether its cluster is of another tree than the scene's by now. It only leaves.
  public internal(set) var isForeign = false

  /// As it was when its scene was last brought to a time.
  public internal(set) var appearance: Appearance

  /// Its number counts from one time to the other.
  var countsFrom = -Double.infinity
  var countsUntil = Double.infinity
  /// Not drawn before that time, when its parts have arrived.
  var appearsAt = -Double.infinity

  /// Where the answer has it: where it goes, but for turns around the world.
  var targetX: Double
  var targetY: Double

  /// What is to be told of it.
  var news: News = .isNew
  /// Whether nothing about it changes with time, and there are no news.
  var isSettled = false
  /// Whether it is among those that leave no more, while an answer is applied.
  var isGone = false

  var isNew: Bool { news.contains(.isNew) }

  /// What has not been told of a badge yet.
  struct News: OptionSet, Sendable {
    let rawValue: UInt8

    static let isNew = News(rawValue: 1)
    static let isRetargeted = News(rawValue: 2)
    /// It stands for other points.
    static let isRenewed = News(rawValue: 4)
  }

  init(id: ID, of shown: ShownCluster) {
    (self.id, self.shown) = (id, shown)
    motion = MapMotion(at: shown.place)
    (targetX, targetY) = (shown.place.x, shown.place.y)
    appearance = Appearance(place: shown.place, isVisible: true, showsCount: true)
  }

  /// Where it is, as a coordinate.
  public var coordinate: Coordinate { shown.cluster.plane.coordinate(x: appearance.place.x, y: appearance.place.y) }

  /// Where it goes, as a coordinate.
  public var destination: Coordinate { shown.cluster.plane.coordinate(x: motion.to.x, y: motion.to.y) }

  /// The number that stands on it.
  public var pointCount: Int { shown.cluster.pointCount }

  /// Of its points.
  var range: Range<Int> { shown.cluster.range }

  /// How it is drawn at a time, if nothing else comes.
  public func appearance(at time: Double) -> Appearance {
    Appearance(
      place: motion.place(at: time), isVisible: appearsAt <= time,
      showsCount: countsFrom <= time && time < countsUntil)
  }
}

extension MapBadge.ID: CustomStringConvertible { public var description: String { "badge \(number)" } }
