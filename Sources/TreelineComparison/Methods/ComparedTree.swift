import Treeline

/// A tree of a comparison. Trees over the same points by different rules have different orders; points go by their place
/// in the order of one of them, so that all methods are held to the same points.
public struct ComparedTree: Sendable {
  public let tree: ClusterTree

  /// By place in the order of this tree: the place in that of the tree compared in; nil where it is the same.
  private let placesOfReference: [Int32]?

  /// The tree in whose order points are named.
  public init(_ tree: ClusterTree) {
    self.tree = tree
    placesOfReference = nil
  }

  /// Another tree over the same points in the same rows.
  ///
  /// - Complexity: O(points)
  public init(_ tree: ClusterTree, inOrderOf reference: ClusterTree) {
    precondition(
      tree.pointCount == reference.pointCount && tree.plane == reference.plane,
      "Expected two trees over the same points, found \(tree.pointCount) and \(reference.pointCount) points")
    self.tree = tree
    var placeOfRow = [Int32](repeating: 0, count: tree.pointCount)
    for place in 0..<reference.pointCount { placeOfRow[reference.row(atTreeIndex: place)] = Int32(place) }
    placesOfReference = (0..<tree.pointCount).map { placeOfRow[tree.row(atTreeIndex: $0)] }
  }

  func places(of range: Range<Int>) -> [Int] {
    placesOfReference.map { places in places[range].map(Int.init) } ?? Array(range)
  }
}
