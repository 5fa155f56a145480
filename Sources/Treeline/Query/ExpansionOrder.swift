/// Which cluster of an answer is replaced by its children next, as long as there is room within the limit.
public enum ExpansionOrder: String, Sendable, Hashable, CaseIterable {
  /// Level by level, within a level in tree order: the article's.
  case breadthFirst = "breadth-first"

  /// The cluster whose points scatter most about their mean: the sum of their squared distances to it. What is shown then
  /// lies closer to the points that it stands for, at the same number of clusters; it takes several times as long.
  case widestFirst = "widest-first"

  /// The cluster whose split lowers the scatter most: widest first with a look at what comes of it, which brings points a
  /// little closer still. It reads the children of every cluster that it weighs, so it takes longer.
  case steepestFirst = "steepest-first"
}
