import GridBaseline
@_spi(Server) import Treeline

/// The choice of a clustering method by its name: `grid`, or a cut of a tree, such as `widest-first`. The cut is
/// chosen together with the growth of the tree: the split rule or the merge metric by which the tree is built.
package enum MethodChoice: Hashable, Sendable {
  case grid
  case tree(TreeCut, Growth)

  /// The growths (ways to build a tree) that are compared. The name of a method contains the growth of its tree,
  /// unless this growth is the first of the list.
  private static let growths = SplitRule.Kind.allCases.map { Growth.splitting($0.example) }

  /// All methods for points, in the order of a report: the grid, each cut for each growth, a spacing for a tree that is
  /// merged by distance, and badges for a tree that is merged for badges.
  package static let all: [MethodChoice] =
    split.filter { !$0.lacksSeparations }
    + [.tree(.by(.spacing), .merging(by: .distance)), .tree(.by(.badges), .merging(by: .badges))]

  /// The grid, and each cut for each growth of `growths`.
  private static let split: [MethodChoice] =
    [.grid] + growths.flatMap { growth in TreeCut.all.map { .tree($0, growth) } }

  /// Returns the grid, and each cut of a tree with the given growth.
  package static func all(of growth: Growth) -> [MethodChoice] {
    [.grid] + TreeCut.all(of: growth).map { .tree($0, growth) }
  }

  /// Returns the default choices: the grid and four cuts. The grid, the breadth-first cut and the cut with badges come
  /// first, so that a report shows them in its first row. The widest-first cut and the cut with a spacing follow. The
  /// breadth-first and the widest-first cut use the tree of Applidium's article. The cut with a spacing uses a tree
  /// that is merged by distance. The cut with badges uses a tree that is merged for badges. If `growth` is given, all
  /// cuts use a tree of this growth, and cuts that do not suit this growth are left out.
  package static func standard(of growth: Growth? = nil) -> [MethodChoice] {
    let limited = growth ?? .splitting(.mean)
    return [.grid, .tree(.breadthFirst, limited)]
      + ([nil, .merging(by: .badges)].contains(growth) ? [.tree(.by(.badges), .merging(by: .badges))] : [])
      + [.tree(.widestFirst, limited)]
      + (growth == .merging(by: .badges) ? [] : [.tree(.by(.spacing), growth ?? .merging(by: .distance))])
  }

  /// Returns the choices, each with the growth of its tree. If the name of a choice has no growth, the growth of the
  /// index's tree is used.
  ///
  /// - Parameter growth: Growth of the index's tree; nil if the methods compare points. A spacing then uses a tree that
  ///   is merged by distance.
  package static func plain(_ choices: [MethodChoice], of growth: Growth?) -> [MethodChoice] {
    choices.reduce(into: []) { found, choice in
      var choice = choice
      if case .tree(let cut, Self.growths[0]) = choice {
        choice = .tree(cut, growth ?? (choice.lacksSeparations ? .merging(by: .distance) : Self.growths[0]))
      }
      if !found.contains(choice) { found.append(choice) }
    }
  }

  /// Choices that have a name but are not in `all`, because they need trees that are built by merging.
  private static let merged = MergeMetric.allCases.map(Growth.merging).flatMap { growth in
    TreeCut.all(of: growth).map { MethodChoice.tree($0, growth) }
  }

  /// Finds a method by its name. Fails if no method has this name.
  package init?(name: String) {
    guard let choice = (Self.split + Self.merged).first(where: { $0.name == name }) else { return nil }
    self = choice
  }

  /// The valid names, for error messages.
  package static let expectation: String = {
    let cuts = TreeCut.all.map(\.name).joined(separator: ", ")
    let growths = (Self.growths.dropFirst() + MergeMetric.allCases.map(Growth.merging)).map { "'/\($0)'" }
    return
      "'all', '\(MethodChoice.grid.name)', '\(PixelCriterion.badges)' or one of \(cuts) (for another tree, add one of "
      + growths.joined(separator: ", ") + ")"
  }()

  package var name: String {
    switch self {
    case .grid: "grid"
    case .tree(let cut, let growth): isOnly ? cut.name : "\(cut.name)/\(growth)"
    }
  }

  /// Whether the name of the cut alone determines the tree. The method's name then contains no growth.
  private var isOnly: Bool {
    if case .tree(let cut, let growth) = self { growth == Self.growths[0] || cut.cut.badgeScale != nil } else { true }
  }

  /// Whether the cut is a spacing, but a new tree of this growth has no separations. Only indexes of older versions may
  /// have such trees with separations.
  package var lacksSeparations: Bool {
    guard case .tree(let cut, let growth) = self, cut.cut.badgeScale == nil else { return false }
    return cut.cut.needsSeparations && growth != .merging(by: .distance)
  }

  /// The name that selects the method if the input is points. For points, a spacing always uses a tree that is merged
  /// by distance.
  package var nameForPoints: String {
    guard lacksSeparations, case .tree(let cut, _) = self else { return name }
    return MethodChoice.tree(cut, .merging(by: .distance)).name
  }

  /// Growth of the tree; nil if the method needs no tree.
  package var growth: Growth? { if case .tree(_, let growth) = self { growth } else { nil } }

  /// Cut of the tree; nil if the method needs no tree.
  package var cut: Cut? { if case .tree(let cut, _) = self { cut.cut } else { nil } }

  /// Returns the method.
  ///
  /// - Precondition: `trees` contains a tree of this growth. The tree has separations if the cut needs them.
  package func method(grid: Grid, cellSize: CellSize, trees: [Growth: ComparedTree]) -> ClusteringMethod {
    switch self {
    case .grid: return .grid(grid, cellSize: cellSize)
    case .tree(let cut, let growth):
      guard let tree = trees[growth] else { preconditionFailure("Expected a tree built with '\(growth)', found none") }
      let title = isOnly ? cut.title : "\(cut.title) (\(growth))"
      return .tree(tree, cut: cut, name: name, title: title)
    }
  }
}

/// A tree of a comparison. Trees that are built in different ways have the same points in different orders. All
/// methods identify a point by its tree index in one of these trees, the *reference*.
package struct ComparedTree: Sendable {
  package let tree: ClusterTree

  /// For each tree index of this tree, the tree index of the same point in the reference; nil if this tree is the
  /// reference.
  private let indicesInReference: [Int32]?

  /// - Parameter reference: Another tree of the same points, with the same row numbers; nil if this tree is the
  ///   reference.
  /// - Complexity: O(points) if there is a reference.
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

  /// Returns the points in a range of this tree, as tree indices in the reference.
  func treeIndices(of range: Range<Int>) -> [Int] { indicesInReference.map { $0[range].map(Int.init) } ?? Array(range) }
}
