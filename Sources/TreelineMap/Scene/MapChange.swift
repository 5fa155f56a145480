import Treeline

/// A change that a map view must apply: the differences between what the view shows and what it should show.
///
/// A change lists the badges that the view must update, and no others. After each change, no point is counted in more
/// than one visible number.
public struct MapChange: Sendable {
  /// New position, size and opacity of a badge.
  public struct Move: Identifiable, Sendable {
    /// Identifier of the badge.
    public let id: MapBadge.ID
    /// Current position, size and opacity of the badge.
    public let place: MapMotion.Place
    let plane: Plane

    /// Current position of the badge as a coordinate.
    public var coordinate: Coordinate { plane.coordinate(x: place.x, y: place.y) }
  }

  /// New badges, at their starting positions. Create an annotation for each new badge.
  public var added: [MapBadge] = []

  /// Badges that have left the map. Remove their annotations.
  public var removed: [MapBadge.ID] = []

  /// Badges that appear, disappear, show or hide their numbers, or show other points, for example because of another
  /// filter. A badge that has also moved is in `moved`, too.
  public var updated: [MapBadge] = []

  /// Badges that have a new target or begin to leave. Their motion starts at their current positions. A view that
  /// applies `moved` in each frame can ignore this list. A view that uses animations of the system finds the target
  /// and the duration in the `motion` of each badge.
  public var retargeted: [MapBadge] = []

  /// Badges whose position, size or opacity has changed.
  public var moved: [Move] = []

  /// Creates a change without differences.
  public init() {}

  /// Whether there are no differences.
  public var isEmpty: Bool {
    added.isEmpty && removed.isEmpty && updated.isEmpty && retargeted.isEmpty && moved.isEmpty
  }
}
