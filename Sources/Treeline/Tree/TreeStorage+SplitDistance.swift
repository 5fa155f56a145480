/// At which distance a node may give way to its children at the earliest, whatever is shown around it.
///
/// Both children must be at least as far apart as that. But the room that they take they take from their neighbours, so at a
/// distance r a node is split only where a badge does not stand for it well: where its points scatter, the root of
/// their mean squared distance to their mean being 0.7 r or more, or where the children are 2 r apart, so that
/// nothing small is hidden in something large and far away. What waits leaves its room to what is denser.
extension TreeStorage {
  /// The square of the distance up to which a node scatters: twice the mean squared distance of its points to their
  /// mean, rounded up.
  ///
  /// It is computed in f64 from the covariance as it is kept, so that it is the same in memory and from a file.
  ///
  /// Complexity: that of `summary`.
  ///
  /// - Precondition: `checkSummary(of: node)`.
  package func squaredScatterDistance(of node: Node) -> UInt64 {
    let square = (summary(of: node, in: box(of: node)).spread.trace * 2).rounded(.up)
    return square < 0x1p64 ? UInt64(square) : .max
  }

  /// The square of the distance at which a node may be split at the earliest.
  @inline(__always)
  package static func squaredSplitDistance(childrenApart squaredDistance: UInt64, scatter: UInt64) -> UInt64 {
    // Up: positions a unit apart are split at a unit.
    min(squaredDistance, max(scatter, squaredDistance / 4 &+ (squaredDistance & 3 == 0 ? 0 : 1)))
  }
}
