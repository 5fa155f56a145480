import Treeline
import TreelineBuilder

extension PointSet {
  /// The tree over its points, built by one thread and without separations unless told.
  public func tree(_ rule: SplitRule = .mean, threads: Int = 1, computesSeparations: Bool = false) throws -> ClusterTree
  {
    try ClusterTree(
      coordinates, as: projection,
      options: BuildOptions(splitRule: rule, threads: threads, computesSeparations: computesSeparations))
  }

  public func outline(_ rule: SplitRule = .mean) throws -> TreeOutline { try TreeOutline(tree(rule)) }
}
