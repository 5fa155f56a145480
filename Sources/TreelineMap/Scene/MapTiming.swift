/// Durations of the changes from one answer to the next, in seconds.
///
/// The web package has the same values in its `scene.js`; a test checks that both agree.
public struct MapTiming: Hashable, Sendable {
  /// Duration of a move.
  public var move = 0.38
  /// Duration of the appearance of a badge that does not come from another badge.
  public var appear = 0.6
  /// Duration of the disappearance of a badge whose points have left the view.
  public var fade = 0.16
  /// Delay between the first and the last badge, if the map was empty before.
  public var wave = 0.42
  /// Duration in which a whole grows once its parts have arrived.
  public var grow = 0.14

  /// The durations of the server's map.
  public static let standard = MapTiming()

  /// Creates the durations of the server's map.
  public init() {}

  /// Time at which the numbers of parts replace the number of their whole, as a share of the move.
  static let takeover = 0.38
  /// Scale of parts when they arrive at their whole, and of a whole when it begins to split (`arriving`) or to grow
  /// (`formed`).
  static let arriving = 0.86
  static let formed = 0.9
  /// Final scale of a badge that vanishes (`faded`) and of a part called back before it had a number (`withdrawn`).
  static let faded = 0.4
  static let withdrawn = 0.6
  /// Initial size of a part, as a share of its whole.
  static let part = 0.8
}
