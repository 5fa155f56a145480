#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Where the members of a stack, which share one position at every zoom, are drawn when it is opened.
///
/// Few are on a circle, many on a spiral that starts near the middle. No two are closer than the spacing, nor is any
/// closer to the stack itself.
public struct StackSpread: RandomAccessCollection, Sendable {
  /// Where a member is drawn, relative to the stack: x to the right, y down, in the unit of the spacing.
  public struct Offset: Hashable, Sendable {
    /// To the right.
    public let x: Double
    /// Downwards.
    public let y: Double
  }

  /// More members than this are on a spiral.
  public static let mostOnCircle = 9

  private let spacing: Double
  public let endIndex: Int
  public var startIndex: Int { 0 }

  /// - Parameters:
  ///   - count: How many members are drawn: one page of a large stack.
  ///   - spacing: The least distance between two of them, above 0, usually in pixels.
  public init(count: Int, spacing: Double = 26) {
    precondition(count >= 0, "Expected a count of 0 or more, found \(count)")
    precondition(spacing > 0 && spacing.isFinite, "Expected a spacing above 0, found \(spacing)")
    endIndex = count
    self.spacing = spacing
  }

  /// - Complexity: O(1)
  public subscript(position: Int) -> Offset {
    precondition(indices.contains(position), "Expected a position below \(count), found \(position)")
    return count <= Self.mostOnCircle ? onCircle(position) : onSpiral(position)
  }

  /// The first at the top, then clockwise.
  private func onCircle(_ position: Int) -> Offset {
    let radius = Swift.max(spacing, count < 2 ? 0 : spacing / (2 * sin(.pi / Double(count))))
    return polar(radius, 2 * .pi * Double(position) / Double(count))
  }

  /// Archimedes' spiral, whose turns are a spacing apart. Members are spaced by arc length, which grows as half the
  /// square of the angle; an arc is longer than its chord, hence the factor.
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
