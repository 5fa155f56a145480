/// Durations of the changes between two answers, in seconds.
///
/// `scene.js` in the web package has the same values. A test checks that both agree.
public struct MapTiming: Hashable, Sendable {
  /// Duration of a move.
  public var move = 0.38
  /// Duration with which a badge appears that does not come out of another badge.
  public var appear = 0.6
  /// Duration with which a badge disappears whose points have left the view.
  public var fade = 0.16
  /// Delay between the first and the last badge, if the map was empty.
  public var wave = 0.42
  /// Duration with which a whole grows after its parts have arrived.
  public var grow = 0.14

  /// The default durations, which the server's map uses.
  public static let standard = MapTiming()

  /// Creates the default durations.
  public init() {}

  /// Time at which the parts of a split take over the numbers from their whole, as a fraction of `move`.
  static let takeover = 0.38
  /// `arriving`: scale at which parts arrive at their whole, and to which a splitting whole shrinks. `formed`: scale
  /// from which a new whole grows.
  static let arriving = 0.86
  static let formed = 0.9
  /// `faded`: final scale of a badge that disappears. `withdrawn`: final scale of a part that fades into a whole before
  /// the part has had a number.
  static let faded = 0.4
  static let withdrawn = 0.6
  /// Initial size of a part, as a fraction of the size of its whole.
  static let part = 0.8
}
