import GridBaseline
import Treeline

/// A method of clustering by its name: `grid`, or a way to cut a tree, such as `widest-first`, of the tree whose nodes are
/// split by a rule.
public enum MethodChoice: Hashable, Sendable {
  case grid
  case tree(TreeCut, SplitRule)

  /// The rules that are compared; a method's name tells which, but for the first.
  public static let rules: [SplitRule] = [.mean, .leastScatter, .gamma(1.5)]

  /// Every method there is, in the order of a report: each way to cut a tree, for each rule.
  public static let all: [MethodChoice] =
    [.grid] + rules.flatMap { rule in TreeCut.all.map { .tree($0, rule) } }

  /// The grid and each way to cut a tree of one rule, whatever rule that is.
  public static func all(of rule: SplitRule) -> [MethodChoice] {
    [.grid] + TreeCut.all.map { .tree($0, rule) }
  }

  /// A handful that shows what there is, of a tree of one rule.
  public static func standard(_ rule: SplitRule = .mean) -> [MethodChoice] {
    [.grid] + TreeCut.standard.map { .tree($0, rule) }
  }

  /// The choice of a name; nil where nothing is called so.
  public init?(name: String) {
    guard let choice = Self.all.first(where: { $0.name == name }) else { return nil }
    self = choice
  }

  public var name: String {
    switch self {
    case .grid: "grid"
    case .tree(let cut, let rule): Self.isPlain(rule) ? cut.name : "\(cut.name)/\(rule)"
    }
  }

  var title: String {
    switch self {
    case .grid: "Grid"
    case .tree(let cut, let rule): Self.isPlain(rule) ? cut.title : "\(cut.title) (\(rule))"
    }
  }

  /// How the nodes of its tree are split; nil where it needs none.
  public var rule: SplitRule? {
    if case .tree(_, let rule) = self { rule } else { nil }
  }

  /// Whether its tree must have been built with separations.
  public var needsSeparations: Bool {
    if case .tree(let cut, _) = self { cut.needsSeparations } else { false }
  }

  /// Whether it goes without saying.
  private static func isPlain(_ rule: SplitRule) -> Bool { rule == rules[0] }
}

extension MethodChoice {
  /// The method itself.
  ///
  /// - Precondition: there is a tree of its rule, with separations if it needs them.
  public func method(grid: Grid, cellSize: CellSize, trees: [SplitRule: ComparedTree]) -> ClusteringMethod {
    switch self {
    case .grid: return .grid(grid, cellSize: cellSize)
    case .tree(let cut, let rule):
      guard let tree = trees[rule] else {
        preconditionFailure("Expected a tree split by \(rule) for '\(name)', found none")
      }
      return .tree(tree, cut: cut, name: name, title: title)
    }
  }
}
