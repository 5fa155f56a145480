import Treeline
import TreelineBuilder

extension PointSet {
  /// Builds the tree of the points, by default on one thread and without separations.
  public func tree(_ rule: SplitRule = .mean, threads: Int = 1, computesSeparations: Bool = false) throws -> ClusterTree
  {
    try tree(rule, threads: threads, computesSeparations: computesSeparations, solver: .standard)
  }

  /// Builds the tree of the points with a given solver for principal axes.
  package func tree(
    _ rule: SplitRule, threads: Int = 1, computesSeparations: Bool = false, solver: PrincipalAxis.Solver
  ) throws -> ClusterTree {
    var options = BuildOptions(growth: .splitting(rule), threads: threads, computesSeparations: computesSeparations)
    options.solver = solver
    return try ClusterTree(coordinates, as: projection, options: options)
  }

  public func outline(_ rule: SplitRule = .mean) throws -> TreeOutline { try TreeOutline(tree(rule)) }
}
