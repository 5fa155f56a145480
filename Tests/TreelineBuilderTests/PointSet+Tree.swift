import PointSets
import Treeline
import TreelineBuilder

extension PointSet {
  func tree(threads: Int = 1) throws -> ClusterTree {
    try ClusterTree(places, as: projection, options: BuildOptions(threads: threads))
  }

  func tree(threads: Int = 1, principalLevels: Int) throws -> ClusterTree {
    try ClusterTree(
      places, as: projection, options: BuildOptions(threads: threads), principalLevels: principalLevels)
  }
}
