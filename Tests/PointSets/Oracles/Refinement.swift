import Treeline

/// Returns the clusters of a finer answer that lie in no cluster of a coarser answer. The result is empty if the finer
/// answer refines the coarser answer.
public func unrefined(_ fine: [Cluster], by coarse: [Cluster]) -> [Cluster] {
  fine.filter { part in
    !coarse.contains { $0.range.lowerBound <= part.range.lowerBound && part.range.upperBound <= $0.range.upperBound }
  }
}
