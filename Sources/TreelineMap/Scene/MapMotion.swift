/// How a badge gets from where it was to where it goes: a function of time.
public struct MapMotion: Hashable, Sendable {
  /// Where a badge is and how it is drawn.
  public struct Place: Hashable, Sendable {
    /// In units of the plane, eastwards. It may lie a turn beyond the plane where a badge crosses its seam.
    public var x: Double
    /// In units of the plane, southwards.
    public var y: Double
    /// Its size as a share of its diameter; a little above 1 while it appears.
    public var scale = 1.0
    /// From 0 to 1.
    public var opacity = 1.0
  }

  /// A function from 0 to 1 of the share of the time that is over.
  public enum Curve: Hashable, Sendable {
    /// Evenly.
    case linear
    /// Slow at both ends.
    case glide
    /// Fast at first.
    case settle
    /// Beyond the end and back: the scales 0.05, 1.1, 0.9 and 1 at equal times.
    case bounce
  }

  /// Where it starts.
  public internal(set) var from: Place
  /// Where it ends.
  public internal(set) var to: Place
  /// When it starts, in seconds; until then the badge is where it starts.
  public internal(set) var start: Double
  /// In seconds, 0 for at once.
  public internal(set) var duration: Double
  /// Of the position; the opacity goes evenly.
  public internal(set) var curve = Curve.glide
  /// Of the size.
  public internal(set) var scaleCurve = Curve.settle

  /// When it ends.
  public var end: Double { start + duration }

  /// At rest.
  init(at place: Place) { self.init(from: place, to: place, start: -.infinity, duration: 0) }

  init(
    from: Place, to: Place, start: Double, duration: Double, scaleCurve: Curve = .settle
  ) {
    (self.from, self.to, self.start, self.duration, self.scaleCurve) = (from, to, start, duration, scaleCurve)
  }

  /// Where the badge is at a time.
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
  /// The share of the way.
  ///
  /// - Parameter share: Of the time, from 0 to 1.
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

  /// The appear bounce of thoughtbot's article.
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
