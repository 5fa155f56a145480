import Treeline

/// Builds the nodes over some points. A split rule splits each node.
struct SplitBuild {
  let rule: SplitRule
  var solver = PrincipalAxis.Solver.standard
  let principalLevels: Int
  let threads: Int
  let monitor: BuildMonitor

  /// Sorts the points in `memory` into tree order, and returns the nodes above the points.
  ///
  /// - Parameter root: The place of the topmost new node: its level, counted from the root of the whole tree, and the
  ///   corner from which its moments are measured.
  func split(_ memory: BuildMemory, _ root: SubtreeRoot = SubtreeRoot()) throws(BuildFailure) -> TopNode {
    let gamma = rule.gammaInEighths
    // Each algorithm has its own case, so that the builder is compiled separately for each algorithm.
    let top =
      switch rule.kind {
      case .mean: split(memory, root, by: MeanSplit())
      case .leastScatter: split(memory, root, by: LeastScatterSplit(monitor: monitor))
      case .gamma where gamma == DistanceWeight.evenEighths: split(memory, root, by: MeanSplit())
      case .gamma:
        split(memory, root, by: WeightedMeanSplit(weight: DistanceWeight(gammaInEighths: gamma), monitor: monitor))
      }
    if monitor.isCancelled {
      inBackground { top.removeAll() }
      throw .cancelled
    }
    return top
  }

  private func split(_ memory: BuildMemory, _ root: SubtreeRoot, by algorithm: some SplitAlgorithm) -> TopNode {
    let splitter = NodeSplitter(
      arrays: memory.arrays, algorithm: algorithm, solver: solver, principalLevels: principalLevels, monitor: monitor)
    return NodeBuilder(splitter: splitter, threads: threads).build(pointCount: memory.pointCount, root)
  }
}
