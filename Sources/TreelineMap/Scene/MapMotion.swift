/// The motion of a badge from its start to its target, as a function of time.
public struct MapMotion: Hashable, Sendable {
  /// Position and look of a badge.
  public struct Place: Hashable, Sendable {
    /// Distance eastwards, in units of the plane. It may lie one turn beyond the plane if a badge crosses the plane's
    /// seam.
    public var x: Double
    /// Distance southwards, in units of the plane.
    public var y: Double
    /// Size as a share of the badge's diameter; slightly above 1 while the badge appears.
    public var scale = 1.0
    /// Opacity from 0 to 1.
    public var opacity = 1.0
  }

  /// A function that maps the share of the time to the share of the way, both from 0 to 1.
  public enum Curve: Hashable, Sendable {
    /// Constant speed.
    case linear
    /// Slow at both ends.
    case glide
    /// Fast at first.
    case settle
    /// Beyond the end and back. The size goes from 0.05 through 1.1 and 0.9 to 1, at equal intervals.
    case bounce
  }

  /// Start of the motion.
  public internal(set) var from: Place
  /// Target of the motion.
  public internal(set) var to: Place
  /// Start time in seconds; until then the badge stays at its start.
  public internal(set) var start: Double
  /// Duration in seconds; 0 for a jump.
  public internal(set) var duration: Double
  /// Curve of the position; the opacity changes at constant speed.
  public internal(set) var curve = Curve.glide
  /// Curve of the size.
  public internal(set) var scaleCurve = Curve.settle

  /// Time at which the motion ends.
  public var end: Double { start + duration }

  /// Creates a motion at rest.
  init(at place: Place) { self.init(from: place, to: place, start: -.infinity, duration: 0) }

  init(
    from: Place, to: Place, start: Double, duration: Double, scaleCurve: Curve = .settle
  ) {
    (self.from, self.to, self.start, self.duration, self.scaleCurve) = (from, to, start, duration, scaleCurve)
  }

  /// Returns the position and look of the badge at a time.
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
  /// Returns the share of the way that is covered at a share of the time.
  ///
  /// - Parameter share: Share of the time, from 0 to 1.
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

  /// Returns the size during the bounce with which badges appear.
  ///
  /// Source: thoughtbot, How To Efficiently Display Large Amounts of Data on iOS Maps (2014).
  private static func bounce(_ share: Double) -> Double {
    if share >= 1 { return 1 }
    let step = (share * 3).rounded(.down)
    let part = share * 3 - step
    let (from, to) = step < 1 ? (0.05, 1.1) : step < 2 ? (1.1, 0.9) : (0.9, 1.0)
    return from + (to - from) * (part * part * (3 - 2 * part))
  }
}
