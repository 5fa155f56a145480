import PointSets
import Treeline
@testable import TreelineBuilder

extension PointSet {
  /// Builds the tree, split by principal axes only in its upper levels.
  func tree(_ rule: SplitRule = .mean, threads: Int = 1, principalLevels: Int) throws -> ClusterTree {
    try ClusterTree(
      coordinates, as: projection, options: BuildOptions(splitRule: rule, threads: threads),
      principalLevels: principalLevels
    )
  }
}
