import Treeline

/// What a map view is to do: a difference between what it shows and what it is to show.
///
/// Whatever is named has changed, and what has not changed is not named. After each change the numbers that are shown
/// have each point in one of them alone.
public struct MapChange: Sendable {
  /// A badge that is elsewhere, or drawn at another size or opacity.
  public struct Move: Identifiable, Sendable {
    /// Which badge.
    public let id: MapBadge.ID
    /// Where it is and how it is drawn now.
    public let place: MapMotion.Place
    let plane: Plane

    /// Where it is now.
    public var coordinate: Coordinate { plane.coordinate(x: place.x, y: place.y) }
  }

  /// Badges that were not there: an annotation is to be made of each. They are where they start.
  public var added: [MapBadge] = []

  /// Badges that are gone: their annotations are to be removed.
  public var removed: [MapBadge.ID] = []

  /// Badges that show or hide their number or themselves, or stand for other points, as under another filter. Of where
  /// they are `moved` tells, if that has changed, too.
  public var updated: [MapBadge] = []

  /// Badges that set out for somewhere else, or begin to leave, from where they are. Who draws each frame by `moved`
  /// need not look at it; who has the system animate finds in each badge's `motion` where to and how long.
  public var retargeted: [MapBadge] = []

  /// Badges that are elsewhere than they were, or of another size or opacity.
  public var moved: [Move] = []

  /// No difference.
  public init() {}

  /// Whether there is nothing to do.
  public var isEmpty: Bool {
    added.isEmpty && removed.isEmpty && updated.isEmpty && retargeted.isEmpty && moved.isEmpty
  }
}
