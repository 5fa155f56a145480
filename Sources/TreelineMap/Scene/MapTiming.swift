/// Durations of the changes between two answers, in seconds.
///
/// `scene.js` in the web package has the same values. A test compares both files.
public struct MapTiming: Hashable, Sendable {
  /// Duration of a move.
  public var move = 0.38
  /// Duration for which a new badge grows, if the badge does not come out of another badge.
  public var appear = 0.6
  /// Duration for which a badge fades after its points have left the view.
  public var fade = 0.16
  /// If the map was empty, its badges appear one after another. This is the time from the first to the last badge.
  public var wave = 0.42
  /// Duration for which the badge of a merged cluster grows after the merging badges have arrived.
  public var grow = 0.14

  /// The default durations, which the server's map uses.
  public static let standard = MapTiming()

  /// Creates the default durations.
  public init() {}

  /// A badge that splits loses its number after this fraction of the duration `move`. At the same time, its parts get
  /// their numbers.
  static let takeover = 0.38
  /// Scale of merging badges when they arrive, and final scale of a badge that splits.
  static let arriving = 0.86
  /// Initial scale of the badge of a merged cluster.
  static let formed = 0.9
  /// Final scale of a badge that disappears.
  static let faded = 0.4
  /// Final scale of a badge that has never shown a number and fades while it moves to another badge. The other badge
  /// contains the points of the fading badge.
  static let withdrawn = 0.6
  /// Initial size of a badge that comes out of another badge, as a fraction of the other badge's size.
  static let part = 0.8
}
