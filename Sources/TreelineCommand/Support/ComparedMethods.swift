import GridBaseline
import Treeline
import TreelineBuilder
import TreelineComparison

/// The methods of a comparison over some points, and the tree in whose order their points are named.
struct ComparedMethods {
  let tree: ClusterTree
  let grid: Grid
  let methods: [ClusteringMethod]

  /// Reads points and builds a tree for each rule that a method needs; of an index there is the one that it holds.
  ///
  /// - Parameter choices: nil is what a report shows as a rule, as far as the input has what it takes.
  init(_ choices: [MethodChoice]?, of input: Input, cellSize: CellSize, kMeans: KMeans?) throws {
    let wanted = choices ?? MethodChoice.standard
    let rules = wanted.compactMap(\.rule).reduce(into: [SplitRule]()) {
      if !$0.contains($1) { $0.append($1) }
    }
    func needsSeparations(_ rule: SplitRule) -> Bool {
      wanted.contains { $0.rule == rule && $0.needsSeparations }
    }
    let first = rules.first ?? .mean
    let points = try Points(input, keepsColumns: false, findsSeparations: needsSeparations(first))
    let tree = points.tree
    var trees = [tree.splitRule: ComparedTree(tree)]
    if let table = points.table {
      for rule in rules where trees[rule] == nil {
        let other = try ClusterTree(
          table, options: BuildOptions(findsSeparations: needsSeparations(rule)), ProgressBar())
        trees[rule] = ComparedTree(other, inOrderOf: tree)
      }
    }
    let possible = wanted.filter { $0.lack(in: trees) == nil }
    if choices != nil, let lacking = wanted.first(where: { !possible.contains($0) }) {
      throw Failure(
        message: "--methods: '\(lacking.name)' needs \(lacking.lack(in: trees)!), and this index has none; "
          + "give the points instead",
        code: Failure.usage)
    }
    for choice in wanted where !possible.contains(choice) {
      printToStandardError("treeline: left out \(choice.name): this index has no \(choice.lack(in: trees)!)")
    }
    let grid = Grid(over: tree)
    self.tree = tree
    self.grid = grid
    methods =
      possible.map { $0.method(grid: grid, cellSize: cellSize, trees: trees) }
      + [kMeans.map { .kMeans($0, of: tree) }].compactMap { $0 }
  }
}

extension MethodChoice {
  /// What it would need that there is not; nil where there is all.
  fileprivate func lack(in trees: [SplitRule: ComparedTree]) -> String? {
    guard let rule else { return nil }
    guard let tree = trees[rule]?.tree else { return "tree split by another rule" }
    return needsSeparations && !tree.hasSeparations ? "separations" : nil
  }
}
