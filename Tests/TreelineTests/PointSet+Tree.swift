import PointSets
import Treeline
import TreelineBuilder

extension PointSet {
  func tree() throws -> ClusterTree {
    try ClusterTree(places, as: projection, options: BuildOptions(threads: 1))
  }

  func outline() throws -> TreeOutline { try TreeOutline(tree()) }
}
