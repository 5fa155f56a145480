import GridBaseline
import Treeline

/// A method of clustering by its name: `grid`, or a way to cut a tree, such as `widest-first`, of the tree whose nodes
/// grew in a way.
package enum MethodChoice: Hashable, Sendable {
  case grid
  case tree(TreeCut, Growth)

  /// The growths that are compared; a method's name tells which, but for the first.
  private static let growths = SplitRule.examples.map(Growth.splitting)

  /// Every method, in the order of a report: each way to cut a tree, for each growth.
  package static let all: [MethodChoice] = [.grid] + growths.flatMap { growth in TreeCut.all.map { .tree($0, growth) } }

  /// The grid and each way to cut a tree of one growth.
  package static func all(of growth: Growth) -> [MethodChoice] {
    [.grid] + TreeCut.all(of: growth).map { .tree($0, growth) }
  }

  /// A grid, the article's cut, and the one whose badges never touch: each of the tree that suits it, or of the only
  /// one there is.
  package static func standard(of growth: Growth? = nil) -> [MethodChoice] {
    [
      .grid, .tree(.breadthFirst, growth ?? .splitting(.mean)),
      growth == .merging(by: .badges)
        ? .tree(.badges, .merging(by: .badges)) : .tree(.spacing(), growth ?? .splitting(.leastScatter)),
    ]
  }

  /// Some choices for an index, which holds one tree: those that are named without a growth are of that one.
  package static func plain(_ choices: [MethodChoice], of growth: Growth) -> [MethodChoice] {
    choices.reduce(into: []) { found, choice in
      var choice = choice
      if case .tree(let cut, Self.growths[0]) = choice { choice = .tree(cut, growth) }
      if !found.contains(choice) { found.append(choice) }
    }
  }

  /// Not among all, since it takes a tree more, but known by name.
  private static let merged = MergeMetric.allCases.map(Growth.merging).flatMap { growth in
    TreeCut.all(of: growth).map { MethodChoice.tree($0, growth) }
  }

  /// nil where no method is called so.
  package init?(name: String) {
    guard let choice = (Self.all + Self.merged).first(where: { $0.name == name }) else { return nil }
    self = choice
  }

  /// For messages: what names there are.
  package static let expectation: String = {
    let cuts = TreeCut.all.map(\.name).joined(separator: ", ")
    let growths = (Self.growths.dropFirst() + MergeMetric.allCases.map(Growth.merging)).map { "'/\($0)'" }
    return "'\(MethodChoice.grid.name)', '\(TreeCut.badges.name)' or names out of \(cuts), each as it is or with "
      + growths.joined(separator: ", ") + " behind it for another tree"
  }()

  package var name: String {
    switch self {
    case .grid: "grid"
    case .tree(let cut, let growth): isOnly ? cut.name : "\(cut.name)/\(growth)"
    }
  }

  /// Whether its cut alone tells which tree is meant.
  private var isOnly: Bool {
    if case .tree(let cut, let growth) = self { growth == Self.growths[0] || cut == .badges } else { true }
  }

  /// How its tree grew; nil where it needs none.
  package var growth: Growth? { if case .tree(_, let growth) = self { growth } else { nil } }

  /// How its tree is cut; nil where it needs none.
  package var cut: Cut? { if case .tree(let cut, _) = self { cut.cut } else { nil } }

  /// - Precondition: there is a tree of its growth, with separations if it needs them.
  package func method(grid: Grid, cellSize: CellSize, trees: [Growth: ComparedTree]) -> ClusteringMethod {
    switch self {
    case .grid: return .grid(grid, cellSize: cellSize)
    case .tree(let cut, let growth):
      guard let tree = trees[growth] else { preconditionFailure("Expected a tree grown by \(growth), found none") }
      let title = isOnly ? cut.title : "\(cut.title) (\(growth))"
      return .tree(tree, cut: cut, name: name, title: title)
    }
  }
}

/// A tree of a comparison. Trees of different growths order the same points differently; all methods name a point by
/// its index in the order of one of them, the reference.
package struct ComparedTree: Sendable {
  package let tree: ClusterTree

  /// From an index in the order of this tree to that in the order of the reference; nil where it is the same.
  private let indicesInReference: [Int32]?

  /// - Parameter reference: Another tree over the same points in the same rows; nil is this one.
  /// - Complexity: O(points) where there is another
  package init(_ tree: ClusterTree, inOrderOf reference: ClusterTree? = nil) {
    self.tree = tree
    guard let reference else {
      indicesInReference = nil
      return
    }
    precondition(
      tree.pointCount == reference.pointCount && tree.plane == reference.plane,
      "Expected two trees over the same points, found \(tree.pointCount) and \(reference.pointCount) points")
    var indexOfRow = [Int32](repeating: 0, count: tree.pointCount)
    for index in 0..<reference.pointCount { indexOfRow[reference.row(atTreeIndex: index)] = Int32(index) }
    indicesInReference = (0..<tree.pointCount).map { indexOfRow[tree.row(atTreeIndex: $0)] }
  }

  /// The indices in the reference's order of a range of this tree.
  func treeIndices(of range: Range<Int>) -> [Int] { indicesInReference.map { $0[range].map(Int.init) } ?? Array(range) }
}
