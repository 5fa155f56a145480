/// How long badges take from one answer to the next, in seconds.
///
/// Those of the server's map: what is written here is what its `scene.js` does, and one test holds them together.
public struct MapTiming: Hashable, Sendable {
  /// How long a badge takes from where it is to where it goes.
  public var move = 0.38
  /// How long one takes to come up that nothing has led to.
  public var appear = 0.6
  /// How long one takes to vanish whose points are out of view.
  public var fade = 0.16
  /// By how much the last badge comes after the first where nothing was shown before.
  public var wave = 0.42
  /// How long a whole takes to grow once its parts have arrived.
  public var grow = 0.14

  /// As the server's map has them.
  public static let standard = MapTiming()

  /// As the server's map has them.
  public init() {}

  /// When the numbers of parts take over from that of their whole, as a share of the move.
  static let takeover = 0.38
  /// How large parts are when they arrive at their whole, and a whole when it begins to split or to grow.
  static let arriving = 0.86
  static let formed = 0.9
  /// How large what vanishes is at its end, and a part that was called back before it had a number.
  static let faded = 0.4
  static let withdrawn = 0.6
  /// How large a part is when it starts, as a share of its whole.
  static let part = 0.8
}
