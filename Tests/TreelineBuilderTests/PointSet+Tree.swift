import PointSets
import Treeline
@testable import TreelineBuilder

extension PointSet {
  /// Builds the tree, and splits only its upper `principalLevels` levels across principal axes.
  func tree(_ rule: SplitRule = .mean, threads: Int = 1, principalLevels: Int) throws -> ClusterTree {
    try ClusterTree(
      coordinates, as: projection, options: BuildOptions(splitRule: rule, threads: threads),
      principalLevels: principalLevels
    )
  }
}
