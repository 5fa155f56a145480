import CLibrary

/// Sizes of badges by point count, with formulas from two articles about maps.
package enum BadgeSize {
  /// Default for the largest diameter, in pixels.
  package static let largest = 44.0

  /// Returns the diameter from the article on quadtree clustering, `largest / (1 + exp(-0.3 n^0.4))`. The diameter is
  /// 57 % of `largest` for one point, and approaches `largest` for many points.
  ///
  /// Source: thoughtbot, How To Efficiently Display Large Amounts of Data on iOS Maps (2014).
  ///
  /// - Parameters:
  ///   - pointCount: Number of points of the cluster.
  ///   - largest: Diameter that no badge exceeds, in the unit of the result, usually pixels.
  package static func diameter(pointCount: Int, largest: Double = largest) -> Double {
    largest / (1 + exp(-0.3 * pow(Double(pointCount), 0.4)))
  }

  /// Returns the factor `1 + ln n` for n points. The factor is 1 for one point and has no upper bound.
  ///
  /// Source: Raizlabs, BentoMap (2016).
  package static func logarithmicScale(pointCount: Int) -> Double { 1 + log(Double(max(pointCount, 1))) }
}

/// The text on and beside a badge.
package enum BadgeText {
  /// Returns a count in about four characters: `999`, `1.2k`, `12k`, `3.4M`, `2B`. Halves are rounded up.
  package static func abbreviated(_ count: Int) -> String {
    let parts = parts(of: count)
    let fraction = parts.tenths > 0 ? ".\(parts.tenths)" : ""
    let suffix = parts.suffix.map { String(UnicodeScalar($0)) } ?? ""
    return "\(parts.whole)" + fraction + suffix
  }

  /// Returns the parts of an abbreviated count. For `1.2k` the parts are 1, 2 and the letter k.
  package static func parts(of count: Int) -> (whole: Int, tenths: Int, suffix: UInt8?) {
    guard count >= 1000 else { return (count, 0, nil) }
    var unit = 1000
    var suffixes = "kMBT".utf8[...]
    while suffixes.count > 1, rounded(count, to: unit) >= 1000 {
      unit *= 1000
      suffixes.removeFirst()
    }
    let tenths = rounded(count, to: unit / 10)
    return tenths < 100 ? (tenths / 10, tenths % 10, suffixes.first) : (rounded(count, to: unit), 0, suffixes.first)
  }

  private static func rounded(_ count: Int, to unit: Int) -> Int {
    count / unit + (count % unit >= unit - unit / 2 ? 1 : 0)
  }
}

/// The offsets at which the members of an opened stack are drawn. Members of a stack share one position at every zoom.
///
/// Up to nine members lie on a circle. If there are more members, all lie on a spiral that starts near the middle. The
/// distance between any two members is at least `spacing`. So is the distance of each member from the stack itself.
public struct StackSpread: RandomAccessCollection, Sendable {
  /// Position of a member relative to the stack: x to the right, y down, in the unit of the spacing.
  public struct Offset: Hashable, Sendable {
    /// Distance to the right.
    public let x: Double
    /// Distance downwards.
    public let y: Double
  }

  /// Greatest number of members that lie on a circle. If there are more members, all lie on a spiral.
  package static let mostOnCircle = 9

  private let spacing: Double
  public let endIndex: Int
  public var startIndex: Int { 0 }

  /// - Parameters:
  ///   - count: Number of members to draw, for example the members on one page of a large stack; 0 or more.
  ///   - spacing: The least distance between two members, finite and above 0, usually in pixels.
  /// - Precondition: `count` is 0 or more, and `spacing` is finite and above 0.
  public init(count: Int, spacing: Double = 26) {
    precondition(count >= 0, "Expected a count of 0 or more, found \(count)")
    precondition(spacing > 0 && spacing.isFinite, "Expected a finite spacing above 0, found \(spacing)")
    endIndex = count
    self.spacing = spacing
  }

  /// - Complexity: O(1)
  public subscript(position: Int) -> Offset {
    precondition(indices.contains(position), "Expected a position below \(count), found \(position)")
    return count <= Self.mostOnCircle ? onCircle(position) : onSpiral(position)
  }

  /// Returns a position on a circle: the first member is at the top, and the other members follow clockwise.
  private func onCircle(_ position: Int) -> Offset {
    let radius = Swift.max(spacing, count < 2 ? 0 : spacing / (2 * sin(.pi / Double(count))))
    return polar(radius, 2 * .pi * Double(position) / Double(count))
  }

  /// Returns a position on an Archimedean spiral, whose turns are about `spacing` apart. Members are spaced by arc
  /// length, which grows with the square of the angle. The factor 1.06 is needed because an arc is longer than its
  /// chord.
  private func onSpiral(_ position: Int) -> Offset {
    let turn = 1.06 * spacing / (2 * .pi)
    let start = 2 * .pi * 1.1
    let angle = (start * start + 2 * Double(position) * 1.06 * spacing / turn).squareRoot()
    return polar(turn * angle, angle)
  }

  private func polar(_ radius: Double, _ angle: Double) -> Offset {
    Offset(x: radius * sin(angle), y: -radius * cos(angle))
  }
}
