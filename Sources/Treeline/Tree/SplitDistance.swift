/// The greatest spacing at which a node may be replaced by its children, whatever is shown around it. The spacing is
/// the distance that the map requires between badges.
///
/// The children of the node must be at least the spacing apart. But the children take room from neighboring nodes. So
/// at a spacing r a node is split only if a single badge represents the node badly. A badge represents a node badly if
/// the node's points scatter: if the root of their mean squared distance to their mean is 0.7 r or more. A badge also
/// represents the node badly if the distance between the children is 2 r or more. In this case the badge may lie at a
/// large child, far away from a small child. A node that is not split yet leaves room for denser nodes.
extension TreeStorage {
  /// Returns the square of a distance that measures how far a node's points spread. The square is twice the mean
  /// squared distance of the points to their mean, rounded up. It is computed in doubles from the stored covariance,
  /// with the same result in memory and in a file.
  ///
  /// - Precondition: `checkSummary(of: node)` succeeds.
  package func squaredScatterDistance(of node: Node) -> UInt64 {
    let square = (summary(of: node, in: box(of: node)).spread.trace * 2).rounded(.up)
    return square < 0x1p64 ? UInt64(square) : .max
  }

  /// Returns the square of the greatest distance at which a node may be split.
  @inline(__always) package static func squaredSplitDistance(childrenApart squaredDistance: UInt64, scatter: UInt64)
    -> UInt64
  {
    // The quarter is rounded up, so that positions one unit apart are split at one unit.
    min(squaredDistance, max(scatter, squaredDistance / 4 &+ (squaredDistance & 3 == 0 ? 0 : 1)))
  }
}
