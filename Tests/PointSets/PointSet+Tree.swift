import Treeline
import TreelineBuilder

extension PointSet {
  /// Builds the tree of the points by splitting, by default on one thread.
  ///
  /// - Parameter hasSeparations: Whether the tree has separations, like trees from old indexes. Only for small sets,
  ///   because separations are computed from their definition.
  public func tree(_ rule: SplitRule = .mean, threads: Int = 1, hasSeparations: Bool = false) throws -> ClusterTree {
    let tree = try tree(rule, threads: threads, solver: .standard)
    return hasSeparations ? try tree.withSeparations() : tree
  }

  /// Builds the tree of the points by splitting, with a given solver for principal axes.
  package func tree(_ rule: SplitRule, threads: Int = 1, solver: PrincipalAxis.Solver) throws -> ClusterTree {
    var options = BuildOptions(splitRule: rule, threads: threads)
    options.solver = solver
    return try ClusterTree(coordinates, as: projection, options: options)
  }

  /// Builds the tree of the points for some queries, by default on one thread.
  public func tree(supporting purpose: BuildPurpose, threads: Int = 1) throws -> ClusterTree {
    try ClusterTree(coordinates, as: projection, options: BuildOptions(supporting: purpose, threads: threads))
  }

  public func outline(_ rule: SplitRule = .mean) throws -> TreeOutline { try TreeOutline(tree(rule)) }
}
