/// What it took to find all separations.
package struct SeparationWork: Hashable, Sendable {
  /// Nodes that were split.
  package var splits = 0
  /// How often the neighbours of a node's children were looked at.
  package var looks = 0
  /// Cells of the grid that were looked up in it.
  package var cells = 0
  /// How often a grid was laid anew, and the nodes on them all together.
  package var grids = 0
  package var nodesOnGrids = 0
}
