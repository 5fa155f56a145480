import PointSets
import Treeline
import TreelineBuilder

extension PointSet {
  func tree(_ rule: SplitRule = .mean) throws -> ClusterTree {
    try ClusterTree(coordinates, as: projection, options: BuildOptions(splitRule: rule, threads: 1))
  }

  func outline(_ rule: SplitRule = .mean) throws -> TreeOutline { try TreeOutline(tree(rule)) }
}
