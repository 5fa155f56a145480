/// With what diameter badges of so many points are drawn, as a table, and how far apart they stay.
///
/// Whole 64ths of a pixel, so that a tree grown for badges of a curve rests on integers alone.
public struct BadgeCurve: Hashable, Sendable {
  /// A diameter, and from how many points on badges have it.
  public struct Step: Hashable, Sendable {
    /// The least number of points, 1 or more.
    public var pointCount: UInt32
    /// In 64ths of a pixel, 1 or more.
    public var diameter: UInt16

    /// A step by its numbers.
    public init(pointCount: UInt32, diameter: UInt16) { (self.pointCount, self.diameter) = (pointCount, diameter) }
  }

  /// In rising order of counts, the first from 1 point on; diameters never fall.
  public let steps: [Step]
  /// Between two badges, in 64ths of a pixel.
  public let gap: UInt16

  /// - Parameters:
  ///   - steps: In rising order of counts, the first from 1 point on; diameters never fall.
  ///   - gap: Between two badges, in 64ths of a pixel, up to `greatestGap`.
  /// - Precondition: `BadgeCurve.problem(_:gap:)` is nil.
  public init(steps: [Step], gap: UInt16 = 0) {
    if let problem = Self.problem(steps, gap: gap) { preconditionFailure("Expected \(problem)") }
    (self.steps, self.gap) = (steps, gap)
  }

  /// What is expected of a curve and not so, for messages; nil where all is well.
  public static func problem(_ steps: [Step], gap: UInt16) -> String? {
    guard 1...greatestStepCount ~= steps.count else {
      return "1 to \(greatestStepCount) steps of a curve, found \(steps.count)"
    }
    guard steps[0].pointCount == 1 else {
      return "a curve from 1 point on, found \(steps[0].pointCount)"
    }
    for (step, next) in zip(steps, steps.dropFirst())
    where next.pointCount <= step.pointCount || next.diameter < step.diameter {
      return
        "more points and no lesser a diameter than \(step.diameter) behind \(step.pointCount) points, found \(next.pointCount) and \(next.diameter)"
    }
    let diameters = (steps[0].diameter, steps.last!.diameter)
    guard diameters.0 >= leastDiameter, diameters.1 <= greatestDiameter else {
      return "diameters from \(leastDiameter) to \(greatestDiameter), found \(diameters.0) and \(diameters.1)"
    }
    return gap <= greatestGap ? nil : "a gap up to \(greatestGap), found \(gap)"
  }

  /// One pixel.
  public static let leastDiameter: UInt16 = 64
  /// 512 pixels.
  public static let greatestDiameter: UInt16 = 1 << 15
  /// 128 pixels.
  public static let greatestGap: UInt16 = 1 << 13
  /// The same as a length.
  package static var greatestGapInPixels: Double { Double(greatestGap) / 64 }
  /// Of a curve.
  public static let greatestStepCount = 1024

  /// A dot of 10 px for one point; for more a badge by the article's curve, `BadgeSize.diameter(pointCount:)`, to the
  /// nearest half pixel: 26.5 px for two points, 44 px from 1,230 on.
  public static let standard = BadgeCurve(
    steps: [Step(pointCount: 1, diameter: 10 * 64)]
      + zip(standardCounts, 53...).map { Step(pointCount: $0, diameter: UInt16($1 * 32)) })

  /// From how many points on a badge is 26.5, 27, 27.5 px wide, and so on.
  private static let standardCounts: [UInt32] = [
    2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18, 21, 24, 28, 32, 36, 41, 47, 53, 60, 69, 78, 88,
    101, 115, 132, 152, 177, 207, 245, 296, 367, 476, 672, 1230,
  ]

  /// The same curve with another gap.
  ///
  /// - Parameter pixels: 0 to 128; taken to the nearest 64th.
  public func gap(_ pixels: Double) -> BadgeCurve {
    precondition(0...Self.greatestGapInPixels ~= pixels, "Expected a gap from 0 to 128 px, found \(pixels)")
    return BadgeCurve(steps: steps, gap: UInt16((pixels * 64).rounded()))
  }

  /// The diameter of a badge, in pixels.
  ///
  /// - Parameter pointCount: Of the cluster, 1 or more.
  /// - Complexity: O(log steps)
  public func diameter(pointCount: Int) -> Double {
    Double(units(of: UInt32(clamping: max(pointCount, 1)))) / 64
  }

  /// The diameter of a badge, in 64ths of a pixel.
  @inline(__always) package func units(of pointCount: UInt32) -> UInt16 {
    steps[firstIndex(in: 1..<steps.count) { steps[$0].pointCount > pointCount } - 1].diameter
  }
}

// MARK: - How near badges are

extension BadgeCurve {
  /// Badges of 8 px touch at 8 px. In a tree all distances are told as if all badges were of this size.
  static let unitDiameter = 8.0

  /// Twice the distance at which two badges touch, in 64ths of a pixel.
  @inline(__always) package func width(_ a: UInt16, _ b: UInt16) -> UInt64 { UInt64(a) + UInt64(b) + 2 * UInt64(gap) }

  /// The square of the distance at which two badges of 8 px were as near as these, rounded down: of what was a distance
  /// d of badges that touch at t px, it is (8 d / t)^2.
  ///
  /// Of two pairs that with the lesser one touches first as badges grow, but for what rounding hides.
  ///
  /// - Parameters:
  ///   - squaredDistance: Of the badges, in units of the plane.
  ///   - width: Of both, at least 128.
  /// - Returns: `UInt64.max` where it is more.
  @inline(__always) package static func scaled(_ squaredDistance: UInt64, width: UInt64) -> UInt64 {
    let square = width &* width
    if squaredDistance < 1 << 44 { return (squaredDistance &<< 20) / square }
    let (high, low) = squaredDistance.multipliedFullWidth(by: 1 << 20)
    return high < square ? square.dividingFullWidth((high, low)).quotient : .max
  }

  /// The distance of badges of 8 px, in units of the plane, from which on all pairs that are as far apart or farther
  /// are drawn without touching.
  ///
  /// - Parameter unitsPerPixel: With which they are drawn.
  package func distance(unitsPerPixel: Double) -> Double {
    // Means are rounded to whole units, each less than a unit from where it is shown.
    let least = width(steps[0].diameter, steps[0].diameter)
    return Self.unitDiameter * unitsPerPixel + 2 * 128 * Self.unitDiameter / Double(least)
  }
}
