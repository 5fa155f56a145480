import Treeline

/// The greatest spacing at which a node may be replaced by its children. It does not depend on what is shown around
/// the node. The spacing of a map is the least distance that the map allows between badges.
///
/// At a spacing r, a node is split only if two conditions are met. First, the children are at least r apart. Second, a
/// single badge would represent the node badly. The second condition is needed because the children take room from
/// neighboring nodes. A node that is not split yet leaves room for denser nodes.
///
/// A single badge represents a node badly in two cases. In the first case, the node's points scatter: the square root
/// of the mean squared distance of the points to their mean is 0.7 r or more. In the second case, the distance between
/// the children is 2 r or more. Then the badge may lie at a large child, far away from a small child.
extension TreeStorage {
  /// Returns the square of a distance that measures how far a node's points spread. The square is twice the mean
  /// squared distance of the points to their mean, rounded up. The computation uses doubles and the covariance that
  /// the tree stores for the node. A tree in memory and its index in a file give the same result.
  ///
  /// - Precondition: `checkSummary(of: node)` succeeds.
  func squaredScatterDistance(of node: Node) -> UInt64 {
    let square = (summary(of: node, in: box(of: node)).spread.trace * 2).rounded(.up)
    return square < 0x1p64 ? UInt64(square) : .max
  }

  /// Returns the square of the greatest spacing at which a node may be split, given the squared distance between its
  /// children and the result of `squaredScatterDistance(of:)`.
  @inline(__always) static func squaredSplitDistance(childrenApart squaredDistance: UInt64, scatter: UInt64)
    -> UInt64
  {
    // A quarter of the squared distance is rounded up. So two positions that are one unit apart are split at a spacing
    // of one unit.
    min(squaredDistance, max(scatter, squaredDistance / 4 &+ (squaredDistance & 3 == 0 ? 0 : 1)))
  }
}
