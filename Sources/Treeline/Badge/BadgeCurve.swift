/// A table of badge diameters by number of points, and the least gap between two badges.
///
/// Lengths are whole 64ths of a pixel, so that a tree that is built for a badge curve depends only on integers.
public struct BadgeCurve: Hashable, Sendable {
  /// A diameter, and the least number of points for which a badge has this diameter.
  public struct Step: Hashable, Sendable {
    /// The least number of points, 1 or more.
    package var pointCount: UInt32
    /// Diameter in 64ths of a pixel, from `leastDiameter` to `greatestDiameter`.
    package var diameter: UInt16

    /// Creates a step.
    ///
    /// - Parameters:
    ///   - pointCount: The least number of points, 1 or more.
    ///   - diameter: Diameter in 64ths of a pixel, from 64 to 32,768.
    public init(pointCount: UInt32, diameter: UInt16) { (self.pointCount, self.diameter) = (pointCount, diameter) }
  }

  /// The steps in rising order of point counts. The first step is for 1 point. Diameters never fall from step to step.
  package let steps: [Step]
  /// Gap between two badges, in 64ths of a pixel.
  @usableFromInline package let gap: UInt16

  /// - Parameters:
  ///   - steps: From 1 to 1,024 steps in rising order of point counts. The first step is for 1 point. Diameters never
  ///     fall from step to step. The diameters are from 64 to 32,768, which is from 1 to 512 pixels.
  ///   - gap: Gap between two badges, in 64ths of a pixel, from 0 to 8,192, which is 128 pixels.
  /// - Precondition: The steps and the gap are in these ranges.
  public init(steps: [Step], gap: UInt16 = 0) {
    if let problem = Self.problem(steps, gap: gap) { preconditionFailure("Expected \(problem)") }
    (self.steps, self.gap) = (steps, gap)
  }

  /// Returns the part of an error message that follows the word *expected*: what a curve needs, and what was found.
  /// Returns nil if the curve is valid.
  static func problem(_ steps: [Step], gap: UInt16) -> String? {
    guard 1...greatestStepCount ~= steps.count else {
      return "1 to \(greatestStepCount) steps of a curve, found \(steps.count)"
    }
    guard steps[0].pointCount == 1 else {
      return "a curve whose first step is for 1 point, found a first step for \(steps[0].pointCount) points"
    }
    for (step, next) in zip(steps, steps.dropFirst())
    where next.pointCount <= step.pointCount || next.diameter < step.diameter {
      return
        "a next step with more than \(step.pointCount) points and a diameter of \(step.diameter) or more, "
        + "found a step with \(next.pointCount) points and a diameter of \(next.diameter)"
    }
    let diameters = (steps[0].diameter, steps.last!.diameter)
    guard diameters.0 >= leastDiameter, diameters.1 <= greatestDiameter else {
      return "diameters from \(leastDiameter) to \(greatestDiameter) (in 64ths of a pixel), "
        + "found diameters from \(diameters.0) to \(diameters.1)"
    }
    return gap <= greatestGap ? nil : "a gap up to \(greatestGap), found \(gap)"
  }

  /// Least diameter: one pixel.
  static let leastDiameter: UInt16 = 64
  /// Greatest diameter: 512 pixels.
  static let greatestDiameter: UInt16 = 1 << 15
  /// Greatest gap: 128 pixels.
  static let greatestGap: UInt16 = 1 << 13
  /// Greatest gap, in pixels.
  package static var greatestGapInPixels: Double { Double(greatestGap) / 64 }
  /// Greatest number of steps of a curve.
  static let greatestStepCount = 1024

  /// The default curve. A badge of one point is a dot of 10 px. The diameter for n points is 44 / (1 + exp(-0.3 n^0.4))
  /// px, to the nearest half pixel: 26.5 px for two points, 44 px for 1,230 points and more.
  ///
  /// Source of the formula: thoughtbot, How To Efficiently Display Large Amounts of Data on iOS Maps (2014).
  public static let standard = BadgeCurve(
    steps: [Step(pointCount: 1, diameter: 10 * 64)]
      + zip(standardCounts, 53...).map { Step(pointCount: $0, diameter: UInt16($1 * 32)) })

  /// For each diameter (26.5, 27, 27.5 px and so on), the least number of points for which a badge has this diameter.
  private static let standardCounts: [UInt32] = [
    2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18, 21, 24, 28, 32, 36, 41, 47, 53, 60, 69, 78, 88,
    101, 115, 132, 152, 177, 207, 245, 296, 367, 476, 672, 1230,
  ]

  /// Returns the curve with another gap.
  ///
  /// - Parameter pixels: The gap in pixels, from 0 to 128, rounded to the nearest 64th.
  public func gap(_ pixels: Double) -> BadgeCurve {
    precondition(0...Self.greatestGapInPixels ~= pixels, "Expected a gap from 0 to 128 px, found \(pixels)")
    return BadgeCurve(steps: steps, gap: UInt16((pixels * 64).rounded()))
  }

  /// Returns the diameter of a badge, in pixels.
  ///
  /// - Parameter pointCount: Number of points of the cluster, 1 or more.
  /// - Complexity: O(log steps)
  public func diameter(pointCount: Int) -> Double {
    Double(units(of: UInt32(clamping: max(pointCount, 1)))) / 64
  }

  /// Returns the diameter of a badge, in 64ths of a pixel.
  @inline(__always) package func units(of pointCount: UInt32) -> UInt16 {
    steps[firstIndex(in: 1..<steps.count) { steps[$0].pointCount > pointCount } - 1].diameter
  }
}

// MARK: - Distances between badges

extension BadgeCurve {
  /// Diameter of a unit badge, in pixels. Two unit badges touch if their centers are 8 px apart. A tree stores all
  /// distances as if all badges had this size.
  static let unitDiameter = 8.0

  /// Returns twice the distance at which two badges touch, in 64ths of a pixel.
  @inlinable @inline(__always) package func width(_ a: UInt16, _ b: UInt16) -> UInt64 {
    UInt64(a) + UInt64(b) + 2 * UInt64(gap)
  }

  /// Returns the squared distance of two badges, scaled to badges of 8 px and rounded down. If the distance is d and
  /// the badges touch at t px, the result is (8 d / t)^2.
  ///
  /// As badges grow, a pair with a smaller result touches before a pair with a greater result.
  ///
  /// - Parameters:
  ///   - squaredDistance: Squared distance of the badges, in units of the plane.
  ///   - width: The result of `width(_:_:)` for both badges, at least 128.
  /// - Returns: The squared scaled distance, but at most `UInt64.max`.
  @inlinable @inline(__always) package static func scaled(_ squaredDistance: UInt64, width: UInt64) -> UInt64 {
    let square = width &* width
    if squaredDistance < 1 << 44 { return (squaredDistance &<< 20) / square }
    let (high, low) = squaredDistance.multipliedFullWidth(by: 1 << 20)
    return high < square ? square.dividingFullWidth((high, low)).quotient : .max
  }

  /// Returns the scaled distance that keeps badges apart. A scaled distance is in units of the plane, as if all badges
  /// were 8 px wide. Two badges that are at least this scaled distance apart are drawn without touching.
  ///
  /// - Parameter unitsPerPixel: Length of a pixel in units of the plane, at the zoom at which the badges are drawn.
  package func distance(unitsPerPixel: Double) -> Double {
    // Distances are measured between means that are rounded to whole units. The badge of a cluster is drawn less than
    // one unit away from the rounded mean. So the distance between two drawn badges may be almost two units less than
    // the measured distance. Therefore two units are added. These two units are multiplied by the greatest scale
    // factor, which is the factor for two badges of the smallest size.
    let least = width(steps[0].diameter, steps[0].diameter)
    return Self.unitDiameter * unitsPerPixel + 2 * 128 * Self.unitDiameter / Double(least)
  }
}
