import Treeline

/// A change that a map view must apply: the difference between what it shows and what it should show.
///
/// A change lists all differences, and nothing else. After each change every point is counted by only one of the
/// visible numbers.
public struct MapChange: Sendable {
  /// A badge whose position, size or opacity has changed.
  public struct Move: Identifiable, Sendable {
    /// Identifier of the badge.
    public let id: MapBadge.ID
    /// Current position and look of the badge.
    public let place: MapMotion.Place
    let plane: Plane

    /// Current position of the badge, as a coordinate.
    public var coordinate: Coordinate { plane.coordinate(x: place.x, y: place.y) }
  }

  /// New badges, at the positions where they start. Create an annotation for each.
  public var added: [MapBadge] = []

  /// Badges that are gone. Remove their annotations.
  public var removed: [MapBadge.ID] = []

  /// Badges that show or hide themselves or their numbers, or show other points, for example under another filter. If
  /// such a badge has also moved, `moved` lists its position.
  public var updated: [MapBadge] = []

  /// Badges that set out for a new target, or begin to leave, from their current positions. A view that draws each
  /// frame from `moved` can ignore them. A view that lets the system animate finds the target and the duration in each
  /// badge's `motion`.
  public var retargeted: [MapBadge] = []

  /// Badges whose position, size or opacity has changed.
  public var moved: [Move] = []

  /// Creates a change without differences.
  public init() {}

  /// Whether the view has nothing to do.
  public var isEmpty: Bool {
    added.isEmpty && removed.isEmpty && updated.isEmpty && retargeted.isEmpty && moved.isEmpty
  }
}
