/// The motion of a badge from its start to its target, as a function of time.
public struct MapMotion: Hashable, Sendable {
  /// Position, size and opacity of a badge.
  public struct Place: Hashable, Sendable {
    /// Distance eastwards from the western edge of the plane, in units of the plane. If the badge crosses an edge of
    /// the plane, the distance may be negative or larger than the width of the plane.
    public var x: Double
    /// Distance southwards from the northern edge of the plane, in units of the plane.
    public var y: Double
    /// Size as a fraction of the badge's diameter. It is slightly above 1 for a moment when the badge appears.
    public var scale = 1.0
    /// Opacity from 0 to 1.
    public var opacity = 1.0
  }

  /// The course of a motion. A curve is a function: given the fraction of the duration that has elapsed, it returns
  /// the fraction of the way that is covered. Both fractions begin at 0 and end at 1.
  public enum Curve: Hashable, Sendable {
    /// Constant speed.
    case linear
    /// Slow at both ends.
    case glide
    /// Fast at first.
    case settle
    /// The size of a badge that appears. The size starts at 0.05, rises to 1.1, falls to 0.9, and rises to 1. These
    /// three changes take equally long.
    case bounce
  }

  /// Start of the motion.
  public internal(set) var from: Place
  /// Target of the motion.
  public internal(set) var to: Place
  /// Start time in seconds. Before this time, the badge stays at its start.
  public internal(set) var start: Double
  /// Duration in seconds; 0 if the badge jumps.
  public internal(set) var duration: Double
  /// Curve of the position. The opacity changes at constant speed.
  public internal(set) var curve = Curve.glide
  /// Curve of the size.
  public internal(set) var scaleCurve = Curve.settle

  /// Time at which the motion ends.
  public var end: Double { start + duration }

  /// Creates the motion of a badge that stays in place.
  init(at place: Place) { self.init(from: place, to: place, start: -.infinity, duration: 0) }

  init(
    from: Place, to: Place, start: Double, duration: Double, scaleCurve: Curve = .settle
  ) {
    (self.from, self.to, self.start, self.duration, self.scaleCurve) = (from, to, start, duration, scaleCurve)
  }

  /// Returns the position, size and opacity of the badge at the given time.
  public func place(at time: Double) -> Place {
    if time >= end { return to }
    let share = time > start ? (time - start) / duration : 0
    let (path, size) = (curve(share), scaleCurve(share))
    return Place(
      x: from.x + (to.x - from.x) * path, y: from.y + (to.y - from.y) * path,
      scale: from.scale + (to.scale - from.scale) * size, opacity: from.opacity + (to.opacity - from.opacity) * share)
  }
}

extension MapMotion.Curve {
  /// Returns the fraction of the way that the motion has covered.
  ///
  /// - Parameter share: Elapsed fraction of the time, from 0 to 1.
  public func callAsFunction(_ share: Double) -> Double {
    let rest = 1 - share
    switch self {
    case .linear: return share
    case .glide:
      let twice = 2 - 2 * share
      return share < 0.5 ? 4 * share * share * share : 1 - twice * twice * twice / 2
    case .settle: return 1 - rest * rest * rest
    case .bounce: return Self.bounce(share)
    }
  }

  /// Returns the size of a badge that appears with a bounce.
  ///
  /// Source of the values: thoughtbot, How To Efficiently Display Large Amounts of Data on iOS Maps (2014).
  private static func bounce(_ share: Double) -> Double {
    if share >= 1 { return 1 }
    let step = (share * 3).rounded(.down)
    let part = share * 3 - step
    let (from, to) = step < 1 ? (0.05, 1.1) : step < 2 ? (1.1, 0.9) : (0.9, 1.0)
    return from + (to - from) * (part * part * (3 - 2 * part))
  }
}
