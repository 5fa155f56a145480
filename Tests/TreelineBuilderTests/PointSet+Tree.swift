import PointSets
import Treeline
@testable import TreelineBuilder

extension PointSet {
  /// Split by principal axes in its upper levels alone.
  func tree(_ rule: SplitRule = .mean, threads: Int = 1, principalLevels: Int) throws -> ClusterTree {
    try ClusterTree(
      coordinates, as: projection, options: BuildOptions(splitRule: rule, threads: threads),
      principalLevels: principalLevels
    )
  }
}
