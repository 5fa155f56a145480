import Treeline

extension PointSet {
  /// Directions from the center of a geometric spread to its points.
  public enum Arms: String, Sendable {
    case alongX
    case alongDiagonal
    /// Four directions. Successive points lie in different directions.
    case spiral
  }

  /// Returns points at distances 2^-k from their center. A tree of these points is as deep as the resolution of the
  /// plane allows.
  ///
  /// - Parameter growth: Ratio between the size of a stack and the size of the next stack outwards; 1 gives single
  ///   points. With a ratio from 0.5 to 0.7, the outermost stack has so many points that it alone is split off from the
  ///   rest, in nodes of any depth.
  public static func geometricSpread(_ arms: Arms, growth: Double = 1, largestStack: Int = 4000) -> PointSet {
    var points: [PlanePoint] = []
    var stack = growth < 1 ? Double(largestStack) : 1
    for exponent in (0..<31).reversed() {
      let distance: UInt32 = 1 << UInt32(exponent)
      let point =
        switch (arms, exponent % 4) {
        case (.alongX, _): PlanePoint(x: distance, y: 1 << 31)
        case (.alongDiagonal, _): PlanePoint(x: distance, y: distance)
        case (.spiral, 0): PlanePoint(x: 1 << 31 + distance, y: 1 << 31)
        case (.spiral, 1): PlanePoint(x: 1 << 31, y: 1 << 31 + distance)
        case (.spiral, 2): PlanePoint(x: 1 << 31 - distance, y: 1 << 31)
        case (.spiral, _): PlanePoint(x: 1 << 31, y: 1 << 31 - distance)
        }
      points += Array(repeating: point, count: min(max(Int(stack), 1), largestStack))
      stack *= growth
    }
    return PointSet("geometric spread \(arms.rawValue), stacks growing by \(growth)", onPlane: points)
  }

  public static let geometricSpreads: [PointSet] = [
    geometricSpread(.alongX), geometricSpread(.alongDiagonal), geometricSpread(.spiral),
    geometricSpread(.alongX, growth: 1.3), geometricSpread(.spiral, growth: 1.3),
    geometricSpread(.alongDiagonal, growth: 2, largestStack: 200),
    geometricSpread(.alongX, growth: 0.6, largestStack: 1000), geometricSpread(.spiral, growth: 0.5, largestStack: 500),
  ]
}
