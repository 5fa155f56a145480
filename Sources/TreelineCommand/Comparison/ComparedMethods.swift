import ArgumentParser
import GridBaseline
@_spi(Server) import Treeline
import TreelineBuilder
@_spi(Server) import TreelineComparison

/// The methods to compare, and a tree. Each method identifies a point by the point's index in this tree.
struct ComparedMethods {
  let tree: ClusterTree
  let grid: Grid
  let methods: [ClusteringMethod]

  /// Reads points and builds the trees that the methods need: one tree for each growth (way to build a tree). If the
  /// input is an index, uses the tree of the index.
  ///
  /// - Parameter names: Names of the methods; nil for the standard methods that the input supports.
  init(_ names: MethodNames?, of input: Input, cellSize: CellSize, kMeans: KMeans?) throws {
    func cuts(_ choices: [MethodChoice], of growth: Growth) -> [Cut] {
      choices.filter { $0.growth == growth }.compactMap(\.cut)
    }
    func choices(_ growth: Growth) -> [MethodChoice] {
      switch names {
      case .named(let choices)?: MethodChoice.plain(choices, of: input.isIndex ? growth : nil)
      case .all?: input.isIndex ? MethodChoice.all(of: growth) : MethodChoice.all
      case nil: MethodChoice.standard(of: input.isIndex ? growth : nil)
      }
    }
    let asked = choices(.splitting(.mean))
    if !input.isIndex, let choice = asked.first(where: \.lacksSeparations) {
      throw Failure.usage(
        "--methods: expected a tree merged by distance, as in 'spacing/\(Growth.merging(by: .distance))', "
          + "found '\(choice.name)'")
    }
    let first = asked.compactMap(\.growth).first ?? .splitting(.mean)
    let points = try Points(
      input, keepsColumns: false, input.isIndex ? GrowthRequest() : GrowthRequest(first),
      for: input.isIndex ? [] : cuts(asked, of: first))
    let tree = points.tree
    let wanted = choices(tree.growth)
    var trees = [tree.growth: ComparedTree(tree)]
    if let table = points.table {
      for growth in wanted.compactMap(\.growth) where trees[growth] == nil {
        let other = try ClusterTree(
          table, options: GrowthRequest(growth).options(for: cuts(wanted, of: growth)), ProgressBar())
        trees[growth] = ComparedTree(other, inOrderOf: tree)
      }
    }
    let possible = wanted.filter { $0.lack(in: trees) == nil }
    let lacking = wanted.compactMap { choice in choice.lack(in: trees).map { (choice, $0) } }
    if case .named? = names, let (choice, lack) = lacking.first {
      let remedy =
        choice.lacksSeparations
        ? "the points and the method 'spacing', or an index built with '--for spacing'" : "the points instead"
      throw Failure.usage(
        "--methods: '\(choice.name)' needs \(lack), which this index lacks; give \(remedy)")
    }
    // Without the option, all methods that the help lists as the default are expected.
    let expected = names == nil ? MethodChoice.standard() : lacking.map(\.0)
    for choice in expected where !possible.contains(where: { $0.cut == choice.cut }) {
      guard let lack = choice.lack(in: trees) else { continue }
      Notes.print("treelinemap: left out '\(choice.nameForPoints)', which needs \(lack); this index has none")
    }
    if case .all? = names, input.isIndex {
      Notes.print(
        "treelinemap: compared only the tree of this index, which is \(tree.growth.phrase); "
          + "to compare other trees, give the points instead")
    }
    let grid = Grid(over: tree)
    (self.tree, self.grid) = (tree, grid)
    methods =
      possible.map { $0.method(grid: grid, cellSize: cellSize, trees: trees) }
      + [kMeans.map { .kMeans($0, of: tree) }].compactMap { $0 }
  }
}

extension MethodChoice {
  /// Returns what the method needs but the trees lack, such as `separations`; nil if they lack nothing.
  fileprivate func lack(in trees: [Growth: ComparedTree]) -> String? {
    guard let growth else { return nil }
    guard let tree = trees[growth]?.tree else {
      return "a tree \(growth.phrase)"
    }
    return cut.map(tree.supports) ?? true
      ? nil : cut?.badgeScale == nil ? "a tree built for spacing" : "a tree grown for badges"
  }
}

/// Names of methods, separated by commas.
enum MethodNames: Sendable {
  /// All methods that the input supports.
  case all
  case named([MethodChoice])

  init(argument: String) throws {
    if argument == "all" {
      self = .all
      return
    }
    var choices: [MethodChoice] = []
    for name in argument.split(separator: ",", omittingEmptySubsequences: false) {
      guard let choice = MethodChoice(name: String(name)) else {
        throw ValidationError("expected \(MethodChoice.expectation), found '\(name)'")
      }
      guard !choices.contains(choice) else { throw ValidationError("expected each name once, found '\(name)' twice") }
      choices.append(choice)
    }
    self = .named(choices)
  }

  static let standard = MethodChoice.standard().map(\.name).joined(separator: ",")
}
